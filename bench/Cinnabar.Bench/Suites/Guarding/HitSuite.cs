using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Load.Servers;
using Cinnabar.Load.Traces;

namespace Cinnabar.Bench.Suites.Guarding;

/// <summary>The share of requests that a cache of a given number of keys answers, by traces. All servers
/// play a trace together, a stretch of it one after the other: a server notes the second or minute of a key's
/// last use, so the borders of these must meet all of them at the same place. Redis draws ten samples for a
/// key.</summary>
internal sealed class HitSuite : ISideBySideSuite
{
    private const int TraceFactor = 10;
    private const int StretchLength = 500;
    private const int AdjustmentCount = 100;
    private const double WarmUpShare = 0.3;

    public string Name => "hits";

    public string Title => "Hit ratios of eviction by traces, at an equal number of resident keys";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 10;

    public void Measure(ServerSpec spec, Round round) => Measure([spec], round);

    public void Measure(IReadOnlyList<ServerSpec> specs, Round round)
    {
        foreach (string policy in (string[])["allkeys-lru", "allkeys-lfu"])
        {
            foreach (string trace in KeyTrace.Names)
                Measure(specs, round, policy, trace);
        }
    }

    private static void Measure(
        IReadOnlyList<ServerSpec> specs, Round round, string policy, string trace)
    {
        List<CacheUnderTrace> caches = [.. specs.Select(spec => new CacheUnderTrace(round.Start(spec)))];
        try
        {
            int count = (int)(round.KeyCount ?? (round.IsQuick ? 5_000 : 100_000));
            round.Live.ShowStep($"{policy}, {trace}");
            long[] keys = KeyTrace.Make(trace, count, TraceFactor * count);
            foreach (CacheUnderTrace cache in caches) cache.Fill(policy, count);
            Play(caches, keys, count, keys.Length / round.Seconds);
            foreach (CacheUnderTrace cache in caches)
            {
                cache.Check(count);
                round.Report.Add($"hits, {policy}, {trace}", "%", cache.Name, cache.HitPercent,
                    isHeadline: true);
                round.Report.Add($"resident, {policy}, {trace}", "keys", cache.Name, cache.KeyCountMean);
            }
        }
        finally
        {
            foreach (CacheUnderTrace cache in caches) cache.Dispose();
        }
    }

    private static void Play(List<CacheUnderTrace> caches, long[] keys, int count, double rate)
    {
        var pace = new Pace(rate);
        int adjustmentStep = (keys.Length / StretchLength / AdjustmentCount) + 1;
        for (int index = 0; index < keys.Length; index += StretchLength)
        {
            pace.WaitFor(index);
            bool isAdjusting = index / StretchLength % adjustmentStep == 0;
            foreach (CacheUnderTrace cache in caches)
            {
                cache.Play(keys.AsSpan(index, int.Min(StretchLength, keys.Length - index)),
                    isCounted: index >= keys.Length * WarmUpShare);
                if (isAdjusting) cache.Adjust(count);
            }
        }
    }
}
