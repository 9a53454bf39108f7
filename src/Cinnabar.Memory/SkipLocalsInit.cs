// Locals are not zeroed: on the shortest paths that costs more than the work. C# checks that every variable
// is assigned before it is read; memory from stackalloc has undefined contents.
[module: System.Runtime.CompilerServices.SkipLocalsInit]
