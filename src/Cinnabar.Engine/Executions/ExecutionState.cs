namespace Cinnabar.Engine.Executions;

/// <summary>Where an execution stands.</summary>
internal enum ExecutionState : byte
{
    /// <summary>The loop runs it, on arguments in its input.</summary>
    OnLoop,

    /// <summary>Suspended: waits for a stripe.</summary>
    WaitingForStripe,

    /// <summary>Suspended: waits for CLIENT PAUSE to end.</summary>
    Paused,

    /// <summary>Suspended: another thread runs it, with its locks.</summary>
    InSlowLane,

    /// <summary>Suspended: the slow lane has finished it; its reply waits.</summary>
    Completed,
}
