// Executing commands that are not on the shortest path (BatchRunner): commands that the gate must check, that
// need more stripes than one or wait for one, that suspend and are resumed. The runner takes the stripes,
// calls the handler (CommandCalls), commits, and acts on the outcome.

using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Keyspace.Eviction;

namespace Cinnabar.Engine.Loops;

/// <summary>Executes, suspends and resumes the commands of a loop.</summary>
internal sealed class CommandRunner : IDisposable
{
    private readonly Loop _loop;
    private readonly ILoopServer _engine;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly LockProtocol _locks;
    private readonly CommandTimer _timer;

    public CommandRunner(Loop loop)
    {
        _loop = loop;
        _engine = loop.Server;
        _keyspace = _engine.Keyspace;
        _locks = _engine.Locks;
        Executions = new LoopExecutions(loop);
        Eviction = new KeyEviction(_engine.MemoryLimit, _engine.Observation.Latency, _engine.Settings,
            _engine.Clock, new Evictor(_keyspace, loop.KeyspaceStatistics, _engine.RandomSeedOf(loop.Index)));
        Admission = new CommandAdmission(_engine, loop.Statistics, Eviction);
        _timer = new CommandTimer(loop.Server, loop.Statistics);
        Output = new SessionOutput(loop, Executions);
        Feeds = new FeedOutput(loop, Executions, Output);
        Invalidations = new InvalidationDelivery(loop, Output);
        Calls = new CommandCalls(loop.Server, _timer, Output, Invalidations);
        Executions.Current.Reply = Output.MakeWriter();
    }

    /// <summary>Makes room for commands.</summary>
    public KeyEviction Eviction { get; }

    /// <summary>All checks before a command.</summary>
    public CommandAdmission Admission { get; }

    /// <summary>The loop's executions.</summary>
    public LoopExecutions Executions { get; }

    /// <summary>Ends their sessions.</summary>
    public SessionClosing Closing => Output.Closing;

    /// <summary>The loop's output.</summary>
    public SessionOutput Output { get; }

    /// <summary>Sends the feeds of replicas.</summary>
    public FeedOutput Feeds { get; }

    /// <summary>Sends invalidations.</summary>
    public InvalidationDelivery Invalidations { get; }

    internal CommandCalls Calls { get; }

    /// <summary>Measures the commands.</summary>
    internal CommandTimer Timer => _timer;

    /// <summary>The time of the turn, Unix milliseconds.</summary>
    public long NowMs => Executions.NowMs;

    /// <summary>Reads the clocks for a turn.</summary>
    public void BeginTurn()
    {
        long nowUs = Executions.Begin();
        if (_engine.Journal.IsRecording)
            _engine.Journal.NoteTime();
        _loop.Statistics.BeginTurn(nowUs);
        Executions.Current.StringLengthMax = _engine.Settings.BulkLengthMax;
    }

    /// <summary>Reads the clocks for a batch.</summary>
    public void BeginBatch()
    {
        Executions.Begin();
        _timer.Begin(Output.Session);
    }

    /// <summary>Reads the clocks for a command of a session that was suspended.</summary>
    internal void BeginResumed(Session session)
    {
        Executions.Begin();
        _timer.Begin(session);
    }

    /// <summary>Runs a command that has been admitted: takes its stripes, calls it, commits.</summary>
    /// <returns>False where it was suspended.</returns>
    public bool RunAdmitted(SessionExecution execution)
    {
        if (execution.Spec.IsSingleKey)
            return RunSingleKey(execution, execution.Spec);
        if (LockPlan.NeedsStripes(execution))
            return RunPlanned(execution);
        execution.Stripes = default;
        execution.StripeNext = 0;
        return RunHolding(execution);
    }

    public void Dispose()
    {
        Eviction.Dispose();
        Output.Dispose();
        Executions.Dispose();
    }

    /// <summary>Sends or closes for a session between two of its commands, if needed.</summary>
    /// <returns>False where no more of its input may be executed for now.</returns>
    internal bool EndCommand(Session session)
    {
        session.CommandCount++;
        Output.FlushIfLarge(session);
        return !session.IsReadingStopped && !session.IsClosing;
    }

    private bool RunSingleKey(SessionExecution execution, CommandSpec spec)
    {
        Stripe stripe = _keyspace.StripeOf(execution.Arguments[spec.FirstKey].Hash);
        if (!stripe.Lock.TryEnter() && !stripe.Lock.TryEnterSpinning(LockProtocol.SpinCount))
        {
            execution.Stripes = default;
            execution.Stripes.Add(stripe.Index);
            execution.StripeNext = 0;
            if (_engine.SlowLane.Holders.IsOverdue(in execution.Stripes))
                return Admission.RefuseBusy(execution);
            if (!TryTake(execution))
                return false;
        }

        if (stripe.HasWaiters && IsAwaited(execution, stripe, out StripeSet needed))
            return RunAwaited(execution, stripe, in needed);
        Begin(execution, stripe, NowMs);
        return RunHeld(execution, spec, stripe, isShort: false);
    }

    /// <summary>Begins a command of one key, whose stripe it holds.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="stripe">The stripe: its time does not go back.</param>
    /// <param name="nowMs">The loop's time, Unix milliseconds.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Begin(SessionExecution execution, Stripe stripe, long nowMs)
    {
        Debug.Assert(stripe.Lock.IsHeld, "a command runs under its stripe's lock");
        nowMs = Math.Max(nowMs, stripe.TimeMs);
        stripe.TimeMs = nowMs;
        execution.Keys.Begin(execution.Session.Database, nowMs);
    }

    /// <summary>Runs a command of one key that has begun, whose stripe it holds and releases; no client waits
    /// for the key.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="spec">Its command.</param>
    /// <param name="stripe">The stripe.</param>
    /// <param name="isShort">See <see cref="CommandCalls.Call"/>; it took the stripe at once.</param>
    /// <returns>False where it was suspended.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool RunHeld(SessionExecution execution, CommandSpec spec, Stripe stripe, bool isShort)
    {
        Debug.Assert(!isShort || (!execution.HoldsToken && execution.LockFailureCount == 0),
            "a short command has not waited for its stripe");
        Outcome outcome = Calls.Run(execution, spec, isShort);
        if (!outcome.IsDone)
            return MoveToSlowLane(execution, outcome, stripe);
        if (isShort)
            stripe.Lock.Exit();
        else
            Leave(execution, stripe);
        return true;
    }

    /// <summary>Whether a command of one key, whose stripe it holds, may make it ready for clients that wait
    /// for it.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="stripe">The stripe.</param>
    /// <param name="needed">The stripes that it needs in order to serve them, this one included.</param>
    internal bool IsAwaited(SessionExecution execution, Stripe stripe, out StripeSet needed)
    {
        CommandSpec spec = execution.Spec;
        needed = default;
        needed.Add(stripe.Index);
        return spec.IsWriting
            && _engine.Waits.AddNeeds(execution.Arguments[spec.FirstKey].Hash, ref needed);
    }

    /// <summary>Runs a command of one key that is awaited (<see cref="IsAwaited"/>): at once where serving
    /// takes no other stripes than the one that it holds.</summary>
    /// <returns>False where it was suspended.</returns>
    internal bool RunAwaited(SessionExecution execution, Stripe stripe, in StripeSet needed)
    {
        Debug.Assert(stripe.Lock.IsHeld && needed.Contains(stripe.Index), "it is to hold its own stripe");
        execution.UseAllStripes();
        if (needed.Count > 1)
        {
            Leave(execution, stripe);
            return RunTaking(execution, in needed);
        }

        execution.Stripes = needed;
        execution.StripeNext = StripeSet.CountMax;
        return RunHolding(execution);
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
        LockPlan.Fill(execution, isInTurn: true);
        // A command that was blocked for long may also wait here.
        if (execution.Waiter is null && _engine.SlowLane.Holders.IsOverdue(in execution.Stripes))
            return Admission.RefuseBusy(execution);
        return TryTake(execution) && RunLocked(execution);
    }

    /// <summary>Runs an execution that holds the stripes it was planned to hold.</summary>
    internal bool RunLocked(SessionExecution execution)
    {
        Debug.Assert(execution.StripeNext == StripeSet.CountMax, "it holds its stripes");
        // A client may have begun to wait for its keys before it got the stripes.
        if (LockPlan.CoversWaiters(execution, out StripeSet needed))
            return RunHolding(execution);
        _locks.Exit(execution);
        return RunTaking(execution, in needed);
    }

    private bool RunTaking(SessionExecution execution, in StripeSet needed)
    {
        execution.Stripes = needed;
        execution.StripeNext = 0;
        return TryTake(execution) && RunLocked(execution);
    }

    // False where the execution was suspended.
    private bool TryTake(SessionExecution execution)
    {
        if (_locks.TryEnterOrWait(execution))
            return true;
        Executions.Suspend(execution, ExecutionState.WaitingForStripe);
        return false;
    }

    /// <summary>Runs an execution that holds all stripes that it needs, also those for serving.</summary>
    private bool RunHolding(SessionExecution execution)
    {
        execution.CanServe = true;
        execution.Keys.Begin(execution.Session.Database, LockPlan.TimeOf(execution, NowMs));
        Outcome outcome = Calls.Run(execution, execution.Spec, isShort: false);
        if (outcome.IsOffLoop)
            return MoveToSlowLane(execution, outcome);
        // A transaction without keys holds no stripes: the journal may have been switched off while it ran.
        if (execution.Effects.IsReplaced)
            execution.Effects.Discard();
        if (execution.ReadyQueues.Count > 0)
        {
            // The time of serving counts for the served commands.
            _timer.Settle();
            _engine.Serving.Serve(execution);
            _timer.Pass();
        }

        execution.CanServe = false;
        if (outcome.Kind == OutcomeKind.Wait)
            Block(execution);
        else
            execution.EndWait();
        _locks.Exit(execution);
        if (outcome.Kind != OutcomeKind.AllStripes)
            return outcome.IsDone;
        execution.UseAllStripes();
        return RunTaking(execution, StripeSet.All(_keyspace.Stripes.Length));
    }

    /// <summary>Suspends an execution that waits. Its stripes are still locked: a command can make a key
    /// ready only after their release, when the waiter is in all its queues.</summary>
    private void Block(SessionExecution execution)
    {
        Waiter waiter = execution.Waiter!;
        Executions.Suspend(execution, ExecutionState.Blocked);
        if (waiter.Keys.KeyCount > 0 && waiter.Places.Count == 0)
            _engine.Waits.Add(waiter);
        waiter.Release();
    }

    /// <summary>Moves an execution that holds one stripe to the slow lane.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool MoveToSlowLane(SessionExecution execution, Outcome outcome, Stripe held)
    {
        Debug.Assert(outcome.IsOffLoop, "a command of one key waits for none");
        execution.Stripes = default;
        execution.Stripes.Add(held.Index);
        execution.StripeNext = StripeSet.CountMax;
        return MoveToSlowLane(execution, outcome);
    }

    private bool MoveToSlowLane(SessionExecution execution, Outcome outcome)
    {
        Executions.Suspend(execution, ExecutionState.InSlowLane);
        _engine.SlowLane.Submit(execution, outcome);
        return false;
    }
}
