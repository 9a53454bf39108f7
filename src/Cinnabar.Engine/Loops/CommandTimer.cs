using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Loops;

/// <summary>
/// Measures commands: a run of constant-cost commands together, each getting an equal share of the run's time; the others
/// one by one.
/// </summary>
internal sealed class CommandTimer
{
    private readonly Loop _loop;
    private readonly ServerEngine _engine;
    private readonly LoopStatistics _statistics;
    private readonly CommandId[] _run = new CommandId[CommandScanner.BatchCountMax];
    private int _runCount;
    private long _sinceNs;

    /// <summary>Makes the timer of a loop.</summary>
    public CommandTimer(Loop loop)
    {
        _loop = loop;
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
    public void Count(CommandSpec spec, bool isFailed)
    {
        ref CommandStatistics statistics = ref _statistics.Commands[(int)spec.Id];
        statistics.CallCount++;
        if (isFailed)
            statistics.FailedCount++;

        _statistics.CommandCount++;
        _run[_runCount++] = spec.Id;
        if (_runCount == _run.Length)
            Settle();
    }

    /// <summary>Ends the run: gives each of its commands its share of the time.</summary>
    public void Settle()
    {
        long nowNs = _engine.Clock.MonotonicNanoseconds;
        if (_runCount > 0)
        {
            long shareNs = (nowNs - _sinceNs) / _runCount;
            for (int index = 0; index < _runCount; index++)
                Add(_run[index], shareNs);
            _runCount = 0;
        }

        _sinceNs = nowNs;
    }

    /// <summary>Counts a command that ran alone since the last <see cref="Settle"/>.</summary>
    public void Record(SessionExecution execution, bool isFailed)
    {
        long nowNs = _engine.Clock.MonotonicNanoseconds;
        RecordAlone(execution, nowNs - _sinceNs, isFailed);
        _sinceNs = nowNs;
    }

    /// <summary>Counts a command that ran off the loop.</summary>
    public void RecordOffLoop(SessionExecution execution) =>
        RecordAlone(execution, execution.ElapsedNs, execution.IsFailed);

    /// <summary>Counts a command of a transaction.</summary>
    public void RecordNested(CommandSpec spec, long elapsedNs, bool isFailed)
    {
        ref CommandStatistics statistics = ref _statistics.Commands[(int)spec.Id];
        statistics.CallCount++;
        _statistics.CommandCount++;
        if (isFailed)
            statistics.FailedCount++;

        Add(spec.Id, elapsedNs);
    }

    private void RecordAlone(SessionExecution execution, long elapsedNs, bool isFailed)
    {
        RecordNested(execution.Spec, elapsedNs, isFailed);
        _engine.Observation.Executed(execution, elapsedNs);
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
