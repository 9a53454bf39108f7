using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Lab.Runner.Stations;
using Cinnabar.Load;
using Cinnabar.Load.Requests;

namespace Cinnabar.Lab.Runner.Workloads;

/// <summary>
/// Line one's workload: one SET to ten GETs, 30 deep from 128 connections, values of 256 bytes.
///
/// Its author's keys were at random out of ten million that all start absent, so nearly every GET missed;
/// that is
/// <c>missing</c>. In <c>present</c> every key is set before, so every GET finds its value, and what the
/// process has grown by is the keys' memory.
/// </summary>
internal sealed class MixWorkload(LabPlan plan, bool isPresent) : IWorkload
{
    private const double StallSecondsMax = 60;
    private static readonly double[] s_percents =
        [25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99];

    /// <inheritdoc/>
    public string Name => isPresent ? "present" : "missing";

    /// <inheritdoc/>
    public TimeSpan Limit => TimeSpan.FromSeconds(600 + 5 * (plan.MixSeconds + plan.WarmUpSeconds)
        + plan.PresentKeyCount / 1000.0);

    /// <inheritdoc/>
    public bool Takes(StationEntry station) => station.Knows("GET", "SET");

    /// <inheritdoc/>
    public void Measure(RunningStation station, Run run, Action<Run> report)
    {
        LoadOptions options = Options(station.Port, (ulong)run.Round);
        long emptyBytes = station.ResidentBytes;
        long filled = isPresent ? LoadGenerator.Populate(options).RequestCount : 0;
        long filledBytes = station.ResidentBytes;
        using var generator = new LoadGenerator(options);
        long warm = plan.WarmUpSeconds > 0 ? generator.Run(plan.WarmUpSeconds).RequestCount : 0;
        long? collections = station.Collections();
        (LoadResult result, double cpu, double seconds) = Load(station, generator);
        if (result.ErrorCount > 0) throw new LabException($"it answered errors: {result.FirstError}");
        run = run with
        {
            Points = [PointOf(result, cpu, seconds)],
            Collections = station.Collections() - collections,
            Operations = filled + warm + result.RequestCount,
        };
        report(run);
        long loadedBytes = station.ResidentBytes;
        run = run with { Garbage = station.Collect() };
        bool canCollect = station.Entry.Collect is not null || station.Entry.Purge.Count > 0;
        if (isPresent)
            run = run with
            {
                Memory = new MemoryFigures
                {
                    KeyCount = filled,
                    EmptyBytes = emptyBytes,
                    FilledBytes = filledBytes,
                    LoadedBytes = loadedBytes,
                    CollectedBytes = canCollect ? station.ResidentBytes : null,
                },
            };
        report(run);
    }

    // In a short time on a busy machine a station may answer nothing: then the load runs once more. A station
    // that never answers is given up.
    private static (LoadResult Result, double CpuSeconds, double Seconds) Load(RunningStation station,
        LoadGenerator generator)
    {
        while (true)
        {
            double cpu = station.CpuSeconds;
            long start = Stopwatch.GetTimestamp();
            LoadResult result = generator.Run();
            double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            if (result.RequestCount > 0) return (result, station.CpuSeconds - cpu, seconds);
        }
    }

    private LoadOptions Options(int port, ulong seed) => new()
    {
        Server = new ServerAddress(Port: port),
        ClientCount = plan.MixClients,
        Depth = plan.MixDepth,
        Keys = new KeySpace { Maximum = (isPresent ? plan.PresentKeyCount : plan.MissingKeyCount) - 1 },
        Data = DataSizes.Fixed(plan.MixValueSize),
        Seconds = plan.MixSeconds,
        Seed = seed,
        Cores = plan.LoadCore is { } core ? [core] : [],
        StallSecondsMax = StallSecondsMax,
    };

    private Point PointOf(LoadResult result, double cpuSeconds, double seconds)
    {
        long gets = result.Commands.Where(command => command.Name == "GET")
            .Sum(command => command.Latency.Count);
        return new Point
        {
            Command = "MIX",
            Clients = plan.MixClients,
            Operations = result.RequestCount,
            Seconds = result.Seconds,
            OpsPerSecond = result.Rate,
            ServerCpuUsPerOp = cpuSeconds * 1e6 / result.RequestCount,
            ServerBusy = cpuSeconds / seconds,
            LoadBusy = result.BusyShare,
            HitRatio = gets == 0 ? null : 1 - result.MissingCount / (double)gets,
            LatencyUs = Percentiles(result.Latency),
        };
    }

    private static List<double[]> Percentiles(LatencyHistogram latency) =>
    [
        .. s_percents.Select(percent => (double[])[percent, latency.PercentileNs(percent / 100) / 1e3]),
        [100, latency.MaxNs / 1e3],
    ];
}
