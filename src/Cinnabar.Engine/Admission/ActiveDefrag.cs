// activedefrag: rounds of Keyspace/Moving while too much memory lies in sparsely used slabs. The first loop
// makes them, in slices between its turns.
//
//   each cron: enough fragments (both thresholds)? ─► a share of the time, by how many there are
//   each turn: is the next slice due? ─► steps for active-defrag-cycle-us ─► the next one after a pause that
//              makes slice and pause have that share
//
// During a round the share only grows, as in Redis; at its end the fragments are measured again. A round that
// has moved nothing is followed by a rest: what is left cannot be moved now.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Keyspace.Moving;
using Cinnabar.Memory;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Admission;

/// <summary>Decides when memory is defragmented, and does so. On the first loop; figures from any.</summary>
internal sealed class ActiveDefrag
{
    private const long NsPerMs = 1_000_000;
    private const long NsPerUs = 1000;
    private const long RestNs = 10_000 * NsPerMs;

    private readonly ConfigurationRegistry _configuration;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly Clock _clock;
    private readonly MovingRound _round;
    private volatile bool _isOn;
    private volatile int _share;
    private long _nextNs;
    private long _restEndNs;
    private long _movedBefore;
    private long _sinceNs;
    private long _totalNs;

    /// <summary>Follows the configuration.</summary>
    public ActiveDefrag(ConfigurationRegistry configuration, Keyspace.Keyspace keyspace, Clock clock)
    {
        (_configuration, _keyspace, _clock) = (configuration, keyspace, clock);
        _round = new MovingRound(keyspace);
        configuration.Follow("activedefrag", () => _isOn = configuration.NumberOf("activedefrag") != 0);
    }

    /// <summary>The share of the first loop's time that it takes, in percent; 0: it does not run.</summary>
    public int Share => _share;

    /// <summary>What was moved.</summary>
    public MovingCounts Counts => _round.Counts;

    /// <summary>Starts the counts over.</summary>
    public void ResetStatistics()
    {
        Counts.Reset();
        _movedBefore = 0;
    }

    /// <summary>For how long memory was defragmented, the present time included, in milliseconds.</summary>
    public long TotalMs => (Volatile.Read(ref _totalNs) / NsPerMs) + CurrentMs;

    /// <summary>For how long it has been so now; 0: it is not.</summary>
    public long CurrentMs => Volatile.Read(ref _sinceNs) is var since and > 0
        ? Math.Max(0, _clock.MonotonicNanoseconds - since) / NsPerMs : 0;

    /// <summary>Measures the fragments. Some times a second.</summary>
    public void Look()
    {
        if (!_isOn && !_round.IsUnderWay)
            return;
        if (!_isOn || _keyspace.Pages.IsShort)
        {
            if (_round.TryCancel())
                SetShare(0);
            return;
        }

        if (_clock.MonotonicNanoseconds < _restEndNs)
            return;
        int share = ShareFor();
        if (!_round.IsUnderWay || share > _share)
            SetShare(share);
    }

    /// <summary>Makes a slice where one is due. The loop holds no stripe.</summary>
    /// <returns>How long it took, in microseconds; 0: none was due.</returns>
    public long Run()
    {
        if (_share == 0)
            return 0;
        long startNs = _clock.MonotonicNanoseconds;
        if (startNs < _nextNs)
            return 0;
        long fieldsMax = Number("active-defrag-max-scan-fields");
        long endNs = startNs + (Number("active-defrag-cycle-us") * NsPerUs);
        long nowNs;
        bool goesOn;
        do
        {
            goesOn = _round.Step(fieldsMax);
            nowNs = _clock.MonotonicNanoseconds;
        }
        while (goesOn && nowNs < endNs);
        _nextNs = nowNs + Math.Max(1, (nowNs - startNs) * (100 - _share) / _share);
        if (!_round.IsUnderWay)
            EndRound(nowNs);
        return (nowNs - startNs) / NsPerUs;
    }

    /// <summary>How long the loop may wait for the next slice.</summary>
    public long WaitMs() => _share == 0 ? long.MaxValue
        : Math.Max(0, (_nextNs - _clock.MonotonicNanoseconds + NsPerMs - 1) / NsPerMs);

    private void EndRound(long nowNs)
    {
        bool isInVain = Counts.Moved == _movedBefore;
        _movedBefore = Counts.Moved;
        if (isInVain)
            _restEndNs = nowNs + RestNs;
        SetShare(isInVain ? 0 : ShareFor());
    }

    private long Number(string directive) => _configuration.NumberOf(directive);

    // Between the thresholds the share rises evenly, as in Redis.
    private int ShareFor()
    {
        PageUse pages = _keyspace.MeasurePages();
        long used = Math.Max(1, _keyspace.UsedBytes);
        long fragmentBytes = pages.ActiveBytes - used;
        double percent = fragmentBytes * 100.0 / used;
        long lower = Number("active-defrag-threshold-lower");
        if (percent < lower || fragmentBytes < Number("active-defrag-ignore-bytes"))
            return 0;
        long upper = Math.Max(lower + 1, Number("active-defrag-threshold-upper"));
        long min = Number("active-defrag-cycle-min");
        long max = Math.Max(min, Number("active-defrag-cycle-max"));
        return (int)Math.Clamp(min + ((max - min) * (percent - lower) / (upper - lower)), min, max);
    }

    private void SetShare(int share)
    {
        if (share > 0 && _share == 0)
        {
            Volatile.Write(ref _sinceNs, Math.Max(1, _clock.MonotonicNanoseconds));
        }
        else if (share == 0 && _share > 0)
        {
            Volatile.Write(ref _totalNs, _totalNs + _clock.MonotonicNanoseconds - _sinceNs);
            Volatile.Write(ref _sinceNs, 0);
        }

        _share = share;
    }
}
