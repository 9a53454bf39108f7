// Time is read once per run of constant-cost commands: their statistics are shares of the run. Commands of
// linear cost, and all commands while a threshold below a millisecond is set, are timed one by one.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Loops;

/// <summary>Calls a loop's commands, commits what they did and accounts for them: the one place where a loop
/// does so. Their stripes are held.</summary>
/// <param name="server">The server.</param>
/// <param name="timer">Measures them.</param>
/// <param name="output">The loop's output.</param>
/// <param name="invalidations">Sends what clients that cache must forget.</param>
// The shortest path (BatchRunner) is a cheaper entry: the parameter isShort is a constant wherever these
// methods are inlined, and what does not concern a short command is not compiled into it.
internal sealed class CommandCalls(
    ILoopServer server, CommandTimer timer, SessionOutput output, InvalidationDelivery invalidations)
{
    private readonly ILoopServer _server = server;
    private readonly GateSet _gates = server.Gates;
    private readonly CommandTimer _timer = timer;
    private readonly SessionOutput _output = output;
    private readonly InvalidationDelivery _invalidations = invalidations;

    /// <summary>Runs a command whose execution has begun and holds its stripes; commits it unless it leaves
    /// its loop.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="spec">Its command.</param>
    /// <param name="isShort">See <see cref="Call"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome Run(SessionExecution execution, CommandSpec spec, bool isShort)
    {
        _invalidations.ShowBefore(execution);
        Outcome outcome = Call(execution, spec, isShort);
        if (!outcome.IsDone && (isShort || outcome.IsOffLoop))
            return outcome;
        HandlerCall.Finish(execution);
        return outcome;
    }

    /// <summary>Calls a command, unless it belongs in the slow lane from the start, or stores a built result.
    /// A finished one is counted, timed and shown to the monitors.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="spec">Its command.</param>
    /// <param name="isShort">Whether it is on the shortest path: of constant cost, never timed alone, seen by
    /// no monitor, called for the first time.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Outcome Call(SessionExecution execution, CommandSpec spec, bool isShort)
    {
        Debug.Assert(!isShort || (execution.Waiter is null && execution.StorePhase == StorePhase.None),
            "a short command has not been called before");
        if (!isShort && !execution.IsBuilt && WorkAhead.IsLong(execution))
            return Outcome.OffLoop;
        bool isTimedAlone = !isShort && BeginTime(execution);
        bool isRetry = !isShort && execution.Waiter is not null;
        long replyStart = isShort ? ShortReplyBytes(execution) : execution.ReplyByteCount;
        int errorCount = execution.Reply.ErrorCount;
        Outcome outcome = !isShort && execution.IsBuilt
            ? HandlerCall.Store(execution)
            : HandlerCall.Invoke(execution, spec);
        if (!isShort)
            Show(execution, outcome, isTimedAlone, isRetry);
        if (!outcome.IsDone)
            return outcome;
        bool isFailed = execution.Reply.ErrorCount != errorCount + (isShort ? 0 : execution.NestedErrorCount);
        long replyBytes = isShort
            ? ShortReplyBytes(execution) - replyStart : execution.ReplyBytesSince(replyStart);
        if (isTimedAlone)
        {
            _timer.Record(execution, isFailed, replyBytes);
            return outcome;
        }

        _timer.Count(spec.Id, execution.Arguments, isFailed);
        if (replyBytes >= (long)Observation.OwnSizeBelowBytes)
            _server.Observation.Replied(ObservedCommand.Of(execution), replyBytes);
        return outcome;
    }

    /// <summary>
    /// Calls a command of a transaction, under the transaction's stripes; on the loop or in the slow lane.
    /// </summary>
    public void CallNested(SessionExecution execution, CommandSpec spec)
    {
        long startNs = _server.Clock.MonotonicNanoseconds;
        long replyStart = execution.ReplyByteCount;
        int errorCount = execution.Reply.ErrorCount;
        HandlerCall.InvokeNested(execution, spec);
        long elapsedNs = _server.Clock.MonotonicNanoseconds - startNs;
        bool isFailed = execution.Reply.ErrorCount != errorCount;
        execution.NestedErrorCount += execution.Reply.ErrorCount - errorCount;
        _server.Monitors.Feed(execution);
        if (execution.State == ExecutionState.InSlowLane)
            execution.NestedCalls.Add(new NestedCall(spec, elapsedNs, 1, isFailed ? 1 : 0));
        else
            _timer.RecordNested(spec, elapsedNs, isFailed);
        _server.Observation.Executed(execution, elapsedNs, execution.ReplyBytesSince(replyStart));
    }

    // The reply of a short command goes to the loop's output, and is not muted.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe long ShortReplyBytes(SessionExecution execution) =>
        _output.ByteCountAt(execution.Reply.Cursor);

    private bool BeginTime(SessionExecution execution)
    {
        bool isTimedAlone = _timer.IsTimedAlone(execution);
        if (isTimedAlone)
            _timer.Settle();
        execution.NestedErrorCount = 0;
        return isTimedAlone;
    }

    private void Show(SessionExecution execution, Outcome outcome, bool isTimedAlone, bool isRetry)
    {
        bool isWait = outcome.Kind == OutcomeKind.Wait;
        if (!outcome.IsDone && !isWait)
            return;
        if (_gates.Has(ServerGates.Monitored) && !isRetry)
            _server.Monitors.Feed(execution);
        // One that waits counts when its wait has ended.
        if (isWait)
            execution.ElapsedNs = (isRetry ? execution.ElapsedNs : 0) + (isTimedAlone ? _timer.Pass() : 0);
    }
}
