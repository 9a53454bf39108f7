using System;
using System.Globalization;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Guarding;

/// <summary>What an operator turns on before a server faces anybody. Memory limits: SET where each evicts a
/// key.</summary>
internal sealed class GuardSuite : ISuite
{
    private const int DataSize = 64;
    private const int Depth = 30;
    private const int ClientCount = 128;
    private const long ClientBytes = 32 << 10;
    private const int DomainFactor = 20;
    private const double WarmUpShare = 0.3;

    public string Name => "guard";

    public string Title => "Memory limits: SET that evicts";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 2;

    public void Measure(ServerSpec spec, Round round)
    {
        using MeasuredServer server = round.Start(spec);
        long count = round.KeyCount ?? (round.IsQuick ? 20_000 : 500_000);
        round.Fill(server, round.Load(server, count, DataSize), count);
        Limit(server, "allkeys-lru", ClientCount * ClientBytes);
        LoadOptions load = round.Load(server, DomainFactor * count, DataSize) with
        {
            Commands = [CommandTemplate.Set()],
            Depth = Depth,
            ClientCount = ClientCount,
        };
        round.Live.ShowStep("SET at the limit");
        using var generator = new LoadGenerator(load);
        generator.Run(Math.Max(round.Seconds * WarmUpShare, 0.1));
        LoadResult result = generator.Run();
        if (result.ErrorCount > 0) throw new LoadException($"SET: {result.FirstError}");
        using (ServerLink link = server.Link())
        {
            long evicted = long.Parse(link.Info("evicted_keys")!, CultureInfo.InvariantCulture);
            if (evicted < result.RequestCount / 2)
                throw new LoadException($"{spec.Name} had room for most keys");
        }
        round.Report.Add("SET at the limit, 30 deep", "ops/s", spec.Name, result.Rate, isHeadline: true);
        round.Report.Add("SET at the limit, p99.9", "ms", spec.Name,
            result.Latency.PercentileNs(0.999) / 1e6, isHeadline: true);
    }

    /// <summary>Makes what is used the limit, and what connections to come take; Redis draws ten samples for
    /// a key.</summary>
    private static void Limit(MeasuredServer server, string policy, long spareBytes)
    {
        using ServerLink link = server.Link();
        link.Ask("CONFIG", "SET", "maxmemory-samples", "10");
        link.Ask("CONFIG", "SET", "maxmemory-policy", policy);
        long used = long.Parse(link.Info("used_memory")!, CultureInfo.InvariantCulture);
        link.Ask("CONFIG", "SET", "maxmemory", (used + spareBytes).ToString(CultureInfo.InvariantCulture));
    }
}
