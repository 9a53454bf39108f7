using Cinnabar.Engine.Blocking;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Loops;

/// <summary>
/// The suspended executions of one loop: it resumes those whose time has come, refuses those whose stripes
/// are held for too long, and frees those that are left when the server ends. Idle blocked ones cost nothing.
/// Only the loop uses it.
/// </summary>
internal sealed class SuspendedExecutions(Loop loop) : IDisposable
{
    // An execution that is due while it is being served is checked again after this long.
    private const long ServedMs = 1;

    // One that must run again while clients are paused is checked again after this long.
    private const long PausedMs = 100;

    private readonly Loop _loop = loop;
    private readonly ILoopServer _server = loop.Server;
    private readonly HashSet<SessionExecution> _all = [];
    private readonly HashSet<SessionExecution> _stripeWaiters = [];
    private readonly HashSet<SessionExecution> _memoryWaiters = [];
    private readonly WaiterHeap _timed = new();

    /// <summary>When the first of those that wait for a time is due, in Unix milliseconds.</summary>
    public long WakeMs => _timed.DueMs;

    /// <summary>Whether a client waits until flushed memory is free.</summary>
    public bool HasMemoryWaiters => _memoryWaiters.Count > 0;

    /// <summary>Notes an execution that has just been suspended, perhaps for a new reason, and starts or
    /// stops reading from its session.</summary>
    public void Add(SessionExecution execution)
    {
        if (!execution.Session.IsClosed)
            _loop.Transport.SetReading(execution.Session, execution.Session.IsInputWanted);
        _all.Add(execution);
        if (execution.State == ExecutionState.WaitingForStripe)
            _stripeWaiters.Add(execution);
        else
            _stripeWaiters.Remove(execution);
        if (execution.State != ExecutionState.Blocked)
            return;
        if (execution.Waiter!.IsForMemory)
            _memoryWaiters.Add(execution);
        else
            Schedule(execution.Waiter);
    }

    /// <summary>Notes the new retry time of a waiter that was served in vain.</summary>
    public void Reschedule(Waiter waiter)
    {
        if (waiter.Execution.Waiter == waiter && waiter.HeapIndex >= 0)
            _timed.Remove(waiter);
        if (waiter.Execution.Waiter == waiter && _all.Contains(waiter.Execution))
            Schedule(waiter);
    }

    /// <summary>Forgets one that is resumed or over.</summary>
    public void Remove(SessionExecution execution)
    {
        if (!_all.Remove(execution))
            return;
        _stripeWaiters.Remove(execution);
        _memoryWaiters.Remove(execution);
        if (execution.Waiter is { } waiter)
            _timed.Remove(waiter);
    }

    /// <summary>Runs a blocked command again, to check for itself whether what it waits for is
    /// there.</summary>
    /// <returns>False if another thread is just continuing it.</returns>
    public bool Retry(Waiter waiter)
    {
        if (!waiter.TryClaim())
            return false;
        Resume(waiter.Execution, ExecutionState.Retrying);
        return true;
    }

    /// <summary>Ends a wait: its execution replies its end.</summary>
    /// <returns>False if another thread is just continuing it, or it is over.</returns>
    public bool EndWait(Waiter waiter)
    {
        if (!waiter.TryClaim())
            return false;
        _server.Waits.Remove(waiter);
        Resume(waiter.Execution, ExecutionState.TimedOut);
        return true;
    }

    /// <summary>Ends the waits of clients for keys and times: the server is a replica now. What READONLY has
    /// allowed to read goes on.</summary>
    public void EndByDemotion()
    {
        foreach (SessionExecution execution in _all)
        {
            // One that is just being served gets what it waits for.
            if (execution is not { State: ExecutionState.Blocked, Waiter: { IsBrief: false } waiter }
                || IsReadingReplica(execution) || !waiter.TryClaim())
                continue;
            waiter.IsEndedByDemotion = true;
            _server.Waits.Remove(waiter);
            Resume(execution, ExecutionState.Unblocked);
        }
    }

    /// <summary>Resumes those that have waited for their time, or for memory that is free now.</summary>
    public void EndBlocked(long nowMs)
    {
        while (_timed.DueMs <= nowMs)
            EndTimed(_timed.First, nowMs);
        if (_memoryWaiters.Count == 0 || _server.Keyspace.HasDetached)
            return;
        foreach (SessionExecution execution in _memoryWaiters)
        {
            if (!execution.Waiter!.IsWithheld)
                EndWait(execution.Waiter!);
        }

        _memoryWaiters.RemoveWhere(static execution => execution.State != ExecutionState.Blocked);
    }

    /// <summary>Refuses those that wait for a stripe which an overdue execution holds.</summary>
    public void RefuseOverdue()
    {
        foreach (SessionExecution execution in _stripeWaiters)
        {
            // A command that was blocked keeps waiting.
            if (execution.State == ExecutionState.WaitingForStripe && execution.Waiter is null
                && _server.SlowLane.Holders.IsOverdue(in execution.Stripes)
                && _server.Locks.TryWithdraw(execution))
                Resume(execution, ExecutionState.Refused);
        }
    }

    /// <summary>Waits for the executions in the slow lane, when all loops have ended.</summary>
    public void EndSlowLane()
    {
        foreach (SessionExecution execution in _all)
        {
            // The lane writes the phase last, not the state.
            if (execution.State is ExecutionState.InSlowLane or ExecutionState.Completed
                or ExecutionState.Retrying)
                _server.SlowLane.EndFor(execution);
        }
    }

    public void Dispose()
    {
        foreach (SessionExecution execution in _all)
        {
            if (execution.State is ExecutionState.InSlowLane or ExecutionState.Completed)
                execution.OwnOutput!.Discard(ref execution.Reply);
            execution.EndWait();
            // The lane may have had it when its session closed.
            _server.Sessions.Release(execution.Session);
            execution.Dispose();
        }

        _all.Clear();
    }

    private static bool IsReadingReplica(SessionExecution execution) =>
        execution.Session.IsReadOnly && execution.Spec.Has(CommandFlags.ReadOnly);

    private void Schedule(Waiter waiter)
    {
        if (waiter.HeapIndex < 0)
            waiter.DueMs = waiter.RetryMs == 0 ? waiter.UntilMs : Math.Min(waiter.UntilMs, waiter.RetryMs);
        _timed.Add(waiter);
    }

    // A waiter that cannot be claimed is being served, and may keep waiting after that.
    private void EndTimed(Waiter waiter, long nowMs)
    {
        _timed.Remove(waiter);
        bool isEnd = waiter.UntilMs <= nowMs;
        bool isPaused = !isEnd && _server.Gates.Has(ServerGates.Paused);
        if (isEnd ? EndWait(waiter) : !isPaused && Retry(waiter))
            return;
        waiter.DueMs = nowMs + (isPaused ? PausedMs : ServedMs);
        _timed.Add(waiter);
    }

    // Through the mailbox, like every resumption: the loop may be at the end of a turn.
    private void Resume(SessionExecution execution, ExecutionState state)
    {
        execution.State = state;
        _loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Resume, Target = execution });
    }
}
