using System.Collections.Generic;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>One measurement: one command (or mix of them) from a number of clients.</summary>
internal sealed record Point
{
    /// <summary>The command, or <c>MIX</c>.</summary>
    public required string Command { get; init; }

    /// <summary>How many connections sent it.</summary>
    public required int Clients { get; init; }

    /// <summary>Commands answered.</summary>
    public required long Operations { get; init; }

    /// <summary>How long that took.</summary>
    public required double Seconds { get; init; }

    /// <summary>Commands a second.</summary>
    public required double OpsPerSecond { get; init; }

    /// <summary>The server's processor time a command, in microseconds.</summary>
    public required double ServerCpuUsPerOp { get; init; }

    /// <summary>Which part of its time the server's core was used by the server: above one with several.
    /// </summary>
    public required double ServerBusy { get; init; }

    /// <summary>Which part of its time the load generator's core was used by it; near one, the generator was
    /// the limit, not the server.</summary>
    public required double LoadBusy { get; init; }

    /// <summary>The share of lookups that found their key; null where it is not counted.</summary>
    public double? HitRatio { get; init; }

    /// <summary>Latency at percentiles, in microseconds: pairs of percent and duration, 100 being the
    /// maximum.</summary>
    public required IReadOnlyList<double[]> LatencyUs { get; init; }
}
