// Executing what is not on the shortest path (BatchRunner): commands that the gate has to look at, that need
// more stripes than one or wait for one, that suspend and are resumed.
//
// Time is read once per run of constant-cost commands: their statistics are shares of the run. Commands of
// linear cost, and all commands while a threshold below a millisecond is set, are timed one by one.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using Cinnabar.Commands;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Keyspace;
using Cinnabar.Resp;

namespace Cinnabar.Engine.Loops;

/// <summary>Executes, suspends and resumes the commands of a loop.</summary>
internal sealed class CommandRunner : IDisposable
{
    private const int PooledExecutionCountMax = 64;

    private readonly Loop _loop;
    private readonly ILoopServer _engine;
    private readonly GateSet _gates;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly LockProtocol _locks;
    private readonly CommandTimer _timer;
    private readonly Stack<SessionExecution> _pool = new();
    private ulong _seedNext;

    /// <summary>Makes the runner of a loop.</summary>
    public CommandRunner(Loop loop)
    {
        _loop = loop;
        _engine = loop.Server;
        _gates = _engine.Gates;
        _keyspace = _engine.Keyspace;
        _locks = _engine.Locks;
        _seedNext = _engine.RandomSeedOf(loop.Index);
        Gate = new CommandGate(loop, this);
        _timer = new CommandTimer(loop);
        Suspended = new SuspendedExecutions(loop);
        Resumption = new ExecutionResumption(loop, this, Gate);
        Closing = new SessionClosing(loop, this);
        Output = new SessionOutput(loop, this);
        Current = new SessionExecution(loop, _seedNext++) { Reply = Output.MakeWriter() };
    }

    /// <summary>All checks before a command.</summary>
    public CommandGate Gate { get; }

    /// <summary>The execution that commands run in; its writer fills the loop's output.</summary>
    public SessionExecution Current { get; private set; }

    /// <summary>The executions that the loop's sessions wait for.</summary>
    public SuspendedExecutions Suspended { get; }

    /// <summary>Goes on with them.</summary>
    public ExecutionResumption Resumption { get; }

    /// <summary>Ends their sessions.</summary>
    public SessionClosing Closing { get; }

    /// <summary>The loop's output.</summary>
    public SessionOutput Output { get; }

    /// <summary>Measures the commands.</summary>
    internal CommandTimer Timer => _timer;

    /// <summary>The time of the turn, Unix milliseconds.</summary>
    public long NowMs { get; private set; }

    /// <summary>Reads the clocks for a turn.</summary>
    public void BeginTurn()
    {
        long nowUs = _engine.Clock.UnixMicroseconds;
        NowMs = nowUs / 1000;
        _loop.Statistics.BeginTurn(nowUs);
        Current.StringLengthMax = _engine.Settings.BulkLengthMax;
    }

    /// <summary>Reads the clocks for a batch.</summary>
    public void BeginBatch()
    {
        NowMs = _engine.Clock.UnixMicroseconds / 1000;
        _timer.Begin(Output.Session);
    }

    /// <summary>Reads the clocks for a command of a session that was suspended.</summary>
    internal void BeginResumed(Session session)
    {
        NowMs = _engine.Clock.UnixMicroseconds / 1000;
        _timer.Begin(session);
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
        if (LockPlan.NeedsStripes(execution))
            return RunPlanned(execution);
        execution.Keys.Begin(execution.Session.Database, NowMs);
        Outcome outcome = Call(execution, spec);
        execution.Keys.Commit();
        if (outcome.IsDone)
            return true;
        Debug.Assert(outcome.Kind == OutcomeKind.Wait, "what takes no stripes may only wait");
        Block(execution);
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
        if (spec is not null && session.Flags == SessionFlags.None && _gates.Value == ServerGates.None
            && spec.IsPlain && (spec.Flags & CommandFlags.Protected) == 0
            && spec.AcceptsCount(execution.ArgumentCount))
        {
            session.LastCommand = spec;
            return spec.IsSingleKey ? RunSingleKey(execution, spec) : RunAdmitted(execution);
        }

        return Gate.Execute(execution);
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
                return Gate.RefuseBusy(execution);
            if (!_locks.TryEnterOrWait(execution))
            {
                Suspend(execution, ExecutionState.WaitingForStripe);
                return false;
            }
        }

        if (stripe.HasWaiters
            && _engine.Waits.Concerns(spec, stripe, execution.Arguments[spec.FirstKey].Hash))
        {
            Leave(execution, stripe);
            return RunPlanned(execution);
        }

        long nowMs = Math.Max(NowMs, stripe.TimeMs);
        stripe.TimeMs = nowMs;
        execution.Keys.Begin(execution.Session.Database, nowMs);
        Outcome outcome = Call(execution, spec);
        if (!outcome.IsDone)
            return MoveToSlowLane(execution, outcome, stripe);
        execution.Keys.Commit();
        Leave(execution, stripe);
        return true;
    }

    private void Leave(SessionExecution execution, Stripe stripe)
    {
        if (execution.HoldsToken)
            _locks.Exit(execution);
        else
            stripe.Lock.Exit();
        execution.LockFailureCount = 0;
    }

    /// <summary>Plans the stripes of an execution, takes them and runs it.</summary>
    internal bool RunPlanned(SessionExecution execution)
    {
        LockPlan.Fill(execution);
        // Who has waited for long already may wait for this, too.
        if (execution.Waiter is null && _engine.SlowLane.IsOverdue(in execution.Stripes))
            return Gate.RefuseBusy(execution);
        if (_locks.TryEnterOrWait(execution))
            return RunLocked(execution);
        Suspend(execution, ExecutionState.WaitingForStripe);
        return false;
    }

    /// <summary>Runs an execution that holds all its stripes.</summary>
    internal bool RunLocked(SessionExecution execution)
    {
        // Somebody may have begun to wait for its keys before it had them.
        while (!LockPlan.CoversWaiters(execution, out StripeSet needed))
        {
            _locks.Exit(execution);
            execution.Stripes = needed;
            if (_locks.TryEnterOrWait(execution))
                continue;
            Suspend(execution, ExecutionState.WaitingForStripe);
            return false;
        }

        execution.CanServe = true;
        execution.Keys.Begin(execution.Session.Database, LockPlan.TimeOf(execution, NowMs));
        Outcome outcome = Call(execution, execution.Spec);
        if (outcome.IsOffLoop)
            return MoveToSlowLane(execution, outcome);
        execution.Keys.Commit();
        if (execution.ReadyQueues.Count > 0)
            Serve(execution);
        execution.CanServe = false;
        if (outcome.Kind == OutcomeKind.Wait)
            Block(execution);
        else
            execution.EndWait();
        _locks.Exit(execution);
        return outcome.Kind == OutcomeKind.AllStripes ? RunWithAllStripes(execution) : outcome.IsDone;
    }

    // What serving takes is put down to those who are served.
    private void Serve(SessionExecution execution)
    {
        _timer.Settle();
        _engine.Serving.Serve(execution);
        _timer.Pass();
    }

    /// <summary>Suspends an execution that wants to wait. Its stripes are still locked: only when they are
    /// released can somebody make a key ready, and by then it stands in all its queues.</summary>
    private void Block(SessionExecution execution)
    {
        Waiter waiter = execution.Waiter!;
        Suspend(execution, ExecutionState.Blocked);
        if (waiter.Keys.KeyCount > 0 && waiter.Places.Count == 0)
            _engine.Waits.Add(waiter);
        waiter.LetGo();
    }

    private bool RunWithAllStripes(SessionExecution execution)
    {
        execution.UseAllStripes();
        execution.Stripes = StripeSet.All(_keyspace.Stripes.Length);
        if (_locks.TryEnterOrWait(execution))
            return RunLocked(execution);
        Suspend(execution, ExecutionState.WaitingForStripe);
        return false;
    }

    private Outcome Call(SessionExecution execution, CommandSpec spec)
    {
        if (!execution.IsBuilt && WorkAhead.IsLong(execution))
            return Outcome.OffLoop;

        bool isTimedAlone = _timer.IsTimedAlone(execution);
        if (isTimedAlone)
            _timer.Settle();
        long replyStart = execution.ReplyByteCount;
        int errorCount = execution.Reply.ErrorCount;
        bool isRetry = execution.Waiter is not null;
        execution.NestedErrorCount = 0;
        Outcome outcome = execution.IsBuilt
            ? HandlerCall.Store(execution)
            : HandlerCall.Invoke(execution, spec);
        if (!outcome.IsDone && outcome.Kind != OutcomeKind.Wait)
            return outcome;
        if (_gates.Has(ServerGates.Monitored) && !isRetry)
            _engine.Monitors.Feed(execution);
        if (!outcome.IsDone)
        {
            // It counts when its waiting has ended.
            execution.ElapsedNs = (isRetry ? execution.ElapsedNs : 0) + (isTimedAlone ? _timer.Pass() : 0);
            return outcome;
        }

        bool isFailed = execution.Reply.ErrorCount != errorCount + execution.NestedErrorCount;
        if (isTimedAlone)
            _timer.Record(execution, isFailed, execution.ReplyBytesSince(replyStart));
        else
            _timer.Count(spec.Id, execution.Arguments, isFailed);
        if (!isTimedAlone && execution.ReplyBytesSince(replyStart) >= (long)Observation.OwnSizeBelowBytes)
            _engine.Observation.Replied(ObservedCommand.Of(execution), execution.ReplyBytesSince(replyStart));
        return outcome;
    }

    /// <summary>
    /// Calls a command of a transaction, under the transaction's stripes; on the loop or in the slow lane.
    /// </summary>
    public void CallNested(SessionExecution execution, CommandSpec spec)
    {
        long startNs = _engine.Clock.MonotonicNanoseconds;
        long replyStart = execution.ReplyByteCount;
        int errorCount = execution.Reply.ErrorCount;
        Outcome outcome = HandlerCall.Invoke(execution, spec);
        Debug.Assert(outcome.IsDone, "a command of a transaction runs to its end");
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
    internal bool MoveToSlowLane(SessionExecution execution, Outcome outcome, Stripe held)
    {
        Debug.Assert(outcome.IsOffLoop, "a command of one key waits for none");
        execution.Stripes = default;
        execution.Stripes.Add(held.Index);
        execution.StripeNext = StripeSet.CountMax;
        return MoveToSlowLane(execution, outcome);
    }

    private bool MoveToSlowLane(SessionExecution execution, Outcome outcome)
    {
        Suspend(execution, ExecutionState.InSlowLane);
        _engine.SlowLane.Submit(execution, outcome);
        return false;
    }

    /// <summary>Makes a detached execution the loop's own again.</summary>
    internal void MakeCurrent(SessionExecution execution)
    {
        Suspended.Remove(execution);
        execution.Reply = Current.Reply;
        Current.Reply = default;
        Recycle(Current);
        Current = execution;
        ExecutionActivity.NoteCurrent(execution);
    }

    /// <summary>Puts an execution that is over back into the pool.</summary>
    internal void Recycle(SessionExecution execution)
    {
        Suspended.Remove(execution);
        execution.EndSteps();
        execution.ReleaseOwned();
        // The pool's executions would keep the memory of as many long replies.
        if (execution.OwnOutput is { ChunkSize: > ReplyOutput.ServedChunkSize })
            execution.DropOwnOutput();
        execution.EndWait();
        // It may have been served in vain, off its loop.
        _engine.SlowLane.Collect(execution, _loop);
        execution.State = ExecutionState.OnLoop;
        execution.IsAbandoned = false;
        execution.Keys.IsNoTouch = false;
        execution.Keys.SeesExpired = false;
        execution.Session = null!;
        execution.Spec = null!;
        if (_pool.Count < PooledExecutionCountMax)
            _pool.Push(execution);
        else
            execution.Dispose();
    }
}
