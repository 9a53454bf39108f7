using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Server;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Loops;

/// <summary>
/// Measures commands: a run of constant-cost commands together, each getting an equal share of the run's
/// time; the others one by one. A run's commands are one session's, and their arguments lie in the loop's
/// slab: those of the last are still there when the run is settled.
/// </summary>
internal sealed class CommandTimer
{
    // No threshold below this applies to a run: see Observation.NeedsEveryTime.
    private const long RunObservedNs = 1_000_000;

    private readonly ServerEngine _engine;
    private readonly LoopStatistics _statistics;
    private readonly CommandId[] _run = new CommandId[CommandScanner.BatchCountMax];
    private int _runCount;
    private ObservedCommand _runLast;
    private long _sinceNs;

    /// <summary>Makes the timer of a loop.</summary>
    public CommandTimer(Loop loop)
    {
        _engine = loop.Engine;
        _statistics = loop.Statistics;
    }

    /// <summary>Starts the clock: what lies before belongs to no command.</summary>
    public void Begin()
    {
        if (_runCount > 0)
            Settle();
        _sinceNs = _engine.Clock.MonotonicNanoseconds;
    }

    /// <summary>Counts a command of constant cost; its time is known when the run is settled.</summary>
    public void Count(SessionExecution execution, CommandSpec spec, bool isFailed)
    {
        ref CommandStatistics statistics = ref _statistics.Commands[(int)spec.Id];
        statistics.CallCount++;
        if (isFailed)
            statistics.FailedCount++;

        _statistics.CommandCount++;
        _run[_runCount++] = spec.Id;
        _runLast = new ObservedCommand(execution.Session, spec, execution.Arguments);
        if (_runCount == _run.Length)
            Settle();
    }

    /// <summary>Ends the run: gives each of its commands its share of the time.</summary>
    public void Settle()
    {
        long nowNs = _engine.Clock.MonotonicNanoseconds;
        if (_runCount > 0)
        {
            long elapsedNs = nowNs - _sinceNs;
            long shareNs = elapsedNs / _runCount;
            for (int index = 0; index < _runCount; index++)
                Add(_run[index], shareNs);
            _runCount = 0;
            if (elapsedNs >= RunObservedNs)
                _engine.Observation.Took(in _runLast, elapsedNs);
        }

        _sinceNs = nowNs;
    }

    /// <summary>Counts a command that ran alone since the last <see cref="Settle"/>.</summary>
    public void Record(SessionExecution execution, bool isFailed, long replyBytes)
    {
        long nowNs = _engine.Clock.MonotonicNanoseconds;
        long elapsedNs = nowNs - _sinceNs;
        RecordNested(execution.Spec, elapsedNs, isFailed);
        _engine.Observation.Executed(execution, elapsedNs, replyBytes);
        _sinceNs = nowNs;
    }

    /// <summary>Counts a command of a transaction, or one that ran off the loop.</summary>
    public void RecordNested(CommandSpec spec, long elapsedNs, bool isFailed)
    {
        ref CommandStatistics statistics = ref _statistics.Commands[(int)spec.Id];
        statistics.CallCount++;
        _statistics.CommandCount++;
        if (isFailed)
            statistics.FailedCount++;

        Add(spec.Id, elapsedNs);
    }

    private void Add(CommandId id, long elapsedNs)
    {
        ref CommandStatistics statistics = ref _statistics.Commands[(int)id];
        statistics.ElapsedNs += elapsedNs;
        if (!_engine.Settings.IsLatencyTracked)
            return;
        (statistics.Latency ??= new LatencyHistogram()).Record(elapsedNs);
    }
}
