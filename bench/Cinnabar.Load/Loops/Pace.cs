using System.Diagnostics;

namespace Cinnabar.Load.Loops;

/// <summary>When batches are due. An open loop's schedule never moves: a late client must catch up. A brake's
/// moves: missed batches are not sent later.</summary>
internal sealed class Pace(double batchesPerSecond, bool isOpen)
{
    private readonly double _interval = Stopwatch.Frequency / batchesPerSecond;
    private double _due;

    /// <summary>Whether latency counts from when a batch was due.</summary>
    public bool IsOpen => isOpen;

    /// <summary>When the next batch is due, in ticks.</summary>
    public long Due => (long)_due;

    /// <summary>Begins, a share of an interval after <paramref name="now"/>.</summary>
    public void Start(long now, double share) => _due = now + share * _interval;

    /// <summary>Delays all batches by so many ticks: the load itself stood still for as long.</summary>
    public void Postpone(long ticks) => _due += ticks;

    /// <summary>Goes on to the next batch.</summary>
    public void Next(long now)
    {
        if (!isOpen && _due < now - _interval) _due = now - _interval;
        _due += _interval;
    }
}
