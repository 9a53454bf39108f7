using System;
using System.Collections.Generic;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>
/// The executions of one loop that are suspended, whatever they wait for: those whose time has come are
/// resumed, those whose stripes are held for too long refused, and those that are left when the server ends
/// give their memory back. Only the loop uses it.
/// </summary>
internal sealed class SuspendedExecutions : IDisposable
{
    private readonly Loop _loop;
    private readonly HashSet<SessionExecution> _all = [];
    private bool _isMemoryAwaited;

    /// <summary>Makes it, with none suspended.</summary>
    public SuspendedExecutions(Loop loop) => _loop = loop;

    /// <summary>When the first of those that wait for a time is due, at the earliest, in Unix
    /// milliseconds.</summary>
    public long WakeMs { get; private set; } = long.MaxValue;

    /// <summary>Notes an execution that has just been suspended, for another reason perhaps than
    /// before.</summary>
    public void Add(SessionExecution execution)
    {
        _all.Add(execution);
        if (execution.Session.IsInputEnded && execution.IsBlockedForPeer)
            EndLater(execution.Session);
        if (execution.State != ExecutionState.Blocked)
            return;
        if (execution.IsWaitingForMemory)
            _isMemoryAwaited = true;
        else
            WakeMs = Math.Min(WakeMs, execution.BlockedUntilMs);
    }

    /// <summary>Forgets one that goes on, or is over.</summary>
    public void Remove(SessionExecution execution) => _all.Remove(execution);

    /// <summary>Resumes those that have waited for their time, or for memory that is free now.</summary>
    public void EndBlocked(long nowMs)
    {
        bool isMemoryFree = _isMemoryAwaited && !_loop.Engine.Keyspace.HasDetached;
        if (nowMs < WakeMs && !isMemoryFree)
            return;
        _isMemoryAwaited &= !isMemoryFree;
        WakeMs = long.MaxValue;
        foreach (SessionExecution execution in _all)
        {
            if (execution.State != ExecutionState.Blocked)
                continue;
            if (execution.IsWaitingForMemory ? isMemoryFree : execution.BlockedUntilMs <= nowMs)
                Resume(execution, ExecutionState.TimedOut);
            else if (!execution.IsWaitingForMemory)
                WakeMs = Math.Min(WakeMs, execution.BlockedUntilMs);
        }
    }

    /// <summary>Refuses those that wait for a stripe which an overdue execution holds.</summary>
    public void RefuseOverdue()
    {
        ServerEngine engine = _loop.Engine;
        foreach (SessionExecution execution in _all)
        {
            if (execution.State == ExecutionState.WaitingForStripe
                && engine.SlowLane.IsOverdue(in execution.Stripes) && engine.Locks.TryWithdraw(execution))
                Resume(execution, ExecutionState.Refused);
        }
    }

    /// <summary>Waits for what runs in the slow lane, when all loops have ended.</summary>
    public void EndSlowLane()
    {
        foreach (SessionExecution execution in _all)
        {
            if (execution.State is ExecutionState.InSlowLane or ExecutionState.Completed)
                _loop.Engine.SlowLane.EndFor(execution);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (SessionExecution execution in _all)
        {
            if (execution.State is ExecutionState.InSlowLane or ExecutionState.Completed)
            {
                execution.OwnOutput!.Discard(ref execution.Reply);
                _loop.Engine.Sessions.Release(execution.Session);
            }

            execution.Dispose();
        }

        _all.Clear();
    }

    // What has just been executed is still being seen to.
    private void EndLater(Session session) => _loop.Run(() => _loop.InputEnded(session));

    // Through the mailbox, as every resumption: the loop may be at the end of a turn.
    private void Resume(SessionExecution execution, ExecutionState state)
    {
        execution.State = state;
        _loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Resume, Target = execution });
    }
}
