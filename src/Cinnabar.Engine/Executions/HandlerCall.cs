using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cinnabar.Commands;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Executions;

/// <summary>The one place that calls handlers, and holds them to what their outcome says.</summary>
internal static class HandlerCall
{
    /// <summary>Calls the handler of a command in an execution that has begun.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Outcome Invoke(SessionExecution execution, CommandSpec spec)
    {
#if DEBUG
        (long changeCount, long replyBytes) = (execution.Keys.ChangeCount, execution.ReplyByteCount);
#endif
        Outcome outcome = spec.Call(execution);
#if DEBUG
        Check(execution, outcome, execution.Keys.ChangeCount - changeCount,
            execution.ReplyByteCount - replyBytes);
#endif
        return outcome;
    }

#if DEBUG
    private static void Check(SessionExecution execution, Outcome outcome, long changeCount, long replyBytes)
    {
        if (outcome.IsDone)
            return;
        string name = $"{execution.Spec.Name}: {outcome.Kind}";
        Debug.Assert(!execution.IsWaitDenied, name, "in a transaction a command runs to its end");
        // FLUSHALL waits behind its change.
        bool isBehindChange = outcome.Kind == OutcomeKind.Wait && execution.Waiter!.IsForMemory;
        Debug.Assert(changeCount == 0 || isBehindChange, name, "it has changed something");
        Debug.Assert(replyBytes == 0 || outcome.Kind == OutcomeKind.NextStripe, name, "it has replied");
        bool isOnLoop = execution.State == ExecutionState.OnLoop;
        Debug.Assert(!outcome.IsOffLoop || isOnLoop, name, "it has left its loop before");
        Debug.Assert(outcome.Kind != OutcomeKind.NextStripe || !isOnLoop, name, "a walk is off the loop");
    }
#endif
}
