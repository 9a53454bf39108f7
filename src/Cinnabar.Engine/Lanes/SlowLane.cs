// The threads for long work. An execution that would cost its loop more than half a millisecond is detached
// and runs on a thread of the lane, with the stripes it holds: only commands that need those wait. Its
// session is suspended meanwhile. When it has run, or as soon as it no longer needs keys, it commits and
// releases its stripes itself; its loop is notified through the mailbox.
//
// An execution that has been in the lane for longer than busy-reply-threshold is overdue (LaneHolders):
// commands that need one of its stripes are refused with -BUSY, newcomers at once and waiting ones by their
// loop's cron.
//
// A server that ends waits for running executions, and takes back those that have not begun (EndFor,
// LaneTurn).
//
// A walk over all keys holds nothing when it comes here. Its outcome names the stripe that its next step
// needs, and it is called again with that one alone; it changes it (TrySwitch) or, where it cannot have the
// next one at once, waits for it as any execution does, but on no thread: the release of the stripe submits
// it again (Resume).

using Cinnabar.Engine.Blocking;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;
using Cinnabar.Keyspace.Locks;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Lanes;

/// <summary>Runs executions off the loops.</summary>
/// <param name="server">The server.</param>
/// <param name="locks">The protocol by which an execution takes stripes.</param>
/// <param name="serving">Serves the waiters of keys that an execution makes ready.</param>
/// <param name="observation">Observes executed commands.</param>
/// <param name="monitors">Shows executed commands.</param>
internal sealed unsafe class SlowLane(
    IExecutionServer server, LockProtocol locks, Serving serving, Observation observation, Monitors monitors)
    : ISlowLane, IDisposable
{
    private const long NsPerMs = 1_000_000;

    // For less work the rank hardly matters, but the thread that ends with it is expensive.
    private const long LoweredCostNsMin = 5 * NsPerMs;

    private readonly IExecutionServer _server = server;
    private readonly LockProtocol _locks = locks;
    private readonly Serving _serving = serving;
    private readonly Observation _observation = observation;
    private readonly Monitors _monitors = monitors;
    private readonly LaneThreads _threads = new();
    private long _runningCount;

    /// <summary>Runs a work item at a time of its choice (the simulator); null: the lane's threads.</summary>
    public Action<IThreadPoolWorkItem>? Scheduler { get; init; }

    /// <summary>The executions that hold stripes.</summary>
    public required LaneHolders Holders { get; init; }

    /// <summary>Executions in the lane.</summary>
    public long RunningCount => Interlocked.Read(ref _runningCount);

    /// <summary>Hands a detached execution over, with its stripes.</summary>
    public void Submit(SessionExecution execution, Outcome outcome)
    {
        Debug.Assert(outcome.IsOffLoop && execution.Place == ExecutionPlace.OnLoop, "it stays on its loop");
        Debug.Assert(execution.State == ExecutionState.InSlowLane, "its session waits for it");
        Debug.Assert(execution.StripeNext == StripeSet.CountMax || execution.Stripes.Count == 0,
            "it brings its stripes");
        Debug.Assert(outcome.Kind != OutcomeKind.Store || execution.Steps is not null, "it has no steps");
        Interlocked.Increment(ref _runningCount);
        execution.SlowLaneStartNs = _server.Clock.MonotonicNanoseconds;
        execution.LaneTurn.Submit();
        // A result built in vain is part of the command's time.
        execution.ElapsedNs = execution.StorePhase == StorePhase.Holding ? execution.ElapsedNs : 0;
        execution.NestedErrorCount = 0;
        execution.Leaving = outcome;
        execution.RunsFunction = false;
        execution.ScriptTurn.Await(execution.Spec.RunsScript, execution.Spec.Has(CommandFlags.RunsFunction));
        execution.RunsScript = CommandReach.Has(execution, CommandFlags.RunsScript);
        execution.Place = ExecutionPlace.OffLoop;
        execution.Walk = null;
        Holders.Add(execution);
        execution.UseOwnOutput(ReplyOutput.OwnChunkSize);
        execution.Keys.Statistics = execution.OffLoopStatistics;
        Schedule(execution);
    }

    /// <summary>Resumes an execution that has waited between two steps; by the thread that released its
    /// stripe.</summary>
    public void Resume(SessionExecution execution)
    {
        execution.LaneTurn.SubmitAgain();
        Schedule(execution);
    }

    /// <summary>Looks for executions that have become overdue; every loop's cron calls it.</summary>
    public void FindOverdue()
    {
        _threads.StartLacking();
        Holders.FindOverdue();
    }

    /// <summary>Waits until the lane has finished an execution, or takes it back. The loops have
    /// ended.</summary>
    public void EndFor(SessionExecution execution)
    {
        while (!execution.LaneTurn.TryTakeBack())
        {
            // A walk that waits between two steps is not resumed.
            if (execution.Walk is not null && _locks.TryWithdraw(execution))
                return;
            Thread.Sleep(1);
        }
    }

    /// <summary>Runs an execution to its end; on the lane's thread.</summary>
    public void Run(SessionExecution execution)
    {
        if (!execution.LaneTurn.TryRun())
            return;
        // SAFETY: the row belongs to this thread until it is returned, and the engine keeps the page.
        ActivityRow* activity = ExecutionActivity.NoteInLane(execution);
        RunHere(execution);
        _server.Activities.ReturnLane(activity);
    }

    private void RunHere(SessionExecution execution)
    {
        bool waits;
        try
        {
            if (execution.Walk is not null && !_locks.TryEnterOrWait(execution))
                return;
            if (!TryCall(execution, out Outcome outcome))
                return;
            if (outcome.Kind == OutcomeKind.AllStripes)
            {
                CommitNoticed(execution);
                execution.CanServe = false;
                Release(execution);
                Return(execution, ExecutionState.Retrying);
                return;
            }

            waits = outcome.Kind == OutcomeKind.Wait;
            if (execution.IsBuilt)
            {
                Return(execution, ExecutionState.Retrying);
                return;
            }

            _monitors.Feed(execution);
            execution.IsFailed = execution.Reply.ErrorCount != execution.NestedErrorCount;
            HandlerCall.CommitOffLoop(execution);
            if (execution.ReadyQueues.Count > 0)
                _serving.Serve(execution);
            execution.CanServe = false;
            // Before the stripes are free: a big argument that became a value can still be read.
            if (!waits)
                _observation.Executed(execution, execution.ElapsedNs, execution.ReplyByteCount);
            if (!execution.IsWithoutKeys)
                Release(execution);
        }
        catch (Exception fault)
        {
            _server.Fail(fault);
            execution.LaneTurn.End();
            return;
        }

        // The data that it found on the loop has expired: it waits on its loop.
        Return(execution, waits ? ExecutionState.Retrying : ExecutionState.Completed);
    }

    /// <summary>Takes an execution back on its loop: adds its counters to the loop's.</summary>
    public void Collect(SessionExecution execution)
    {
        Debug.Assert(!execution.LaneTurn.IsActive, "the lane has it still");
        IExecutionLoop loop = execution.Loop;
        execution.Place = ExecutionPlace.OnLoop;
        if (execution.Keys.Statistics == loop.KeyspaceStatistics)
            return;
        KeyspaceStatistics from = execution.OffLoopStatistics;
        loop.KeyspaceStatistics.Add(from);
        from.Clear();
        execution.Keys.Statistics = loop.KeyspaceStatistics;
    }

    /// <summary>Ends the lane's threads; no work is left for them.</summary>
    public void Dispose() => _threads.Dispose();

    private void Return(SessionExecution execution, ExecutionState state)
    {
        IExecutionLoop loop = execution.Loop;
        execution.State = state;
        execution.LaneTurn.End();
        Interlocked.Decrement(ref _runningCount);
        loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Resume, Target = execution });
    }

    private void Schedule(SessionExecution execution)
    {
        if (Scheduler is null)
            _threads.Add(execution);
        else
            Scheduler(execution);
    }

    // Calls the command until it is over, waits, or has built its result. False if it waits for a stripe.
    private bool TryCall(SessionExecution execution, out Outcome outcome)
    {
        Debug.Assert(execution.State == ExecutionState.InSlowLane, "its loop has it");
        outcome = execution.Leaving;
        do
        {
            if (outcome.Kind == OutcomeKind.NextStripe && !TrySwitch(execution, outcome.Stripe))
                return false;
            CommitNoticed(execution);
            long startNs = _server.Clock.MonotonicNanoseconds;
            long nowMs = _server.Clock.UnixMicroseconds / 1000;
            execution.Keys.GoOn(LockPlan.TimeOf(execution, nowMs));
            execution.NoteInvalidations();
            if (outcome.Kind == OutcomeKind.Store)
            {
                outcome = MakeSteps(execution);
            }
            else
            {
                if (outcome.Kind == OutcomeKind.OffLoopWithoutKeys)
                    ReleaseKeys(execution);
                outcome = HandlerCall.Invoke(execution, execution.Spec);
            }

            execution.ElapsedNs += _server.Clock.MonotonicNanoseconds - startNs;
        }
        while (!outcome.IsDone && outcome.Kind is not (OutcomeKind.Wait or OutcomeKind.AllStripes));
        return true;
    }

    // A call that is made again may have noticed that keys have expired: a client that waits for one of them
    // tries for itself.
    private static void CommitNoticed(SessionExecution execution)
    {
        bool canServe = execution.CanServe;
        execution.CanServe = false;
        HandlerCall.Commit(execution);
        execution.CanServe = canServe;
    }

    private Outcome MakeSteps(SessionExecution execution)
    {
        Debug.Assert(execution.StorePhase is StorePhase.None or StorePhase.Holding, "they have been made");
        StoreSteps steps = execution.Steps!;
        KeyspaceStatistics statistics = execution.Keys.Statistics;
        (long hits, long misses) = (statistics.Hits, statistics.Misses);
        if (execution.StorePhase == StorePhase.None)
            execution.EnterPhase(StorePhase.Building);
        bool isHolding = execution.StorePhase == StorePhase.Holding;
        bool isOver = !steps.TryRead(execution);
        if (!isOver && !isHolding)
            ReleaseKeys(execution);
        isOver = isOver || !steps.TryBuild(execution);
        if (isHolding)
        {
            // These keys were looked up before.
            (statistics.Hits, statistics.Misses) = (hits, misses);
            execution.Keys.ForgetMisses();
            if (!isOver)
                steps.Store(execution);
        }
        else if (!isOver)
        {
            execution.EnterPhase(StorePhase.Built);
        }

        return Outcome.Done;
    }

    // From here on the command has only the kept values of its keys.
    private void ReleaseKeys(SessionExecution execution)
    {
        Debug.Assert(execution.Place == ExecutionPlace.OffLoop, "it has its keys until now");
        execution.KeepKeys();
        // Clients that wait for an expired key run again themselves: no keys are held at the end.
        execution.CanServe = false;
        HandlerCall.Finish(execution);
        Release(execution);
        execution.Place = ExecutionPlace.WithoutKeys;
        if (Scheduler is null && execution.LowRankCostNs >= LoweredCostNsMin)
            _threads.LowerThis();
    }

    // False if the execution waits for the stripe: then the lane must not touch it.
    private bool TrySwitch(SessionExecution execution, int stripe)
    {
        Debug.Assert(execution.Stripes.Count <= 1, "a walk holds one stripe");
        StripeLock next = _server.Keyspace.Stripes[stripe].Lock;
        bool isSame = execution.Stripes.Contains(stripe);
        bool isWaitedFor = isSame && next.HasWaiters;
        execution.CanServe = false;
        HandlerCall.Commit(execution);
        Release(execution);
        execution.Stripes = default;
        execution.Stripes.Add(stripe);
        if (Scheduler is not null)
        {
            Resume(execution);
            return false;
        }

        // The waiters come first.
        if (isWaitedFor)
            Thread.Sleep(1);
        return _locks.TryEnterOrWait(execution);
    }

    private void Release(SessionExecution execution)
    {
        Holders.Remove(execution);
        _locks.Exit(execution);
    }
}
