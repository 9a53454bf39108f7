using System.Collections.Generic;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>The result of one start of one station: its raw figures, or why there are none.</summary>
internal sealed record Run
{
    /// <summary>Counted from 1.</summary>
    public required int Round { get; init; }

    /// <summary>The station's name.</summary>
    public required string Station { get; init; }

    /// <summary>The workload's name.</summary>
    public required string Workload { get; init; }

    /// <summary>Why there are no figures, or no more of them; null when all is measured.</summary>
    public string? Failure { get; init; }

    /// <summary>From the start of the process to its first answer, in milliseconds.</summary>
    public double StartMs { get; init; }

    /// <summary>How long it all took, starting and stopping included.</summary>
    public double Seconds { get; init; }

    /// <summary>The measurements.</summary>
    public IReadOnlyList<Point> Points { get; init; } = [];

    /// <summary>Memory, where the workload fills the station with keys.</summary>
    public MemoryFigures? Memory { get; init; }

    /// <summary>The collector's figures since the station's start, where it gives them.</summary>
    public GarbageFigures? Garbage { get; init; }

    /// <summary>Collections while the load ran, where the station counts them in INFO.</summary>
    public long? Collections { get; init; }

    /// <summary>Commands that the station has answered since its start, filling and warming up included: what
    /// the collector's figures are to be divided by.</summary>
    public long Operations { get; init; }
}
