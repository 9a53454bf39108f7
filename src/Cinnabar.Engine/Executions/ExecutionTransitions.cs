namespace Cinnabar.Engine.Executions;

/// <summary>Which state of an execution may follow which.</summary>
internal static class ExecutionTransitions
{
    /// <summary>Returns the new state, which must be one that may follow.</summary>
    public static ExecutionState Next(ExecutionState state, ExecutionState next)
    {
        Debug.Assert(IsAllowed(state, next), $"an execution goes from {state} to {next}");
        return next;
    }

    /// <summary>Whether a state may follow another.</summary>
    internal static bool IsAllowed(ExecutionState state, ExecutionState next) => state switch
    {
        // An execution that is over is on its loop again, in the pool perhaps.
        _ when next == ExecutionState.OnLoop =>
            state is not (ExecutionState.Serving or ExecutionState.InSlowLane),
        ExecutionState.OnLoop => next is ExecutionState.WaitingForStripe or ExecutionState.Paused
            or ExecutionState.WriteHeld or ExecutionState.Blocked or ExecutionState.InSlowLane,
        ExecutionState.WaitingForStripe =>
            next is ExecutionState.Paused or ExecutionState.WriteHeld or ExecutionState.Refused,
        // By the thread that has claimed its waiter.
        ExecutionState.Blocked => next is ExecutionState.Serving or ExecutionState.Retrying
            or ExecutionState.Unblocked or ExecutionState.TimedOut or ExecutionState.RefusedForMemory,
        ExecutionState.Serving => next is ExecutionState.Blocked or ExecutionState.Completed,
        ExecutionState.Retrying => next is ExecutionState.Paused or ExecutionState.WriteHeld,
        ExecutionState.InSlowLane => next is ExecutionState.Completed or ExecutionState.Retrying,
        _ => false,
    };
}
