// Executing what is not on the shortest path (BatchRunner): commands that the gate has to look at, that need
// more stripes than one or wait for one, that suspend and are resumed.
//
// Time is read once per run of constant-cost commands, not once per command: their statistics are shares of
// the run. Commands of linear cost, and all commands while a threshold below a millisecond is set, are timed
// one by one.

using System;
using System.Collections.Generic;
using Cinnabar.Commands;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Server;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Keyspace;
using Cinnabar.Resp;

namespace Cinnabar.Engine.Loops;

/// <summary>Executes, suspends and resumes the commands of a loop.</summary>
internal sealed unsafe class CommandRunner : IDisposable
{
    private const int PooledExecutionCountMax = 64;

    private readonly Loop _loop;
    private readonly ServerEngine _engine;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly LockProtocol _locks;
    private readonly CommandGate _gate;
    private readonly CommandTimer _timer;
    private readonly Stack<SessionExecution> _pool = new();
    private ulong _seedNext;

    /// <summary>Makes the runner of a loop.</summary>
    public CommandRunner(Loop loop)
    {
        _loop = loop;
        _engine = loop.Engine;
        _keyspace = _engine.Keyspace;
        _locks = _engine.Locks;
        _seedNext = _engine.RandomSeedOf(loop.Index);
        _gate = new CommandGate(loop, this);
        _timer = new CommandTimer(loop);
        Suspended = new SuspendedExecutions(loop);
        Output = new SessionOutput(loop, this);
        Current = new SessionExecution(loop, _seedNext++) { Reply = Output.MakeWriter() };
    }

    /// <summary>The execution that commands run in; its writer fills the loop's output.</summary>
    public SessionExecution Current { get; private set; }

    /// <summary>The executions that the loop's sessions wait for.</summary>
    public SuspendedExecutions Suspended { get; }

    /// <summary>The loop's output.</summary>
    public SessionOutput Output { get; }

    /// <summary>Measures the commands.</summary>
    internal CommandTimer Timer => _timer;

    /// <summary>The time of the turn, Unix milliseconds.</summary>
    public long NowMs { get; private set; }

    /// <summary>Reads the clocks for a turn.</summary>
    public void BeginTurn()
    {
        NowMs = _engine.Clock.UnixMicroseconds / 1000;
        Current.StringLengthMax = _engine.Settings.BulkLengthMax;
    }

    /// <summary>Reads the clocks for a batch.</summary>
    public void BeginBatch()
    {
        NowMs = _engine.Clock.UnixMicroseconds / 1000;
        _timer.Begin(Output.Session);
    }

    /// <summary>Ends a turn.</summary>
    public void EndTurn() => _loop.Statistics.TurnCount++;

    /// <summary>Goes on with a suspended execution.</summary>
    /// <returns>True where it has ended and the session's waiting input is to be scanned.</returns>
    public bool Resume(ref TurnInput input)
    {
        SessionExecution execution = input.Resumed!;
        input.Resumed = null;
        Session session = execution.Session;
        // Before anything is decided: this may send earlier replies of the session's, and find its peer gone.
        if (!session.IsClosed)
            Output.Switch(session);
        bool isOver = execution.State switch
        {
            ExecutionState.Completed => Complete(execution),
            ExecutionState.Paused => GoOn(execution, _gate.Execute),
            ExecutionState.TimedOut => GoOn(execution, EndBlocking),
            ExecutionState.Refused => GoOn(execution, Refuse),
            _ => RetryLocked(execution),
        };
        if (!isOver || session.IsClosed)
        {
            input.IsDone = true;
            return false;
        }

        session.Suspended = null;
        if (!EndCommand(session))
        {
            input.IsDone = true;
            return false;
        }

        input.IsPartial = session.Partial is not null;
        if (!session.IsReadingStopped)
            _loop.Transport.SetReading(session, true);
        return true;
    }

    /// <summary>Lets a session's waiting input go on.</summary>
    public void ContinueInput(Session session)
    {
        session.IsReadingStopped = false;
        if (session.IsClosing || session.Suspended is not null)
            return;
        _loop.Transport.SetReading(session, true);
        if (session.Partial is { Length: > 0 } && session.InputCount == 0)
            _loop.Inputs.Add(new TurnInput { Session = session, IsPartial = true });
    }

    /// <summary>Answers a broken protocol and closes.</summary>
    public void ProtocolError(Session session, in ScanResult result)
    {
        Output.Switch(session);
        if (session.IsClosed)
            return;
        ProtocolErrorText.Write(ref Current.Reply, in result);
        session.Flags |= SessionFlags.CloseAfterReply;
        _loop.Transport.SetReading(session, false);
    }

    /// <summary>The peer sends no more: closes its session once all is answered. A blocked one waits in
    /// vain.</summary>
    public void EndInput(Session session)
    {
        if (session.IsClosed)
            return;
        session.IsInputEnded = true;
        if (session.Suspended is { IsBlockedForPeer: true })
            Abandon(session);
        else if (session.Suspended is not null || session.IsReadingStopped || session.InputCount > 0)
            return;
        // The end of this output closes it, at once where nothing is unsent.
        Output.Switch(session);
        if (session.IsClosed)
            return;
        session.ChangeFlags(SessionFlags.CloseAfterReply, SessionFlags.None);
        _loop.Transport.SetReading(session, false);
    }

    /// <summary>Closes a session and forgets it.</summary>
    public void Close(Session session)
    {
        if (session.IsClosed)
            return;
        session.IsClosed = true;
        Output.Drop(session);
        _loop.Inputs.Recycle(session);
        Abandon(session);
        _engine.Sessions.Remove(session);
        _loop.Transport.Close(session);
    }

    /// <summary>
    /// Runs a command that has been admitted: takes its stripes, calls it, commits.
    /// </summary>
    /// <returns>False where it was suspended.</returns>
    public bool RunAdmitted(SessionExecution execution)
    {
        CommandSpec spec = execution.Spec;
        if (spec.IsSingleKey)
            return RunSingleKey(execution, spec);
        if (!LockPlan.NeedsStripes(execution))
        {
            execution.Keys.Begin(execution.Session.Database, NowMs);
            Call(execution, spec);
            execution.Keys.Commit();
            if (execution.TimedOut is null)
                return true;
            Suspend(execution, ExecutionState.Blocked);
            return false;
        }

        LockPlan.Fill(execution);
        if (_engine.SlowLane.IsOverdue(in execution.Stripes))
            return _gate.RefuseBusy(execution);
        if (_locks.TryEnterOrWait(execution))
            return RunLocked(execution);
        Suspend(execution, ExecutionState.WaitingForStripe);
        return false;
    }

    /// <summary>Detaches an execution: the session waits for it, the loop goes on with another.</summary>
    public void Suspend(SessionExecution execution, ExecutionState state)
    {
        execution.State = state;
        execution.Session.Suspended = execution;
        if (!execution.OwnsArguments)
            execution.OwnArguments();
        Suspended.Add(execution);
        if (execution != Current)
            return;
        SessionExecution next = _pool.Count > 0 ? _pool.Pop() : new SessionExecution(_loop, _seedNext++);
        next.Reply = execution.Reply;
        next.StringLengthMax = execution.StringLengthMax;
        execution.Reply = default;
        Current = next;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Suspended.Dispose();
        Output.Dispose();
        Current.Dispose();
        foreach (SessionExecution execution in _pool)
            execution.Dispose();
    }

    /// <summary>Ends what a session waits for, where that is the session's own affair; else lets it end by
    /// itself.</summary>
    private void Abandon(Session session)
    {
        if (session.Suspended is not { } execution)
            return;
        execution.IsAbandoned = true;
        if (execution.State != ExecutionState.Blocked && !_engine.Pause.TryForget(execution))
            return;
        session.Suspended = null;
        Recycle(execution);
    }

    /// <summary>Sees to a session between two of its commands.</summary>
    /// <returns>False where no more of its input may be executed for now.</returns>
    internal bool EndCommand(Session session)
    {
        session.CommandCount++;
        Output.FlushIfLarge(session);
        return !session.IsReadingStopped && !session.IsClosing;
    }

    /// <summary>Runs a command that has just been scanned.</summary>
    /// <returns>False where it was suspended.</returns>
    internal bool Execute(SessionExecution execution)
    {
        CommandSpec? spec = execution.Spec;
        Session session = execution.Session;
        if (spec is not null && session.Flags == SessionFlags.None && _engine.Gates == ServerGates.None
            && spec.IsPlain && (spec.Flags & CommandFlags.Protected) == 0
            && spec.AcceptsCount(execution.ArgumentCount))
        {
            session.LastCommand = spec;
            return spec.IsSingleKey ? RunSingleKey(execution, spec) : RunAdmitted(execution);
        }

        return _gate.Execute(execution);
    }

    private bool RunSingleKey(SessionExecution execution, CommandSpec spec)
    {
        Stripe stripe = _keyspace.StripeOf(execution.Arguments[spec.FirstKey].Hash);
        if (!stripe.Lock.TryEnter() && !stripe.Lock.TryEnterSpinning(LockProtocol.SpinCount))
        {
            execution.Stripes = default;
            execution.Stripes.Add(stripe.Index);
            execution.StripeNext = 0;
            if (_engine.SlowLane.IsOverdue(in execution.Stripes))
                return _gate.RefuseBusy(execution);
            if (!_locks.TryEnterOrWait(execution))
            {
                Suspend(execution, ExecutionState.WaitingForStripe);
                return false;
            }
        }

        long nowMs = Math.Max(NowMs, stripe.TimeMs);
        stripe.TimeMs = nowMs;
        execution.Keys.Begin(execution.Session.Database, nowMs);
        Call(execution, spec);
        if (execution.WantsSlowLane)
            return MoveToSlowLane(execution, stripe);
        execution.Keys.Commit();
        if (execution.HoldsToken)
            _locks.Exit(execution);
        else
            stripe.Lock.Exit();
        execution.LockFailureCount = 0;
        return true;
    }

    private bool RunLocked(SessionExecution execution)
    {
        if (LockPlan.IsForSlowLane(execution))
            return MoveToSlowLane(execution);
        execution.Keys.Begin(execution.Session.Database, LockPlan.TimeOf(execution, NowMs));
        Call(execution, execution.Spec);
        if (execution.WantsSlowLane)
            return MoveToSlowLane(execution);
        execution.Keys.Commit();
        _locks.Exit(execution);
        if (execution.WantsAllStripes)
            return RunWithAllStripes(execution);
        if (execution.TimedOut is null)
            return true;
        Suspend(execution, ExecutionState.Blocked);
        return false;
    }

    private bool RunWithAllStripes(SessionExecution execution)
    {
        execution.WantsAllStripes = false;
        execution.UseAllStripes();
        execution.Stripes = StripeSet.All(_keyspace.Stripes.Length);
        if (_locks.TryEnterOrWait(execution))
            return RunLocked(execution);
        Suspend(execution, ExecutionState.WaitingForStripe);
        return false;
    }

    private void Call(SessionExecution execution, CommandSpec spec)
    {
        // A request can only be large where it did not come whole into the loop's slab: it is measured by
        // itself.
        bool isTimedAlone = !spec.IsConstantCost || _engine.Observation.NeedsEveryTime
            || execution.Session.Partial is not null || execution.OwnsArguments;
        // Commands that look at the counters find those of all commands before them.
        if (isTimedAlone || (spec.Lock == LockScope.None && (spec.Flags & CommandFlags.Fast) == 0))
            _timer.Settle();
        long replyStart = execution.ReplyByteCount;
        int errorCount = execution.Reply.ErrorCount;
        execution.NestedErrorCount = 0;
        // SAFETY: the generator bound the address to a static method of this signature.
        ((delegate*<Execution, void>)spec.HandlerAddress)(execution);
        if (execution.WantsAllStripes)
            return;
        bool isFailed = execution.Reply.ErrorCount != errorCount + execution.NestedErrorCount;
        if (_engine.HasGate(ServerGates.Monitored) && !execution.WantsSlowLane)
            _engine.Monitors.Feed(execution);
        if (isTimedAlone && !execution.WantsSlowLane)
            _timer.Record(execution, isFailed, execution.ReplyBytesSince(replyStart));
        else if (!isTimedAlone)
            _timer.Count(spec.Id, in execution.Arguments, isFailed);
        if (!isTimedAlone && execution.ReplyBytesSince(replyStart) >= (long)Observation.OwnSizeBelowBytes)
            _engine.Observation.Replied(ObservedCommand.Of(execution), execution.ReplyBytesSince(replyStart));
    }

    /// <summary>
    /// Calls a command of a transaction, under the transaction's stripes; on the loop or in the slow lane.
    /// </summary>
    public void CallNested(SessionExecution execution, CommandSpec spec)
    {
        long startNs = _engine.Clock.MonotonicNanoseconds;
        long replyStart = execution.ReplyByteCount;
        int errorCount = execution.Reply.ErrorCount;
        // SAFETY: the generator bound the address to a static method of this signature.
        ((delegate*<Execution, void>)spec.HandlerAddress)(execution);
        long elapsedNs = _engine.Clock.MonotonicNanoseconds - startNs;
        bool isFailed = execution.Reply.ErrorCount != errorCount;
        execution.NestedErrorCount += execution.Reply.ErrorCount - errorCount;
        _engine.Monitors.Feed(execution);
        if (execution.State == ExecutionState.InSlowLane)
            execution.NestedCalls.Add(new NestedCall(spec, elapsedNs, isFailed));
        else
            _timer.RecordNested(spec, elapsedNs, isFailed);
        _engine.Observation.Executed(execution, elapsedNs, execution.ReplyBytesSince(replyStart));
    }

    /// <summary>Lets an execution that holds one stripe go on in the slow lane.</summary>
    internal bool MoveToSlowLane(SessionExecution execution, Stripe held)
    {
        execution.Stripes = default;
        execution.Stripes.Add(held.Index);
        execution.StripeNext = StripeSet.CountMax;
        return MoveToSlowLane(execution);
    }

    private bool MoveToSlowLane(SessionExecution execution)
    {
        execution.WantsSlowLane = false;
        Suspend(execution, ExecutionState.InSlowLane);
        _engine.SlowLane.Submit(execution);
        return false;
    }

    private bool Complete(SessionExecution execution)
    {
        Session session = execution.Session;
        _engine.SlowLane.Collect(execution, _loop);
        bool isMuted = (session.Flags & (SessionFlags.RepliesOff | SessionFlags.SkipReply)) != 0;
        session.ChangeFlags(SessionFlags.None, SessionFlags.SkipReply);
        if (session.IsClosed)
            _engine.Sessions.Release(session);
        if (session.IsClosed || isMuted)
            execution.OwnOutput!.Discard(ref execution.Reply);
        else
            Output.Append(session, execution.OwnOutput!, ref execution.Reply);
        foreach (NestedCall call in execution.NestedCalls)
            _timer.RecordNested(call.Spec, call.ElapsedNs, call.IsFailed);
        execution.NestedCalls.Clear();
        _timer.RecordNested(execution.Spec, execution.ElapsedNs, execution.IsFailed);
        Recycle(execution);
        return true;
    }

    private bool RetryLocked(SessionExecution execution)
    {
        if (!_locks.TryEnterOrWait(execution))
            return false;
        if (execution.IsAbandoned)
            _locks.Exit(execution);
        return GoOn(execution, RunHolding);
    }

    /// <summary>Makes a suspended execution the loop's own and runs it; not where its session has
    /// gone.</summary>
    private bool GoOn(SessionExecution execution, Func<SessionExecution, bool> run)
    {
        if (execution.IsAbandoned)
        {
            Recycle(execution);
            return true;
        }

        MakeCurrent(execution);
        Output.Switch(execution.Session);
        execution.State = ExecutionState.OnLoop;
        NowMs = _engine.Clock.UnixMicroseconds / 1000;
        _timer.Begin(execution.Session);
        bool isOver = run(execution);
        _timer.Settle();
        return isOver && End(execution);
    }

    /// <summary>Makes a detached execution the loop's own again.</summary>
    private void MakeCurrent(SessionExecution execution)
    {
        Suspended.Remove(execution);
        execution.Reply = Current.Reply;
        Current.Reply = default;
        Recycle(Current);
        Current = execution;
    }

    private bool RunHolding(SessionExecution execution) => _gate.RunSuspended(execution, RunLocked);

    private bool Refuse(SessionExecution execution) => _gate.RunSuspended(execution, _gate.RefuseBusy);

    private bool EndBlocking(SessionExecution execution) => _gate.RunSuspended(execution, static blocked =>
    {
        blocked.TimedOut!(blocked);
        blocked.Block(0, null);
        return true;
    });

    private static bool End(SessionExecution execution)
    {
        execution.State = ExecutionState.OnLoop;
        execution.ReleaseOwned();
        return true;
    }

    private void Recycle(SessionExecution execution)
    {
        Suspended.Remove(execution);
        execution.ReleaseOwned();
        execution.Block(0, null);
        execution.State = ExecutionState.OnLoop;
        execution.IsAbandoned = false;
        execution.Keys.IsNoTouch = false;
        execution.Session = null!;
        if (_pool.Count < PooledExecutionCountMax)
            _pool.Push(execution);
        else
            execution.Dispose();
    }
}
