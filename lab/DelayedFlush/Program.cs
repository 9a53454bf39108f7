using System;

namespace Cinnabar.Lab.DelayedFlush;

internal static class Program
{
    private const int ConcurrencyLevelMax = 65_536;

    private static int Main(string[] arguments) => StationProcess.Run("delayed-flush",
        () => new StationOptions(arguments, [], ["--concurrency-level"]),
        options => new DelayedFlushServer(options.Number(
            "--concurrency-level", Environment.ProcessorCount, 1, ConcurrencyLevelMax)).ServeAsync);
}
