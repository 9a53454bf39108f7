namespace Cinnabar.Load.Waits;

/// <summary>What a <see cref="WaitProbe"/> saw in one stretch of its run. Complete once the probe has
/// stopped.</summary>
public sealed class WaitFigures
{
    /// <summary>The waits, from when a question was due until its reply was there.</summary>
    public LatencyHistogram Waits { get; } = new();

    /// <summary>Those of the waits that a client has which asks only when it has its last answer: of the
    /// questions that were due while it waited, it would have asked none. A stall counts once in
    /// it.</summary>
    public LatencyHistogram InTurn { get; } = new();

    /// <summary>These less the time in which the probe itself stood still.</summary>
    public LatencyHistogram InTurnHeard { get; } = new();

    /// <summary>The waits less the time in which the probe itself stood still.</summary>
    public LatencyHistogram Heard { get; } = new();

    /// <summary>How much processor time the server's process took during each wait, all its threads together,
    /// and never more than the wait: what the server can have had to do with it at most. Empty where the
    /// server's process is not known.</summary>
    public LatencyHistogram Served { get; } = new();

    /// <summary>The gaps between two looks at the clock in which the probe stood still.</summary>
    public LatencyHistogram Gaps { get; } = new();

    /// <summary>How long the stretch was so far, in seconds.</summary>
    public double Seconds { get; internal set; }
}
