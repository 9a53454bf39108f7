using System;
using System.Collections.Generic;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Lab.Runner.Stations;

namespace Cinnabar.Lab.Runner.Workloads;

/// <summary>
/// Line two's charts: six commands, each from 1, 2, 4 … 1,024 clients, sent by redis-benchmark.
///
/// Its author sent 100,000 requests at every point; a slow station would take minutes for one. Here every
/// point takes about the same time: the number of requests follows from the rate of the point before.
/// </summary>
internal sealed class SweepWorkload(LabPlan plan) : IWorkload
{
    private const int WarmUpClients = 16;
    private const double WarmUpSecondsMax = 0.7;
    private const int CountMin = 100;
    private const int CountPerClientMin = 2;
    private const double SecondsAPointMax = 20;

    /// <summary>The tests' names for redis-benchmark, and what line two calls them.</summary>
    public static IReadOnlyDictionary<string, string> Tests { get; } = new Dictionary<string, string>
    {
        ["ping_inline"] = "PING_INLINE",
        ["ping_mbulk"] = "PING_BULK",
        ["set"] = "SET",
        ["get"] = "GET",
        ["incr"] = "INCR",
        ["mset"] = "MSET",
    };

    /// <inheritdoc/>
    public string Name => "sweep";

    /// <inheritdoc/>
    public TimeSpan Limit =>
        TimeSpan.FromSeconds(600 + Tests.Count * plan.SweepClients.Count * Math.Max(SecondsAPointMax / 4,
            plan.SweepSeconds * 8));

    /// <inheritdoc/>
    public bool Takes(StationEntry station) => station.Line is "fredis" or "all"
        && station.Knows("PING", "GET", "SET", "INCR", "MSET");

    /// <inheritdoc/>
    public void Measure(RunningStation station, Run run, Action<Run> report)
    {
        var rates = new Dictionary<string, double>();
        var points = new List<Point>();
        long operations = 0;
        foreach (string test in Tests.Keys)
        {
            // A slow station must not take minutes for an uncounted warm-up.
            long tryCount = Math.Max(CountMin, plan.SweepWarmUpCount / 10);
            Point trial = RedisBenchmark.Measure(station, test, WarmUpClients, tryCount, plan);
            long warmUpCount = Math.Clamp((long)(trial.OpsPerSecond * WarmUpSecondsMax), CountMin,
                plan.SweepWarmUpCount);
            Point warmUp = RedisBenchmark.Measure(station, test, WarmUpClients, warmUpCount, plan);
            Point first = RedisBenchmark.Measure(station, test, plan.SweepClients[0], tryCount, plan);
            rates[test] = first.OpsPerSecond;
            operations += trial.Operations + warmUp.Operations + first.Operations;
        }
        foreach (int clients in plan.SweepClients)
            foreach ((string test, string command) in Tests)
            {
                long count = Math.Max((long)(rates[test] * plan.SweepSeconds),
                    Math.Max(CountMin, clients * CountPerClientMin));
                Point point = RedisBenchmark.Measure(station, test, clients, count, plan);
                rates[test] = point.OpsPerSecond;
                operations += point.Operations;
                points.Add(point with { Command = command });
                report(run with { Points = [.. points], Operations = operations });
            }
        GarbageFigures? garbage = station.Collect();
        report(run with { Points = [.. points], Operations = operations, Garbage = garbage });
    }
}
