using Cinnabar.Engine.Access;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;
using Cinnabar.Security.Logging;

namespace Cinnabar.Engine.Loops;

/// <summary>Resumes suspended executions when their wait is over: for a stripe, the slow lane, a time, a
/// key.</summary>
internal sealed class ExecutionResumption
{
    private const long UsPerMs = 1000;

    private readonly ILoopServer _server;
    private readonly CommandRunner _runner;
    private readonly CommandGate _gate;
    private readonly CommandAdmission _admission;
    private readonly LockProtocol _locks;

    public ExecutionResumption(ILoopServer server, CommandRunner runner, CommandGate gate)
    {
        _server = server;
        _runner = runner;
        _gate = gate;
        _admission = runner.Admission;
        _locks = server.Locks;
    }

    /// <summary>Resumes a suspended execution.</summary>
    /// <returns>True if it has ended; then the session's waiting input is scanned.</returns>
    public bool Resume(ref TurnInput input)
    {
        SessionExecution execution = input.Resumed!;
        input.Resumed = null;
        Session session = execution.Session;
        // It was killed in this turn: its command must not take effect.
        if (session.IsKilled)
            _runner.Closing.Close(session);
        // Before anything is decided: this may send earlier replies of the session's, and find its peer gone.
        if (!session.IsClosed)
            _runner.Output.Switch(session);
        bool isOver = execution.State switch
        {
            ExecutionState.Completed => Complete(execution),
            ExecutionState.Paused or ExecutionState.WriteHeld => Run(execution, _gate.Execute),
            ExecutionState.Unblocked when IsDemoted(execution) => Run(execution, EndWaitAndRedirect),
            ExecutionState.TimedOut or ExecutionState.Unblocked => Run(execution, EndBlocking),
            ExecutionState.Retrying when IsHeld(execution) => Hold(execution),
            ExecutionState.Retrying => Run(execution, RunAgain),
            ExecutionState.Refused => Run(execution, Refuse),
            ExecutionState.RefusedForMemory => Run(execution, RefuseForMemory),
            _ => RetryLocked(execution),
        };
        if (!isOver || session.IsClosed)
        {
            input.IsDone = true;
            return false;
        }

        session.Suspended = null;
        _runner.Invalidations.EndCommand(session);
        if (!_runner.EndCommand(session))
        {
            input.IsDone = true;
            return false;
        }

        input.IsPartial = session.Partial is not null;
        if (!session.IsReadingStopped)
            execution.Loop.SetReading(session, true);
        return true;
    }

    private bool Complete(SessionExecution execution)
    {
        Session session = execution.Session;
        bool hasDebugged = session.Debugging is { IsActive: true } && !session.IsClosed;
        if (hasDebugged)
            session.ChangeFlags(SessionFlags.CloseAfterReply, SessionFlags.None);
        _server.SlowLane.Collect(execution);
        bool isMuted = (session.Flags & SessionFlags.Unanswered) != 0;
        session.ChangeFlags(SessionFlags.None, SessionFlags.SkipReply);
        if (session.IsClosed || isMuted)
        {
            execution.OwnOutput!.Discard(ref execution.Reply);
        }
        else
        {
            _runner.Invalidations.Show(session, execution.InvalidationPosition);
            _runner.Output.Append(session, execution.OwnOutput!, ref execution.Reply);
        }


        // Perhaps only now: its peer had gone when earlier replies were sent, or this one is over its limit.
        if (session.IsClosed)
            _server.Sessions.Release(session);
        foreach (NestedCall call in execution.NestedCalls)
            _runner.Timer.RecordNested(in call);
        execution.NestedCalls.Clear();
        _runner.Timer.RecordNested(execution.Spec, execution.ElapsedNs, execution.IsFailed);
        _runner.Executions.Recycle(execution);
        if (hasDebugged && isMuted)
        {
            // The execution is in the pool again: closing must not end it.
            session.Suspended = null;
            _runner.Closing.Close(session);
        }

        return true;
    }

    private bool RetryLocked(SessionExecution execution)
    {
        if (!_locks.TryEnterOrWait(execution))
            return false;
        if (!execution.IsAbandoned && !IsHeld(execution))
            return Run(execution, IsTooLate(execution) ? RefuseTooLate : RunHolding);
        _locks.Exit(execution);
        return execution.IsAbandoned ? Run(execution, RunHolding) : Hold(execution);
    }

    // An execution that was admitted before a pause and has not begun, or has not stored what it has built:
    // the client that pauses the writers must see no write after that. One that waited for keys is not held.
    private bool IsHeld(SessionExecution execution) => execution.Waiter is null && !execution.IsAbandoned
        && (IsPaused(execution) || _server.WriteHold.Holds(execution));

    private bool IsPaused(SessionExecution execution) => _server.Gates.Has(ServerGates.Paused)
        && _server.Pause.Holds(execution, _server.Clock.UnixMicroseconds / UsPerMs);

    // What has ended since it was looked at resumes the execution at once.
    private bool Hold(SessionExecution execution)
    {
        if (IsPaused(execution))
        {
            _runner.Executions.Suspend(execution, ExecutionState.Paused);
            _server.Pause.Hold(execution);
        }
        else
        {
            _runner.Executions.Suspend(execution, ExecutionState.WriteHeld);
            _server.WriteHold.Hold(execution);
        }

        return false;
    }

    /// <summary>Makes a suspended execution the loop's own and runs it, unless its session has
    /// closed.</summary>
    private bool Run(SessionExecution execution, Func<SessionExecution, bool> run)
    {
        if (execution.IsAbandoned)
        {
            // The lane may have had it when its session closed, whatever it is now: a result to store, or a
            // wait for data that expired before the lane ran it. A second release does nothing.
            _server.Sessions.Release(execution.Session);
            _runner.Executions.Recycle(execution);
            return true;
        }

        _server.SlowLane.Collect(execution);
        _runner.Executions.MakeCurrent(execution);
        _runner.Output.Switch(execution.Session);
        execution.State = ExecutionState.OnLoop;
        _runner.BeginResumed(execution.Session);
        if (execution.IsBuilt)
            _runner.Timer.Credit(execution.ElapsedNs);
        else
            execution.EndSteps();
        bool isOver = run(execution);
        _runner.Timer.Settle();
        return isOver && End(execution);
    }

    private bool RunAgain(SessionExecution execution) => _gate.RunSuspended(execution, RunRetried);

    private bool RunRetried(SessionExecution execution)
    {
        return _server.Gates.Has(ServerGates.MemoryNear) && _admission.LacksRoom(execution)
            ? EndRefused(execution) : _runner.RunPlanned(execution);
    }

    private bool RefuseForMemory(SessionExecution execution) => _gate.RunSuspended(execution, EndRefused);

    private bool EndRefused(SessionExecution execution)
    {
        bool isDenied = execution.Waiter is { IsDenied: true };
        execution.EndWait();
        if (!isDenied)
            return _admission.RefuseForMemory(execution);
        AccessDenial denial = AccessControl.Find(execution, execution.Spec, execution.Arguments);
        // Its user may have been given the right back: the wait is over all the same.
        return _admission.RefuseDenied(
            execution, denial.IsNone ? new AccessDenial(DenialReason.Command, 0) : denial);
    }

    private bool RunHolding(SessionExecution execution) => _gate.RunSuspended(execution, _runner.RunLocked);

    // The server has become a replica while a command that writes waited for its stripes.
    private bool IsTooLate(SessionExecution execution) => _server.Gates.Has(ServerGates.ReplicaReadOnly)
        && execution.Waiter is null && CommandReach.Has(execution, CommandFlags.Write);

    private bool RefuseTooLate(SessionExecution execution)
    {
        _locks.Exit(execution);
        return _admission.MustRedirect(execution)
            ? _gate.Execute(execution) : _gate.RunSuspended(execution, _admission.RefuseReadOnly);
    }

    private static bool IsDemoted(SessionExecution execution) =>
        execution.Waiter is { IsEndedByDemotion: true } && execution.Session.FollowsRedirections;

    // As if it came now: while a failover is under way it is held, and runs again where that fails, which it
    // may have done already.
    private bool EndWaitAndRedirect(SessionExecution execution)
    {
        execution.EndWait();
        return _gate.Execute(execution);
    }

    private bool Refuse(SessionExecution execution) => _gate.RunSuspended(execution, _admission.RefuseBusy);

    private bool EndBlocking(SessionExecution execution) => _gate.RunSuspended(execution, blocked =>
    {
        Waiter waiter = blocked.Waiter!;
        int errorCount = blocked.Reply.ErrorCount;
        if (waiter.IsEndedByDemotion)
        {
            blocked.Reply.Error("UNBLOCKED force unblock from blocking operation, instance state changed "u8
                + "(master -> replica?)"u8);
            blocked.Session.ChangeFlags(SessionFlags.CloseAfterReply, SessionFlags.None);
        }
        else if (waiter.IsUnblockedByError)
            blocked.Reply.Error("UNBLOCKED client unblocked via CLIENT UNBLOCK"u8);
        else
            waiter.TimedOut(blocked);
        bool isFailed = blocked.Reply.ErrorCount != errorCount;
        if (!waiter.IsCounted)
            _runner.Timer.RecordNested(blocked.Spec, blocked.ElapsedNs, isFailed);
        blocked.EndWait();
        return true;
    });

    private static bool End(SessionExecution execution)
    {
        execution.State = ExecutionState.OnLoop;
        execution.EndSteps();
        execution.ReleaseOwned();
        return true;
    }
}
