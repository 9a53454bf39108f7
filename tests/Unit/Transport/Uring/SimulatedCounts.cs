namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>How often a simulated kernel has met what its tests are for.</summary>
internal sealed class SimulatedCounts
{
    /// <summary>Receives that found no buffer.</summary>
    public int NoBuffers { get; set; }

    /// <summary>Completions that found their ring full.</summary>
    public int Overflows { get; set; }

    /// <summary>Receives that were canceled.</summary>
    public int CanceledReceives { get; set; }

    /// <summary>Receives that have not seen the end of their connection.</summary>
    public int MissedEnds { get; set; }

    /// <summary>Connections that another ring received from before.</summary>
    public int Moves { get; set; }

    /// <summary>Messages to other rings that failed.</summary>
    public int FailedMessages { get; set; }

    /// <summary>Events that loops have signaled.</summary>
    public int LoopSignals { get; set; }
}
