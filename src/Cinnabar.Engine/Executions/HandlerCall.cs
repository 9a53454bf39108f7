using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Executions;

/// <summary>The one way to call a handler and to commit its effects, on a loop, in the slow lane, in a
/// transaction, or on behalf of a blocked client; the caller takes the locks and acts on the
/// outcome.</summary>
internal static class HandlerCall
{
    /// <summary>Calls the handler of a command in an execution that has begun.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Outcome Invoke(SessionExecution execution, CommandSpec spec)
    {
#if DEBUG
        (long changeCount, long replyBytes) = (execution.Keys.ChangeCount, execution.ReplyByteCount);
        (long valueCount, bool isWhole) = (execution.Reply.ValueCount, execution.Walk is null);
#endif
        if (!spec.HasOutcome)
        {
            Outcome done = spec.Call(execution);
#if DEBUG
            CheckReply(execution, spec, valueCount);
#endif
            return done;
        }

        KeyspaceStatistics statistics = execution.Keys.Statistics;
        (long hits, long misses) = (statistics.Hits, statistics.Misses);
        Outcome outcome = spec.Call(execution);
        // It will look its keys up again.
        if (outcome.IsOffLoop)
        {
            (statistics.Hits, statistics.Misses) = (hits, misses);
            execution.Keys.ForgetMisses();
        }

#if DEBUG
        Check(execution, outcome, execution.Keys.ChangeCount - changeCount,
            execution.ReplyByteCount - replyBytes);
        if (outcome.IsDone && isWhole)
            CheckReply(execution, spec, valueCount);
#endif
        return outcome;
    }

    /// <summary>Calls the handler of a command of a transaction or a script, under the stripes of that, and
    /// adds what it did to the effects.</summary>
    public static void InvokeNested(SessionExecution execution, CommandSpec spec)
    {
        long changeCount = execution.Keys.ChangeCount;
        execution.Effects.BeginNested();
        Outcome outcome = Invoke(execution, spec);
        execution.Effects.EndNested(execution.Arguments, changeCount, spec.IsWriting);
        Remember(execution, spec);
        Debug.Assert(outcome.IsDone, spec.Name, "a command of a transaction or a script runs to its end");
    }

    /// <summary>Notes what a command has read for a client that caches values; its stripes are
    /// held.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Remember(SessionExecution execution, CommandSpec spec)
    {
        if ((execution.Session.Flags & SessionFlags.Tracking) != 0)
            execution.Server.ReadTracking.Remember(execution, spec);
    }

    /// <summary>Commits the effects of an execution that holds its stripes: the one place where they become
    /// visible to others, and where the journal gets them. The caller then serves the clients whose keys
    /// became ready (<see cref="SessionExecution.ReadyQueues"/>) before it releases the stripes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Commit(SessionExecution execution)
    {
        // The replay would wait.
        Debug.Assert(!execution.Spec.Has(CommandFlags.Blocking) || !execution.Keys.Effects.IsRecording
            || execution.Keys.Effects.IsReplaced || execution.Keys.ChangeCount == 0,
            execution.Spec.Name, "what a blocking command did is recorded as other commands");
        if (execution.Keys.Effects.IsRecording)
        {
            execution.Keys.Effects.Commit(execution.Arguments, execution.Spec.IsWriting,
                isWhole: !execution.Spec.Has(CommandFlags.TouchesArbitraryKeys));
        }

        execution.Keys.Commit();
    }

    /// <summary>Notes what a command has read for a client that caches values, and commits its
    /// effects.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Finish(SessionExecution execution)
    {
        Remember(execution, execution.Spec);
        Commit(execution);
    }

    /// <summary>As <see cref="Finish"/>, at the end of a command in the slow lane, which may have released
    /// its stripes.</summary>
    public static void CommitOffLoop(SessionExecution execution)
    {
        if (execution.IsWithoutKeys)
        {
            execution.Keys.CommitMisses();
            return;
        }

        Finish(execution);
    }

    /// <summary>Stores a result that was built without keys if its sources are still the same; the keys are
    /// held.</summary>
    /// <returns><see cref="Outcome.Store"/> if they are not: the steps run again, with the keys.</returns>
    public static Outcome Store(SessionExecution execution)
    {
        Debug.Assert(execution.IsBuilt && execution.Place == ExecutionPlace.OnLoop, "nothing to store here");
        if (execution.AreKeptCurrent())
        {
#if DEBUG
            long valueCount = execution.Reply.ValueCount;
#endif
            execution.Steps!.Store(execution);
#if DEBUG
            CheckReply(execution, execution.Spec, valueCount);
#endif
            return Outcome.Done;
        }

        execution.Steps!.Drop();
        execution.ReleaseKeptValues();
        execution.EnterPhase(StorePhase.Holding);
        return Outcome.Store;
    }

#if DEBUG
    // A command replies one value with as many elements as it announces, unless the client gets no more. A
    // session command, which EXEC may call, replies messages, or nothing; a replica gets the stream instead,
    // and the debugger of scripts writes by itself.
    private static void CheckReply(SessionExecution execution, CommandSpec spec, long valueCount) =>
        Debug.Assert(execution.Reply.ValueCount == valueCount + 1
            || spec.Lock is LockScope.Session or LockScope.Transaction
            || (execution.Session.Flags & SessionFlags.Replica) != 0 || execution.Reply.Sink.IsOverLimit
            || execution.Session.Debugging is not null, spec.Name, "it has not replied one value");

    private static void Check(SessionExecution execution, Outcome outcome, long changeCount, long replyBytes)
    {
        if (outcome.IsDone)
            return;
        string name = $"{execution.Spec.Name}: {outcome.Kind}";
        // A waiting command may have made changes: FLUSHALL, and XREADGROUP, which makes its consumer.
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
