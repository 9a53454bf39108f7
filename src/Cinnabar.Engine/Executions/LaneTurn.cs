namespace Cinnabar.Engine.Executions;

/// <summary>Where an execution stands in the slow lane: submitted, running, over; a walk may be submitted
/// again while it runs. Who begins it or takes it back is decided by one compare-and-swap.</summary>
internal struct LaneTurn
{
    private const int None = 0;
    private const int Submitted = 1;
    private const int Running = 2;
    private const int Over = 3;

    private int _phase;

    /// <summary>Whether the lane may still touch the execution.</summary>
    public readonly bool IsActive => Volatile.Read(in _phase) is Submitted or Running;

    /// <summary>It comes to the lane; on its loop.</summary>
    public void Submit()
    {
        Debug.Assert(_phase is None or Over, "an execution is in the lane once");
        _phase = Submitted;
    }

    /// <summary>It goes on after a wait between two steps; by the thread that has resumed it.</summary>
    public void SubmitAgain()
    {
        Debug.Assert(_phase == Running, "only what has begun waits between two steps");
        _phase = Submitted;
    }

    /// <summary>Begins to run it.</summary>
    /// <returns>False: it has been taken back.</returns>
    public bool TryRun()
    {
        int before = Interlocked.CompareExchange(ref _phase, Running, Submitted);
        Debug.Assert(before is Submitted or Over, "one thread runs it");
        return before == Submitted;
    }

    /// <summary>Takes it back before it runs, for the end of the server.</summary>
    /// <returns>False: it runs, or waits between two steps.</returns>
    public bool TryTakeBack() => Interlocked.CompareExchange(ref _phase, Over, Submitted) != Running;

    /// <summary>It has run.</summary>
    // ORDER: last except the message to its loop: the thread that ends the server may free the execution from
    // here on.
    public void End()
    {
        Debug.Assert(_phase == Running, "what has not begun does not end");
        Volatile.Write(ref _phase, Over);
    }
}
