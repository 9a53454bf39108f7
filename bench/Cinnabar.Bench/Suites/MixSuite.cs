using System;
using System.Globalization;
using Cinnabar.Bench.Load;
using Cinnabar.Bench.Report;
using Cinnabar.Bench.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>Throughput, pipelined and not, with 256-byte values: where parsing and lookups are all there is,
/// and where the system's sockets are.</summary>
internal sealed class MixSuite : ISuite
{
    private const int ValueSize = 256;
    private const int DeepConnectionCount = 128;
    private const int Depth = 30;
    private const int FlatConnectionCount = 64;
    private const int GetsPerSet = 10;
    private const double WarmUpSeconds = 1;

    public string Name => "mix";

    public string Title => "SET:GET 1:10 30 deep over 128 connections, GET 1 deep over 64";

    public string Servers => "null,redis,cinnabar,cinnabar-portable";

    public int Rounds => 3;

    public double Seconds => 3;

    public void Measure(ServerSpec spec, Round round, SuiteReport report)
    {
        var workload = new Workload(round.KeyCount ?? 1_000_000, ValueSize, 2_000_000);
        using ServerProcess server = round.Start(spec, report);
        long emptyBytes = server.ResidentBytes;
        if (!spec.IsFloor)
        {
            round.Fill(server, workload, 0, workload.KeyCount);
            report.Add("resident memory above empty", "bytes a key", spec,
                (server.ResidentBytes - emptyBytes) / (double)workload.KeyCount);
        }
        // The null server answers requests of one size only, so its mix is GETs alone.
        int getsPerSet = spec.IsFloor ? int.MaxValue : GetsPerSet;
        using (var plan = RequestPlan.Random(workload, Depth, getsPerSet))
            Measure("30 deep", server, plan, DeepConnectionCount, (round, report));
        using (var plan = RequestPlan.Gets(workload, 1))
            Measure("1 deep", server, plan, FlatConnectionCount, (round, report));
    }

    private static void Measure(string name, ServerProcess server, RequestPlan plan, int connectionCount,
        (Round Round, SuiteReport Report) to)
    {
        ServerSpec spec = server.Spec;
        to.Round.Tell($"{spec.Name}: {name}");
        ReplyCheck.Run(server.Port, plan);
        using var loop = new LoadLoop(LoadLoop.NewTransport(), server.Port, connectionCount);
        loop.RunFor(plan, Math.Min(WarmUpSeconds, to.Round.Seconds));
        long? collections = Collections(server);
        double cpu = server.CpuSeconds;
        LoadResult result = loop.RunFor(plan, to.Round.Seconds);
        cpu = server.CpuSeconds - cpu;
        SuiteReport report = to.Report;
        report.Add(name, "ops/s", spec, result.Rate);
        report.Add($"{name}, server's CPU", "µs/op", spec, cpu * 1e6 / result.OperationCount);
        report.Add($"{name}, load generator's CPU", "µs/op", spec, result.CpuMicrosecondsPerOperation);
        report.Add($"{name}, p50", "µs", spec, result.Latency.PercentileNs(0.5) / 1e3);
        report.Add($"{name}, p99", "µs", spec, result.Latency.PercentileNs(0.99) / 1e3);
        report.Add($"{name}, p99.9", "µs", spec, result.Latency.PercentileNs(0.999) / 1e3);
        if (collections is { } before && Collections(server) is { } after)
            report.Add($"{name}, garbage collections", "", spec, after - before);
    }

    private static long? Collections(ServerProcess server) =>
        long.TryParse(server.Info("cinnabar_gc_collections"), CultureInfo.InvariantCulture, out long count)
            ? count : null;
}
