using Cinnabar.Bench.Report;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>How long another client waits at worst while the table grows: keys are inserted at half the speed
/// that the server can take them, and clients of their own ask for random keys on a schedule. An answer's
/// time counts from when its question was due, so a pause hits every question that falls into it. One thread
/// does both; how late it was by its own doing is reported beside, since it looks like the
/// server's. So is the wait while the same load only overwrites: what the machine does to a server of which
/// nothing grows, and what is still warming up.</summary>
internal sealed class StallSuite : ISuite
{
    private const int ValueSize = 64;
    private const int ProbeClientCount = 8;
    private const double ProbesPerSecond = 10_000;
    private const double OverwritingSeconds = 5;

    public string Name => "stall";

    public string Title => "Wait of another client while 10M keys are inserted at half load";

    public string Servers => "redis,cinnabar";

    public int Rounds => 1;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round)
    {
        long keyCount = round.KeyCount ?? (round.IsQuick ? 50_000 : 10_000_000);
        long probedCount = long.Max(keyCount / 100, 1);
        using MeasuredServer server = round.Start(spec);
        LoadOptions inserts = round.Load(server, keyCount, ValueSize).ForPopulating() with { Depth = 10 };
        round.Live.Tell("full speed");
        double rate = LoadGenerator.Populate(inserts with { Keys = Part(0, keyCount / 10) }).Rate / 2;
        using (ServerLink link = server.Link()) link.Ask("FLUSHALL", "SYNC");
        LoadOptions probes = round.Load(server, probedCount, ValueSize) with
        {
            ClientCount = ProbeClientCount,
            Commands = [CommandTemplate.Get()],
            Rate = ProbesPerSecond,
            Seconds = null,
            RequestCount = long.MaxValue / ProbeClientCount,
        };
        round.Fill(server, probes, probedCount);
        round.Live.Tell($"overwriting at {rate:N0} a second");
        double seconds = round.IsQuick ? 0.5 : OverwritingSeconds;
        LoadOptions overwrites = inserts with
        {
            Keys = Part(0, probedCount),
            Commands = [CommandTemplate.Set()],
            Rate = rate,
            RequestCount = (long)(rate * seconds) / inserts.ClientCount,
            IsEachKeyOnce = false,
        };
        SuiteReport report = round.Report;
        Add(report, spec.Name, "wait while nothing grows", Run(spec, overwrites, probes).Probed.Latency);
        round.Live.Tell($"{keyCount:N0} keys at {rate:N0} a second");
        LoadOptions growth = inserts with { Keys = Part(probedCount, keyCount), Rate = rate };
        (LoadResult inserted, LoadResult probed) = Run(spec, growth, probes);
        report.Add("inserts", "keys/s", spec.Name, inserted.Rate);
        Add(report, spec.Name, "wait", probed.Latency);
        Add(report, spec.Name, "load generator late by itself", probed.SendLag);
    }

    private static (LoadResult Main, LoadResult Probed) Run(
        ServerSpec spec, LoadOptions main, LoadOptions probes)
    {
        using var load = new LoadGenerator(main);
        using var probe = new LoadGenerator(probes);
        (LoadResult result, LoadResult probed) = LoadGenerator.RunBeside(load, probe);
        string? failure = result.FirstError ?? probed.FirstError;
        if (probed.MissingCount > 0) failure ??= "keys are lost";
        if (failure is not null) throw new LoadException($"{spec.Name}: {failure}");
        return (result, probed);
    }

    private static KeySpace Part(long first, long end) => new() { Minimum = first, Maximum = end - 1 };

    private static void Add(SuiteReport report, string server, string name, LatencyHistogram histogram)
    {
        report.Add($"{name}, p50", "µs", server, histogram.PercentileNs(0.5) / 1e3);
        report.Add($"{name}, p99", "µs", server, histogram.PercentileNs(0.99) / 1e3);
        report.Add($"{name}, p99.99", "µs", server, histogram.PercentileNs(0.9999) / 1e3);
        report.Add($"{name}, maximum", "µs", server, histogram.MaxNs / 1e3);
    }
}
