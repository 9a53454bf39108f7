// Time is read once per run of constant-cost commands: their statistics are shares of the run. Commands of
// linear cost, and all commands while a threshold below a millisecond is set, are timed one by one.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Loops;

/// <summary>Calls a loop's commands and accounts for them; their stripes are held.</summary>
internal sealed class CommandCalls(Loop loop, CommandTimer timer)
{
    private readonly ILoopServer _server = loop.Server;
    private readonly GateSet _gates = loop.Server.Gates;
    private readonly CommandTimer _timer = timer;

    /// <summary>Calls a command whose execution has begun, unless it belongs in the slow lane from the start,
    /// or stores a built result. A finished one is counted, timed and shown to the monitors.</summary>
    public Outcome Call(SessionExecution execution, CommandSpec spec)
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
            _server.Monitors.Feed(execution);
        if (!outcome.IsDone)
        {
            // It counts when its wait has ended.
            execution.ElapsedNs = (isRetry ? execution.ElapsedNs : 0) + (isTimedAlone ? _timer.Pass() : 0);
            return outcome;
        }

        bool isFailed = execution.Reply.ErrorCount != errorCount + execution.NestedErrorCount;
        if (isTimedAlone)
            _timer.Record(execution, isFailed, execution.ReplyBytesSince(replyStart));
        else
            _timer.Count(spec.Id, execution.Arguments, isFailed);
        if (!isTimedAlone && execution.ReplyBytesSince(replyStart) >= (long)Observation.OwnSizeBelowBytes)
            _server.Observation.Replied(ObservedCommand.Of(execution), execution.ReplyBytesSince(replyStart));
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
}
