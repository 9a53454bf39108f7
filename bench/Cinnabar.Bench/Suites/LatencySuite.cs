using System;
using Cinnabar.Bench.Load;
using Cinnabar.Bench.Report;
using Cinnabar.Bench.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>How long another client waits at worst while the table grows: keys are inserted at half the speed
/// that the server can take them, and a client of its own asks for random keys on a schedule. An answer's
/// time counts from when its question was due, so a pause hits every question that falls into it.</summary>
internal sealed class LatencySuite : ISuite
{
    private const int ValueSize = 64;
    private const int Depth = 10;
    private const int ConnectionCount = 16;
    private const long ProbedCount = 100_000;
    private const long TrialCount = 1_000_000;

    public string Name => "latency";

    public string Title => "Wait of another client while 10M keys are inserted at half load";

    public string Servers => "redis,cinnabar";

    public int Rounds => 1;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round, SuiteReport report)
    {
        long keyCount = round.KeyCount ?? 10_000_000;
        var workload = new Workload(keyCount, ValueSize, 0);
        using ServerProcess server = round.Start(spec, report);
        double rate = FullRate(server, round, workload) / 2;
        server.Ask("FLUSHALL", "SYNC");
        round.Fill(server, workload, 0, ProbedCount);
        round.Tell($"{spec.Name}: build requests");
        using var inserts = RequestPlan.Sets(workload, Depth, ProbedCount, keyCount - ProbedCount);
        using var probes = RequestPlan.Gets(new Workload(ProbedCount, ValueSize, 100_000), 1);
        ReplyCheck.Run(server.Port, probes);
        round.Tell($"{spec.Name}: {keyCount:N0} keys at {rate:N0} a second");
        using var loop = new PacedLoop(LoadLoop.NewTransport(), server.Port, ConnectionCount);
        double seconds = loop.Run(inserts, probes, rate);
        report.Add("inserts", "keys/s", spec, (keyCount - ProbedCount) / seconds);
        Add(report, spec, "wait", loop.Waits);
        Add(report, spec, "load generator's own pauses", loop.Pauses);
    }

    private static double FullRate(ServerProcess server, Round round, Workload workload)
    {
        round.Tell($"{server.Spec.Name}: full speed");
        using var plan = RequestPlan.Sets(workload, Depth, 0, TrialCount);
        ReplyCheck.Run(server.Port, plan);
        using var loop = new LoadLoop(LoadLoop.NewTransport(), server.Port, ConnectionCount);
        return loop.RunOnce(plan).Rate;
    }

    private static void Add(SuiteReport report, ServerSpec spec, string name, LatencyHistogram histogram)
    {
        report.Add($"{name}, p50", "µs", spec, histogram.PercentileNs(0.5) / 1e3);
        report.Add($"{name}, p99", "µs", spec, histogram.PercentileNs(0.99) / 1e3);
        report.Add($"{name}, p99.99", "µs", spec, histogram.PercentileNs(0.9999) / 1e3);
        report.Add($"{name}, maximum", "µs", spec, histogram.MaxNs / 1e3);
    }
}
