// Serving clients that wait for keys: the execution that made a key ready runs their commands, on its own
// thread and under its own locks, before it releases these. So a pushed element is gone before others can see
// it. The keys are served in the order in which they became ready, the clients of a key in the order in which
// they came; keys that serving makes ready (the target of a BLMOVE) are served after those.
//
// A served command may find nothing for it (an entry of a stream below the one it waits for): then it keeps
// waiting, at its place in its queues.

using Cinnabar.Engine.Access;
using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Observing;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Blocking;

/// <summary>Runs the commands of clients whose keys became ready.</summary>
internal sealed class Serving(KeyWaits waits, MemoryLimit memoryLimit, Observation observation, Clock clock)
{
    private readonly KeyWaits _waits = waits;
    private readonly MemoryLimit _memoryLimit = memoryLimit;
    private readonly Observation _observation = observation;
    private readonly Clock _clock = clock;

    /// <summary>Serves the waiters of the keys that an execution has made ready. It has committed its effects
    /// and holds its stripes.</summary>
    public void Serve(SessionExecution server)
    {
        List<KeyQueue> ready = server.ReadyQueues;
        // It grows meanwhile.
        for (int index = 0; index < ready.Count; index++)
        {
            ready[index].IsReady = false;
            Serve(server, ready[index]);
        }

        ready.Clear();
    }

    private void Serve(SessionExecution server, KeyQueue queue)
    {
        for (KeyPlace? place = _waits.First(queue); place is not null;)
        {
            KeyType? type = KeyWaits.TypeOf(server.Keys, queue);
            if (type is null && queue.EndingCount == 0)
                return;
            KeyPlace? next = _waits.After(place);
            // A killed client gets nothing, even if its loop has not closed it yet.
            if (place.Waiter.IsReadyFor(type) && !place.Waiter.Session.IsKilled && place.Waiter.TryClaim())
            {
                if (_memoryLimit.Refuses(place.Waiter.Execution) || IsDenied(place.Waiter))
                    Refuse(place.Waiter);
                else
                    Run(server, place.Waiter);
            }

            // The next may have left meanwhile, but its number still gives its position.
            place = next is { IsLinked: false } ? _waits.After(next) : next;
        }
    }

    private void Run(SessionExecution server, Waiter waiter)
    {
        SessionExecution execution = waiter.Execution;
        long startNs = _clock.MonotonicNanoseconds;
        execution.State = ExecutionState.Serving;
        execution.ServedBy = server;
        execution.UseOwnOutput(ReplyOutput.ServedChunkSize);
        execution.Place = ExecutionPlace.Served;
        execution.Keys.Statistics = execution.OffLoopStatistics;
        // The server's instant may lie far behind, where it was a transaction: a key may have expired since.
        long nowMs = Math.Max(server.NowMs, _clock.UnixMicroseconds / 1000);
        execution.Keys.Begin(execution.Session.Database, nowMs);
        execution.NoteInvalidations();
        Outcome outcome = HandlerCall.Invoke(execution, execution.Spec);
        HandlerCall.Finish(execution);
        execution.ServedBy = null;
        execution.ElapsedNs += _clock.MonotonicNanoseconds - startNs;
        Debug.Assert(outcome.Kind is OutcomeKind.Done or OutcomeKind.Wait, "a served command stays here");
        if (outcome.IsDone)
            End(waiter);
        else
            WaitOn(waiter);
    }

    // Its user's rules may have changed since it began to wait.
    private static bool IsDenied(Waiter waiter)
    {
        SessionExecution execution = waiter.Execution;
        return waiter.IsDenied =
            !AccessControl.Find(execution, execution.Spec, execution.Arguments).IsNone;
    }

    // By its own loop, like all refusals.
    private void Refuse(Waiter waiter)
    {
        SessionExecution execution = waiter.Execution;
        _waits.Remove(waiter);
        execution.State = ExecutionState.RefusedForMemory;
        execution.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Resume, Target = execution });
    }

    private void WaitOn(Waiter waiter)
    {
        SessionExecution execution = waiter.Execution;
        // Many may keep waiting for long: without a chunk each.
        execution.DropOwnOutput();
        execution.State = ExecutionState.Blocked;
        if (waiter.RetryMs != 0)
            execution.Loop.Run(() => execution.Loop.Reschedule(waiter));
        waiter.Release();
        // Its loop has kept back what came meanwhile.
        execution.Session.Invalidations?.Notify();
    }

    private void End(Waiter waiter)
    {
        SessionExecution execution = waiter.Execution;
        execution.IsFailed = execution.Reply.ErrorCount != 0;
        _observation.Executed(execution, execution.ElapsedNs, execution.ReplyByteCount);
        _waits.Remove(waiter);
        execution.State = ExecutionState.Completed;
        execution.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Resume, Target = execution });
    }
}
