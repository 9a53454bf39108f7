// Locals are not filled with zeroes: on the shortest paths that cost more than the work. C# ensures that
// every variable is assigned before it is read; the contents of stackalloc are undefined.
[module: System.Runtime.CompilerServices.SkipLocalsInit]
