using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>One number of one run.</summary>
/// <param name="Command">The command; empty where it belongs to the whole run.</param>
/// <param name="Clients">The number of connections; 0 where it belongs to the whole run.</param>
/// <param name="Measure">Its name, which ends with its unit.</param>
/// <param name="Value">The number.</param>
internal sealed record Figure(string Command, int Clients, string Measure, double Value)
{
    private const double Million = 1e6;

    /// <summary>Every number of a run.</summary>
    public static IEnumerable<Figure> Of(Run run) => run.Points.SelectMany(Of).Concat(OfWhole(run));

    /// <summary>Latency at a percentile, in microseconds; null where it was not measured.</summary>
    public static double? LatencyUs(Point point, double percent) => point.LatencyUs
        .FirstOrDefault(pair => pair[0] == percent)?[1];

    private static IEnumerable<Figure> Of(Point point)
    {
        yield return new(point.Command, point.Clients, "opsPerSecond", point.OpsPerSecond);
        yield return new(point.Command, point.Clients, "serverCpuUsPerOp", point.ServerCpuUsPerOp);
        if (point.ServerCpuUsPerOp > 0)
            yield return new(point.Command, point.Clients, "opsPerCpuSecond",
                Million / point.ServerCpuUsPerOp);
        yield return new(point.Command, point.Clients, "serverBusy", point.ServerBusy);
        yield return new(point.Command, point.Clients, "loadBusy", point.LoadBusy);
        if (point.HitRatio is { } hits) yield return new(point.Command, point.Clients, "hitRatio", hits);
        foreach ((double percent, string name) in new[]
            { (50, "p50Us"), (95, "p95Us"), (99, "p99Us"), (99.9, "p999Us"), (100, "maxUs") })
            if (LatencyUs(point, percent) is { } us) yield return new(point.Command, point.Clients, name, us);
    }

    private static IEnumerable<Figure> OfWhole(Run run)
    {
        if (run.Failure is null) yield return new("", 0, "startMs", run.StartMs);
        if (run.Memory is { KeyCount: > 0 } memory)
        {
            yield return Bytes("filledBytesPerKey", memory.FilledBytes, memory);
            yield return Bytes("loadedBytesPerKey", memory.LoadedBytes, memory);
            if (memory.CollectedBytes is { } collected)
                yield return Bytes("collectedBytesPerKey", collected, memory);
        }
        double millions = run.Operations / Million;
        if (run.Garbage is { } garbage && millions > 0)
        {
            yield return new("", 0, "collectionsPerMillionOps", garbage.Gen0 / millions);
            yield return new("", 0, "fullCollectionsPerMillionOps", garbage.Gen2 / millions);
            yield return new("", 0, "pauseMsPerMillionOps", garbage.PauseMs / millions);
        }
        double counted = run.Points.Sum(point => point.Operations) / Million;
        if (run.Collections is { } collections && counted > 0)
            yield return new("", 0, "collectionsPerMillionOps", collections / counted);
    }

    private static Figure Bytes(string measure, long bytes, MemoryFigures memory) =>
        new("", 0, measure, (bytes - memory.EmptyBytes) / (double)memory.KeyCount);
}
