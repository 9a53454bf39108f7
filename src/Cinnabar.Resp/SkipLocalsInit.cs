// Locals are not filled with zeroes: on the shortest paths that cost more than the work. C# sees to it that
// every variable is assigned before it is read; what stackalloc gives has undefined contents.
[module: System.Runtime.CompilerServices.SkipLocalsInit]
