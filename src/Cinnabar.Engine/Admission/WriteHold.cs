// What is written to disk behind a command (a snapshot's pre-images, the journal) is bounded. At the bound
// the commands that write wait, suspended as CLIENT PAUSE WRITE suspends them, until the disk has caught up;
// reads go on. A command that runs when the gate shuts ends: the bound is exceeded by one command of a loop.
//
// A client that sends writes and leaves is served to its end, as one whose command waits for a lock is: it
// cannot know that the disk is slow. So these executions have a state of their own.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;

namespace Cinnabar.Engine.Admission;

/// <summary>Holds commands that write while a disk does not keep up with them. Thread-safe.</summary>
/// <param name="gates">The server's gates, of which it has one.</param>
/// <param name="notifyLoops">Wakes all loops.</param>
internal sealed class WriteHold(GateSet gates, Action notifyLoops)
{
    private readonly GateSet _gates = gates;
    private readonly Action _notifyLoops = notifyLoops;
    private readonly Lock _lock = new();
    private readonly List<SessionExecution> _held = [];
    private volatile WriteHoldReason _reasons;

    /// <summary>Holds writes for one more reason, or again for the same.</summary>
    public void Begin(WriteHoldReason reason)
    {
        Debug.Assert(BitOperations.IsPow2((int)reason), "one reason at a time");
        lock (_lock)
        {
            _reasons |= reason;
            _gates.Set(ServerGates.WritesHeld, true);
        }
    }

    /// <summary>Ends a reason, if it holds writes; with the last one the held executions go on.</summary>
    public void End(WriteHoldReason reason)
    {
        Debug.Assert(BitOperations.IsPow2((int)reason), "one reason at a time");
        lock (_lock)
        {
            if ((_reasons & reason) == 0)
                return;
            _reasons &= ~reason;
            if (_reasons != WriteHoldReason.None)
                return;
            _gates.Set(ServerGates.WritesHeld, false);
            foreach (SessionExecution execution in _held)
                Resume(execution);
            _held.Clear();
        }

        // The loops now remove keys whose deadline has passed meanwhile.
        _notifyLoops();
    }

    /// <summary>Whether a command must wait: one that may write, alone or as a transaction. FLUSHALL does not
    /// wait for a snapshot, which it gives up.</summary>
    public bool Holds(SessionExecution execution) =>
        _gates.Has(ServerGates.WritesHeld)
        && CommandReach.Has(execution, CommandFlags.Write | CommandFlags.RunsScript)
        && !(execution.Spec.Id == CommandId.Flushall && _reasons == WriteHoldReason.Snapshot);

    /// <summary>Keeps a suspended execution until writes are no longer held.</summary>
    public void Hold(SessionExecution execution)
    {
        Debug.Assert(execution.State == ExecutionState.WriteHeld, "the execution was suspended otherwise");
        lock (_lock)
        {
            if (_reasons != WriteHoldReason.None)
                _held.Add(execution);
            else
                Resume(execution);
        }
    }

    /// <summary>Forgets a held execution whose session has gone.</summary>
    /// <returns>False if it is not held: it is being resumed already, or waits for something else.</returns>
    public bool TryForget(SessionExecution execution)
    {
        if (execution.State != ExecutionState.WriteHeld)
            return false;
        lock (_lock)
            return _held.Remove(execution);
    }

    private static void Resume(SessionExecution execution) =>
        execution.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Resume, Target = execution });
}
