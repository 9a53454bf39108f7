using System;

namespace Cinnabar.Lab.Sharded;

internal static class Program
{
    private const int WorkerCountMax = 1024;

    private static int Main(string[] arguments) => StationProcess.Run("sharded",
        () => new StationOptions(arguments, ["--pipelined"], ["--workers", "--route"]),
        options => new ShardedServer(
            options.Number("--workers", Math.Max(1, Environment.ProcessorCount / 2), 1, WorkerCountMax),
            options.Choice("--route", "key", "key", "connection") == "connection",
            options.Has("--pipelined")).ServeAsync);
}
