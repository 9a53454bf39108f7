namespace Cinnabar.Engine.Executions;

internal enum ExecutionState : byte
{
    /// <summary>The loop runs it, on arguments in its input.</summary>
    OnLoop,

    /// <summary>Suspended: waits for a stripe.</summary>
    WaitingForStripe,

    /// <summary>Suspended: waits for CLIENT PAUSE to end.</summary>
    Paused,

    /// <summary>Suspended: waits until a disk has caught up with the commands that write.</summary>
    WriteHeld,

    /// <summary>Suspended: waits for a key (BLPOP) or a time (WAIT). It belongs to the thread that claims
    /// its waiter.</summary>
    Blocked,

    /// <summary>Suspended: the execution that made its key ready runs it, on another thread
    /// perhaps.</summary>
    Serving,

    /// <summary>Suspended: its command runs again, to check for itself whether what it waits for is
    /// there.</summary>
    Retrying,

    /// <summary>Suspended: CLIENT UNBLOCK has ended its waiting; its resumption is under way.</summary>
    Unblocked,

    /// <summary>Suspended: that time has come; its resumption is under way.</summary>
    TimedOut,

    /// <summary>Suspended: its stripes have been held for too long; its refusal is under way.</summary>
    Refused,

    /// <summary>Its key became ready, but memory is at its limit: its refusal is under way.</summary>
    RefusedForMemory,

    /// <summary>Suspended: another thread runs it, with its locks.</summary>
    InSlowLane,

    /// <summary>Suspended: the slow lane has finished it; its reply waits.</summary>
    Completed,
}
