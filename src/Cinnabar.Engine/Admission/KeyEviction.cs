// Makes room before a command that needs memory, while its loop holds no stripe; what a slice leaves is done
// between the turns (Housekeeper) and before the next such command.
//
//   within the limit ──────────────────────────────────────► run
//   over ── values waiting to be freed? ── free some ──┐
//        ── evict a key (Evictor) ─────────────────────┴─► again, until within, or the slice is over: run
//        ── no key to evict ─────────────────────────────► refuse
//
// So a command can exceed the limit by what it takes itself; each loop runs one command at a time. A slice
// frees far more than an ordinary command takes: maxmemory-eviction-tenacity, 500 µs by default. Big values
// are freed in slices by the housekeeping; here they are freed at once, else keys would be evicted in the
// place of memory that is as good as free.
//
// As in Redis nothing is evicted while clients are paused; nor while writes are held, or data are loaded:
// then a command is judged as if there were room. While a data set is imported nothing is evicted either, but
// commands that need memory are refused, as in Valkey.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Observing;
using Cinnabar.Keyspace.Eviction;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Admission;

/// <summary>Evicts keys for one loop.</summary>
/// <param name="limit">The limit.</param>
/// <param name="latency">Gets the events <c>eviction-cycle</c> and <c>eviction-del</c>.</param>
/// <param name="settings">The configuration's values.</param>
/// <param name="clock">The clock.</param>
/// <param name="evictor">Evicts one key; the loop's own.</param>
internal sealed class KeyEviction(MemoryLimit limit, LatencyMonitor latency, Settings settings, Clock clock,
    Evictor evictor) : IDisposable
{
    private const int LinearTenacityMax = 10;
    private const int UnlimitedTenacity = 100;
    private const double TenacityBase = 1.15;
    private const long NsPerStep = 50_000;
    private const int ReclaimCount = 64;
    private const int ChecksPerClock = 8;

    private readonly MemoryLimit _limit = limit;
    private readonly Keyspace.Keyspace _keyspace = limit.Keyspace;
    private readonly LatencyMonitor _latency = latency;
    private readonly Settings _settings = settings;
    private readonly Clock _clock = clock;
    private readonly Evictor _evictor = evictor;

    /// <summary>Whether a command that needs memory may run; makes room for it if it can. The loop holds no
    /// stripe.</summary>
    public bool TryMakeRoom() => !_limit.IsShort && Run() != EvictionResult.Nothing;

    /// <summary>Evicts for a slice where the limit is exceeded. The loop holds no stripe.</summary>
    /// <returns><see cref="EvictionResult.Waiting"/>: there is more to do.</returns>
    public EvictionResult Run()
    {
        if (!_limit.NeedsRoom(isEvicting: false))
        {
            _limit.Note(isOver: false, isExhausted: false);
            return EvictionResult.Freed;
        }

        if (_limit.IsHeld)
            return EvictionResult.Freed;
        if (!_limit.MayEvict && !_keyspace.HasGarbage)
        {
            _limit.Note(isOver: true, isExhausted: true);
            return EvictionResult.Nothing;
        }

        _evictor.SampleCount = _settings.MaxMemorySamples;
        long startNs = _clock.MonotonicNanoseconds;
        EvictionResult result = RunSlice(startNs, SliceNs(_settings.EvictionTenacity));
        // The check for eviction errs to the safe side; a command is refused by the exact one.
        if (result == EvictionResult.Nothing && !_limit.IsOver)
            result = EvictionResult.Freed;
        _limit.Note(result != EvictionResult.Freed, result == EvictionResult.Nothing);
        _latency.Note(LatencyMonitor.EvictionCycle, (_clock.MonotonicNanoseconds - startNs) / 1000);
        return result;
    }

    /// <inheritdoc/>
    public void Dispose() => _evictor.Dispose();

    private EvictionResult RunSlice(long startNs, long sliceNs)
    {
        long nowMs = _clock.UnixMicroseconds / 1000;
        for (int count = 1; ; count++)
        {
            if (_keyspace.HasGarbage)
                _keyspace.ReclaimSlice(ReclaimCount);
            else if (Evict(nowMs) is var result and not EvictionResult.Freed)
                return result;
            if (!_limit.NeedsRoom(isEvicting: true))
                return EvictionResult.Freed;
            if (count % ChecksPerClock == 0 && _clock.MonotonicNanoseconds - startNs >= sliceNs)
                return EvictionResult.Waiting;
        }
    }

    private EvictionResult Evict(long nowMs)
    {
        if (!_limit.MayEvict)
            return EvictionResult.Nothing;
        if (_settings.LatencyMonitorThresholdMs == 0)
            return _evictor.TryEvict(nowMs);
        long startNs = _clock.MonotonicNanoseconds;
        EvictionResult result = _evictor.TryEvict(nowMs);
        _latency.Note(LatencyMonitor.EvictionDelete, (_clock.MonotonicNanoseconds - startNs) / 1000);
        return result;
    }

    private static long SliceNs(int tenacity) => tenacity switch
    {
        <= LinearTenacityMax => tenacity * NsPerStep,
        >= UnlimitedTenacity => long.MaxValue,
        _ => (long)(LinearTenacityMax * NsPerStep * Math.Pow(TenacityBase, tenacity - LinearTenacityMax)),
    };
}
