// Micro-benchmarks of the structures under big collections, in this process: time and memory for each
// element.
//
//   dotnet run -c Release --project bench/Cinnabar.Micro [elements, default a million]
//   dotnet run -c Release --project bench/Cinnabar.Micro -- order tree|skiplist [elements]
//   dotnet run -c Release --project bench/Cinnabar.Micro -- small --filter '*Listpack*'
//
// The second form measures a sorted set alone, ours or one on a skip list (docs/adr/0007), so that perf can
// count for one of them; the third measures the small structures (SmallBenchmarks).
//
//   dotnet run -c Release --project bench/Cinnabar.Micro -- scale
//
// measures what a second core costs (ScaleBenchmark).
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
        if (args is ["scale"])
        {
            ScaleBenchmark.Run();
            return 0;
        }
        string? order = args is ["order", "tree" or "skiplist", ..] ? args[1] : null;
        if (order != null) args = args[2..];
        int count = 1_000_000;
        bool isGiven = args.Length > 0;
        if (isGiven && (!int.TryParse(args[0], CultureInfo.InvariantCulture, out count) || count < 10_000))
        {
            Console.Error.WriteLine("usage: cinnabar-micro [order tree|skiplist] [elements, at least 10000]"
                + " | small [options] | scale");
            return 2;
        }
        var stopwatch = new Stretches(Yardstick.MissNanoseconds());
        if (order != null)
        {
            RunOrder(stopwatch, 10_000, order == "skiplist");
            stopwatch.IsPrinting = true;
            Console.WriteLine($"one miss: {stopwatch.MissNs:F0} ns");
            RunOrder(stopwatch, count, order == "skiplist");
            return 0;
        }
        // The first run warms up the compiler.
        RunAll(stopwatch, 10_000);
        stopwatch.IsPrinting = true;
        Console.WriteLine($"one miss: {stopwatch.MissNs:F0} ns; {count} elements, members of 16 bytes");
        RunAll(stopwatch, count);
        return 0;
    }

    private static void RunOrder(Stretches stopwatch, int count, bool isSkipList) =>
        new SortedSetBenchmark(stopwatch, count, isSkipList).Run();

    private static void RunAll(Stretches stopwatch, int count)
    {
        new SetBenchmark(stopwatch, count).Run();
        new HashBenchmark(stopwatch, count).Run();
        RunOrder(stopwatch, count, isSkipList: false);
        RunOrder(stopwatch, count, isSkipList: true);
        new ListBenchmark(stopwatch, count).Run();
    }
}
