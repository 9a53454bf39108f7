using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cinnabar.Commands;
using Cinnabar.Engine.Specs;
using Cinnabar.Keyspace;

namespace Cinnabar.Engine.Executions;

/// <summary>The one way to call a handler and to commit what it did, on a loop, in the slow lane, in a
/// transaction, or on behalf of a blocked client; the caller sees to locks and to what the outcome asks
/// for.</summary>
internal static class HandlerCall
{
    /// <summary>Calls the handler of a command in an execution that has begun.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Outcome Invoke(SessionExecution execution, CommandSpec spec)
    {
        if (!spec.HasOutcome)
            return spec.Call(execution);
#if DEBUG
        (long changeCount, long replyBytes) = (execution.Keys.ChangeCount, execution.ReplyByteCount);
#endif
        KeyspaceStatistics statistics = execution.Keys.Statistics;
        (long hits, long misses) = (statistics.Hits, statistics.Misses);
        Outcome outcome = spec.Call(execution);
        // It will look its keys up again.
        if (outcome.IsOffLoop)
            (statistics.Hits, statistics.Misses) = (hits, misses);
#if DEBUG
        Check(execution, outcome, execution.Keys.ChangeCount - changeCount,
            execution.ReplyByteCount - replyBytes);
#endif
        return outcome;
    }

    /// <summary>Commits what an execution has done; it holds its stripes. The one place where effects become
    /// other clients', and where a journal will number them. Clients whose keys became ready
    /// (<see cref="SessionExecution.ReadyQueues"/>) are to be served before the stripes are
    /// released.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Commit(SessionExecution execution) => execution.Keys.Commit();

    /// <summary>Stores what has been built without keys if its sources are still the same; the keys are
    /// held.</summary>
    /// <returns><see cref="Outcome.Store"/> where they are not: the steps are made again, with the
    /// keys.</returns>
    public static Outcome Store(SessionExecution execution)
    {
        Debug.Assert(execution.IsBuilt && execution.Place == ExecutionPlace.OnLoop, "nothing to store here");
        if (execution.AreKeptCurrent())
        {
            execution.Steps!.Store(execution);
            return Outcome.Done;
        }

        execution.Steps!.Drop();
        execution.ReleaseKeptValues();
        execution.EnterPhase(StorePhase.Holding);
        return Outcome.Store;
    }

#if DEBUG
    private static void Check(SessionExecution execution, Outcome outcome, long changeCount, long replyBytes)
    {
        if (outcome.IsDone)
            return;
        string name = $"{execution.Spec.Name}: {outcome.Kind}";
        // What waits may have changed something before: FLUSHALL, XREADGROUP, which makes its consumer.
        Debug.Assert(changeCount == 0 || outcome.Kind == OutcomeKind.Wait, name, "it has changed something");
        Debug.Assert(replyBytes == 0 || outcome.Kind == OutcomeKind.NextStripe, name, "it has replied");
        Debug.Assert(outcome.Kind switch
        {
            OutcomeKind.OffLoop => execution.Place == ExecutionPlace.OnLoop,
            OutcomeKind.NextStripe => execution.Place == ExecutionPlace.OffLoop,
            OutcomeKind.Wait => execution.Place != ExecutionPlace.Nested,
            _ => execution.Place <= ExecutionPlace.OffLoop,
        }, name, "not at this place");
    }
#endif
}
