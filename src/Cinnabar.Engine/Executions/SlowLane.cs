// Where long work goes. An execution that would cost its loop more than half a millisecond is detached and
// runs on a thread of the pool, with the stripes it holds: only who needs those waits. Its session is
// suspended meanwhile. When it has run, it commits, releases its stripes itself, and its loop is told through
// the mailbox.

using System;
using System.Threading;
using Cinnabar.Commands;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Transactions;
using Cinnabar.Keyspace;

namespace Cinnabar.Engine.Executions;

/// <summary>Runs executions off the loops.</summary>
internal sealed unsafe class SlowLane
{
    private readonly ServerEngine _engine;
    private readonly Action<IThreadPoolWorkItem> _schedule;
    private long _runningCount;

    /// <summary>Makes the lane.</summary>
    /// <param name="engine">The server.</param>
    /// <param name="schedule">Runs a work item, on another thread or (the simulator) when it sees
    /// fit.</param>
    public SlowLane(ServerEngine engine, Action<IThreadPoolWorkItem> schedule)
    {
        _engine = engine;
        _schedule = schedule;
    }

    /// <summary>Executions in the lane.</summary>
    public long RunningCount => Interlocked.Read(ref _runningCount);

    /// <summary>Hands a detached execution over, with its stripes.</summary>
    public void Submit(SessionExecution execution)
    {
        Interlocked.Increment(ref _runningCount);
        execution.OwnOutput ??= new ReplyOutput(_engine);
        execution.Reply = execution.OwnOutput.MakeWriter();
        execution.Reply.Protocol = execution.Session.Protocol;
        execution.MustFinishHere = true;
        execution.Keys.Statistics = execution.OffLoopStatistics;
        _schedule(execution);
    }

    /// <summary>Runs an execution to its end; on the lane's thread.</summary>
    public void Run(SessionExecution execution)
    {
        try
        {
            long startNs = _engine.Clock.MonotonicNanoseconds;
            long nowMs = _engine.Clock.UnixMicroseconds / 1000;
            execution.Keys.Begin(execution.Session.Database, LockPlan.TimeOf(execution, nowMs));
            // SAFETY: the generator bound the address to a static method of this signature.
            ((delegate*<Execution, void>)execution.Spec.HandlerAddress)(execution);
            _engine.Monitors.Feed(execution);
            execution.IsFailed = execution.Reply.ErrorCount != 0;
            execution.Keys.Commit();
            execution.ElapsedNs = _engine.Clock.MonotonicNanoseconds - startNs;
            // Before the stripes are free: a big argument that became a value is still there to be looked at.
            _engine.Observation.Executed(execution, execution.ElapsedNs, execution.ReplyByteCount);
            _engine.Locks.Exit(execution);
        }
        catch (Exception fault)
        {
            _engine.Fail(fault);
            return;
        }

        execution.State = ExecutionState.Completed;
        Interlocked.Decrement(ref _runningCount);
        execution.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Resume, Target = execution });
    }

    /// <summary>Takes an execution back on its loop: adds its counters to the loop's.</summary>
    public void Collect(SessionExecution execution, Loop loop)
    {
        KeyspaceStatistics from = execution.OffLoopStatistics;
        loop.KeyspaceStatistics.Add(from);
        from.Clear();
        execution.Keys.Statistics = loop.KeyspaceStatistics;
        execution.MustFinishHere = false;
    }
}
