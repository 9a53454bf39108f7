// Which loop a connection belongs to (docs/adr/0017).
//
// While one loop has time left, all connections are on the first one: it gets all requests in the order of
// their arrival, and only one thread wakes up.
//
//   concentrated   new connections go to the first loop, and the other loops give it their sessions back
//   spread         since a loop was busy with several sessions: new connections go to all loops in turn, and
//                  a busy loop gives sessions to the least busy one; until all of the work has fitted one
//                  loop for a while
//
// A loop's load is its working time divided by its working and waiting time; it reports it at the end of each
// period. A loop that reports nothing has slept.

namespace Cinnabar.Transport.Placing;

/// <summary>Places the connections of a server on its loops. Any loop's thread may use it; times are
/// <see cref="Stopwatch"/> ticks.</summary>
internal class Placement
{
    /// <summary>Loops report after this long, in milliseconds.</summary>
    public const int PeriodMs = 100;

    private const double BusyLoad = 0.9;
    private const double FittingLoad = 0.5;
    private const double UnevenLoad = 0.25;
    private const int FittingPeriodCount = 3;

    private readonly bool _isAlwaysSpread;
    private readonly double[] _loads;
    private readonly long[] _reportedTicks;
    private volatile bool _isSpread;
    private long _overfullTicks;
    private int _loopNext;

    /// <summary>Makes it for loops without connections.</summary>
    /// <param name="loopCount">How many loops there are.</param>
    /// <param name="isAlwaysSpread">Whether connections are spread whatever the load is.</param>
    public Placement(int loopCount, bool isAlwaysSpread)
    {
        _isAlwaysSpread = _isSpread = isAlwaysSpread;
        _loads = new double[loopCount];
        _reportedTicks = new long[loopCount];
        Array.Fill(_reportedTicks, long.MinValue / 2);
    }

    public virtual long PeriodTicks => PeriodMs * (Stopwatch.Frequency / 1000);

    /// <summary>Whether connections are on all loops.</summary>
    public bool IsSpread => _isSpread;

    /// <summary>The load of a loop, 0 to 1.</summary>
    /// <param name="workedNs">Processor time that it used, without polling.</param>
    /// <param name="waitedNs">Time that it slept or polled.</param>
    public static double LoadOf(long workedNs, long waitedNs) =>
        Math.Max(workedNs, 0) / (double)Math.Max(Math.Max(workedNs, 0) + waitedNs, 1);

    /// <summary>The loop for a new connection. On the loop that accepts.</summary>
    public virtual int PlaceNew()
    {
        if (!_isSpread)
            return 0;
        int loop = _loopNext;
        _loopNext = loop + 1 == _loads.Length ? 0 : loop + 1;
        return loop;
    }

    /// <summary>Notes how busy a loop was in the period that has just ended.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="load">Its load.</param>
    /// <param name="isDivisible">Whether several sessions caused it.</param>
    /// <param name="nowTicks">The time.</param>
    public void Report(int loop, double load, bool isDivisible, long nowTicks)
    {
        Debug.Assert(load is >= 0 and <= 1);
        Volatile.Write(ref _loads[loop], load);
        Volatile.Write(ref _reportedTicks[loop], nowTicks);
        if (load >= BusyLoad && isDivisible && _loads.Length > 1)
            _isSpread = true;
        if (_isAlwaysSpread || load >= BusyLoad || TotalLoad(nowTicks) >= FittingLoad)
            Volatile.Write(ref _overfullTicks, nowTicks);
        else if (nowTicks - Volatile.Read(ref _overfullTicks) >= FittingPeriodCount * PeriodTicks)
            _isSpread = false;
    }

    /// <summary>The share of its active sessions that a loop should give away after its report.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="nowTicks">The time.</param>
    /// <param name="target">The loop that gets them.</param>
    /// <returns>The share; 0: none.</returns>
    public virtual double ShareToGive(int loop, long nowTicks, out int target)
    {
        target = 0;
        if (!_isSpread)
            return loop == 0 ? 0 : 1;
        double load = _loads[loop];
        for (int other = 0; other < _loads.Length; other++)
        {
            if (LoadOf(other, nowTicks) < LoadOf(target, nowTicks))
                target = other;
        }

        double difference = load - LoadOf(target, nowTicks);
        return load >= BusyLoad && difference >= UnevenLoad ? difference / (2 * load) : 0;
    }

    private double TotalLoad(long nowTicks)
    {
        double total = 0;
        for (int loop = 0; loop < _loads.Length; loop++)
            total += LoadOf(loop, nowTicks);
        return total;
    }

    private double LoadOf(int loop, long nowTicks) =>
        nowTicks - Volatile.Read(ref _reportedTicks[loop]) < 2 * PeriodTicks
            ? Volatile.Read(ref _loads[loop])
            : 0;
}
