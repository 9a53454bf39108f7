// Micro-benchmarks of the structures under big collections, in this process: time and memory for each
// element.
//
//   dotnet run -c Release --project bench/Cinnabar.Micro [elements, a million unless told otherwise]
//   dotnet run -c Release --project bench/Cinnabar.Micro -- small --filter '*Listpack*'
//
// The second form measures the small structures (SmallBenchmarks).
//
// Times are the median of short stretches, so that a busy machine does less harm, and are also given as
// multiples of a yardstick taken in the same run: one dependent read somewhere in 256 MiB.
using System;
using System.Globalization;

namespace Cinnabar.Micro;

internal static class Program
{
    private static int Main(string[] args)
    {
        if (args is ["small", ..])
        {
            SmallBenchmarks.Run(args[1..]);
            return 0;
        }
        int count = 1_000_000;
        bool isGiven = args.Length > 0;
        if (isGiven && (!int.TryParse(args[0], CultureInfo.InvariantCulture, out count) || count < 10_000))
        {
            Console.Error.WriteLine("usage: cinnabar-micro [elements, at least 10000] | small [options]");
            return 2;
        }
        var stopwatch = new Stretches(Yardstick.MissNanoseconds());
        // The first run warms up the compiler.
        new SetBenchmark(stopwatch, 10_000).Run();
        new SortedSetBenchmark(stopwatch, 10_000).Run();
        new ListBenchmark(stopwatch, 10_000).Run();
        stopwatch.IsPrinting = true;
        Console.WriteLine($"one miss: {stopwatch.MissNs:F0} ns; {count} elements, members of 16 bytes");
        new SetBenchmark(stopwatch, count).Run();
        new SortedSetBenchmark(stopwatch, count).Run();
        new ListBenchmark(stopwatch, count).Run();
        return 0;
    }
}
