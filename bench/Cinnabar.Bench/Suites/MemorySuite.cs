using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Cinnabar.Bench.Load;
using Cinnabar.Bench.Report;
using Cinnabar.Bench.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>What a key costs beside its own bytes, at several fillings, since a table that grows by doubling
/// has good and bad moments: (resident − resident when empty − bytes of keys and values) ÷ keys.</summary>
internal sealed class MemorySuite : ISuite
{
    private const int ValueSize = 64;
    private static readonly double[] s_millions = [1, 1.5, 2, 3, 5, 8, 10];

    public string Name => "memory";

    public string Title => "Overhead per key, 16-byte keys, 64-byte values";

    public string Servers => "redis,cinnabar";

    public int Rounds => 1;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round, SuiteReport report)
    {
        using ServerProcess server = round.Start(spec, report);
        Settle();
        long emptyBytes = server.ResidentBytes;
        long keyCountMax = round.KeyCount ?? long.MaxValue;
        var overheads = new List<double>();
        long done = 0;
        foreach (double millions in s_millions)
        {
            long count = (long)(millions * 1e6);
            if (count > keyCountMax) break;
            var workload = new Workload(count, ValueSize, 0);
            round.Fill(server, workload, done, count);
            done = count;
            Settle();
            long bytes = server.ResidentBytes - emptyBytes - count * (RequestPlan.KeySize + ValueSize);
            overheads.Add(bytes / (double)count);
            report.Add($"{count / 1e6:0.#}M keys", "bytes a key", spec, overheads[^1]);
        }
        if (overheads.Count == 0) throw new LoadException("--keys is below the smallest filling, 1M");
        report.Add("mean", "bytes a key", spec, overheads.Average());
        report.Add("worst", "bytes a key", spec, overheads.Max());
        report.Add("empty", "MB", spec, emptyBytes / 1e6);
    }

    // Lets a server give back what it holds only for the moment.
    private static void Settle() => Thread.Sleep(TimeSpan.FromSeconds(1));
}
