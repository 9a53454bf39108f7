namespace Cinnabar.Load.Waits;

/// <summary>What a <see cref="WaitProbe"/> measured in one stretch of its run. Complete once the probe has
/// stopped.</summary>
public sealed class WaitFigures
{
    /// <summary>The waits, from when a question was due until its reply arrived.</summary>
    public LatencyHistogram Waits { get; } = new();

    /// <summary>The waits of a client that asks only after its last answer. It sees a stall
    /// once.</summary>
    public LatencyHistogram InTurn { get; } = new();

    /// <summary>The gaps between two readings of the clock in which the probe itself did not run.</summary>
    public LatencyHistogram Gaps { get; } = new();

    /// <summary>Length of the stretch so far, in seconds.</summary>
    public double Seconds { get; internal set; }
}
