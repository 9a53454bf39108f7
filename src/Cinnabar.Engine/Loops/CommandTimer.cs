using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Statistics;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Loops;

/// <summary>
/// Measures commands: a run of constant-cost commands together, each getting an equal share of the run's
/// time; the others one by one. A run's commands are of one session, and their arguments are in the loop's
/// slab: those of the last are still there when the run is settled.
/// </summary>
/// <param name="server">The server.</param>
/// <param name="counters">Gets what it measures; written by the timer's thread alone.</param>
internal sealed class CommandTimer(ILoopServer server, LoopStatistics counters)
{
    // No threshold below this applies to a run: see Observation.NeedsEveryTime.
    private const long RunObservedNs = 1_000_000;

    private readonly Clock _clock = server.Clock;
    private readonly Settings _settings = server.Settings;
    private readonly Observation _observation = server.Observation;
    private readonly LoopStatistics _statistics = counters;
    // The run: how many there are of each kind, and the kinds.
    private readonly int[] _runCounts = new int[CommandTable.IdCount];
    private readonly CommandId[] _runKinds = new CommandId[CommandScanner.BatchCountMax];
    private int _runKindCount;
    private int _runCount;
    private CommandId _runLast;
    private ArgumentList _runLastArguments;
    private Session? _session;
    private long _sinceNs;

    /// <summary>When the command that is measured by itself began, in monotonic nanoseconds.</summary>
    public long SinceNs => _sinceNs;

    /// <summary>Whether a command is measured by itself, not as a share of a run.</summary>
    // A request that did not come whole into the loop's slab may be large: it is measured by itself. So are
    // the server's own commands, which read the counters of all commands before them, and set thresholds that
    // also apply to themselves.
    public bool IsTimedAlone(SessionExecution execution)
    {
        CommandSpec spec = execution.Spec;
        return !spec.IsConstantCost || _observation.NeedsEveryTime
            || execution.Session.Partial is not null || execution.OwnsArguments
            || (spec.Lock >= LockScope.None && (spec.Flags & CommandFlags.Fast) == 0);
    }

    /// <summary>Starts the clock for a session's commands: earlier time belongs to none.</summary>
    public void Begin(Session? session)
    {
        if (_runCount > 0)
            Settle();
        if (_session != session)
            _session = session;
        _sinceNs = _clock.MonotonicNanoseconds;
    }

    /// <summary>The settled time belongs to the last session; another one's commands follow.</summary>
    public void Turn(Session session)
    {
        if (_session != session)
            _session = session;
    }

    /// <summary>Counts a command of constant cost; its time is known when the run is settled.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Count(CommandId id, ArgumentList arguments, bool isFailed)
    {
        if (isFailed)
            _statistics.Commands[(int)id].FailedCount++;
        if (_runCounts[(int)id]++ == 0)
            _runKinds[_runKindCount++] = id;
        _runLast = id;
        _runLastArguments = arguments;
        if (++_runCount == CommandScanner.BatchCountMax)
            Settle();
    }

    /// <summary>Ends the run: gives each of its commands its share of the time.</summary>
    /// <returns>The monotonic time, in nanoseconds.</returns>
    public long Settle()
    {
        long nowNs = _clock.MonotonicNanoseconds;
        if (_runCount > 0)
        {
            long elapsedNs = nowNs - _sinceNs;
            long shareNs = elapsedNs / _runCount;
            for (int index = 0; index < _runKindCount; index++)
            {
                CommandId id = _runKinds[index];
                Add(id, shareNs, _runCounts[(int)id]);
                _runCounts[(int)id] = 0;
            }

            _runKindCount = 0;
            _runCount = 0;
            if (elapsedNs >= RunObservedNs && _session is { } session)
                Observe(session, elapsedNs);
        }

        _sinceNs = nowNs;
        return nowNs;
    }

    /// <summary>Nanoseconds since the last <see cref="Settle"/>, which count for a later command.
    /// </summary>
    public long Pass()
    {
        long sinceNs = _sinceNs;
        _sinceNs = _clock.MonotonicNanoseconds;
        return _sinceNs - sinceNs;
    }

    /// <summary>Adds time spent elsewhere to the next command.</summary>
    public void Credit(long elapsedNs) => _sinceNs -= elapsedNs;

    /// <summary>Counts a command that ran alone since the last <see cref="Settle"/>.</summary>
    public void Record(SessionExecution execution, bool isFailed, long replyBytes)
    {
        long nowNs = _clock.MonotonicNanoseconds;
        long elapsedNs = nowNs - _sinceNs;
        RecordNested(execution.Spec, elapsedNs, isFailed);
        _observation.Executed(execution, elapsedNs, replyBytes);
        _sinceNs = nowNs;
    }

    /// <summary>Counts a command of a transaction, or one that ran off the loop.</summary>
    public void RecordNested(CommandSpec spec, long elapsedNs, bool isFailed)
    {
        if (isFailed)
            _statistics.Commands[(int)spec.Id].FailedCount++;
        Add(spec.Id, elapsedNs, 1);
    }

    /// <summary>Counts calls of a command of a transaction or a script.</summary>
    public void RecordNested(in NestedCall call)
    {
        ref CommandStatistics statistics = ref _statistics.Commands[(int)call.Spec.Id];
        statistics.FailedCount += call.FailedCount;
        statistics.RejectedCount += call.RefusedCount;
        if (call.Count > 0)
            Add(call.Spec.Id, call.ElapsedNs / call.Count, call.Count);
    }

    // Apart, like the making of a histogram: compiled ahead, the way of every batch has no allocation and no
    // check for a class's constructor in it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Observe(Session session, long elapsedNs)
    {
        var last = new ObservedCommand(session, CommandTable.Get(_runLast), _runLastArguments);
        _observation.Took(in last, elapsedNs);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static LatencyHistogram MakeHistogram() => new();

    private void Add(CommandId id, long elapsedNs, int count)
    {
        ref CommandStatistics statistics = ref _statistics.Commands[(int)id];
        statistics.CallCount += count;
        _statistics.CommandCount += count;
        statistics.ElapsedNs += elapsedNs * count;
        if (_settings.IsLatencyTracked)
            (statistics.Latency ??= MakeHistogram()).Record(elapsedNs, count);
    }
}
