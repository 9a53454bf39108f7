using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>What a key costs beside its own bytes, at several fillings, since a table that grows by doubling
/// has good and bad moments: (resident − resident when empty − bytes of keys and values) ÷ keys.</summary>
internal sealed class MemorySuite : ISuite
{
    private const int KeySize = 16;
    private const int ValueSize = 64;
    private const int SettlingCountMax = 8;
    private const long SettledDifference = 200_000;
    private static readonly double[] s_millions = [1, 1.5, 2, 3, 5, 8, 10];
    private static readonly double[] s_quickMillions = [0.1, 0.15];

    public string Name => "memory";

    public string Title => "Overhead per key, 16-byte keys, 64-byte values";

    public string Servers => "redis,cinnabar";

    public int Rounds => 1;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round)
    {
        using MeasuredServer server = round.Start(spec);
        ProcessUsage usage = Round.UsageOf(server);
        long emptyBytes = SettledBytes(usage);
        long keyCountMax = round.KeyCount ?? long.MaxValue;
        var overheads = new List<double>();
        long done = 0;
        foreach (double millions in round.IsQuick ? s_quickMillions : s_millions)
        {
            long count = (long)(millions * 1e6);
            if (count > keyCountMax) break;
            LoadOptions load = round.Load(server, count, ValueSize);
            load = load with { Keys = new KeySpace { Minimum = done, Maximum = count - 1 } };
            round.Fill(server, load, count);
            done = count;
            Settle();
            long bytes = usage.ResidentBytes() - emptyBytes - count * (KeySize + ValueSize);
            overheads.Add(bytes / (double)count);
            round.Report.Add($"{millions:0.##}M keys", "bytes a key", spec.Name, overheads[^1]);
        }
        if (overheads.Count == 0) throw new LoadException("--keys is below the smallest filling");
        round.Report.Add("mean", "bytes a key", spec.Name, overheads.Average());
        round.Report.Add("worst", "bytes a key", spec.Name, overheads.Max());
        round.Report.Add("empty", "MB", spec.Name, emptyBytes / 1e6);
    }

    // What an empty server takes once it has given back what only its start needed: when it was no less at
    // the end of one settling than of the one before.
    private static long SettledBytes(ProcessUsage usage)
    {
        long bytes = long.MaxValue;
        for (int count = 0; count < SettlingCountMax; count++)
        {
            Settle();
            long before = bytes;
            bytes = usage.ResidentBytes();
            if (bytes >= before - SettledDifference) break;
        }
        return bytes;
    }

    // Lets a server give back what it holds only for the moment.
    private static void Settle() => Thread.Sleep(TimeSpan.FromSeconds(5));
}
