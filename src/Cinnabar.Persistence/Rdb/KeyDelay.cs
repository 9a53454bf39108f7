using System.Threading;

namespace Cinnabar.Persistence.Rdb;

/// <summary>Waits after each key that is written (<c>rdb-key-save-delay</c>, for tests), and after each key
/// or command that is loaded (<c>key-load-delay</c>). A change of the directive acts on a save or load that
/// is under way.
///
/// A thread sleeps for whole milliseconds, and longer than it asked for. So short waits add up to a sleep,
/// and what a sleep took beyond its time is taken off the next: the mean is what is configured.</summary>
public sealed class KeyDelay
{
    private const double MicrosecondsPerMs = 1000;
    private const double SliceMsMax = 60_000;

    // After a standstill of the process waits are not left out for long.
    private const double AheadMsMax = 100;

    private readonly Lock _owedLock = new();
    private readonly object _changed = new();
    private double _owedMs;
    private long _delayUs;

    /// <summary>Microseconds to wait each time; negative: for how many times it waits for one.</summary>
    public long DelayUs
    {
        get => Volatile.Read(ref _delayUs);
        set
        {
            Volatile.Write(ref _delayUs, value);
            Wake();
        }
    }

    /// <summary>Waits, where this is configured.</summary>
    /// <param name="cancellation">Ends the wait.</param>
    /// <returns>How many milliseconds it has slept.</returns>
    public double Wait(CancellationToken cancellation)
    {
        long delayUs = DelayUs;
        if (delayUs == 0)
            return 0;
        double ms;
        lock (_owedLock)
        {
            _owedMs += delayUs > 0 ? delayUs / MicrosecondsPerMs : 1 / (MicrosecondsPerMs * -delayUs);
            if (_owedMs < 1)
                return 0;
            ms = _owedMs;
            _owedMs = 0;
        }

        double sleptMs = Sleep(ms, delayUs, cancellation, out bool isWhole);
        if (isWhole)
        {
            lock (_owedLock)
                _owedMs = Math.Max(_owedMs + ms - sleptMs, -AheadMsMax);
        }

        return sleptMs;
    }

    private double Sleep(double ms, long delayUs, CancellationToken cancellation, out bool isWhole)
    {
        long start = Stopwatch.GetTimestamp();
        using CancellationTokenRegistration registration = cancellation.UnsafeRegister(
            static delay => ((KeyDelay)delay!).Wake(), this);
        lock (_changed)
        {
            while (true)
            {
                double sleptMs = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
                double leftMs = Math.Floor(ms - sleptMs);
                isWhole = leftMs < 1;
                if (isWhole || DelayUs != delayUs || cancellation.IsCancellationRequested)
                    return sleptMs;
                Monitor.Wait(_changed, TimeSpan.FromMilliseconds(Math.Min(leftMs, SliceMsMax)));
            }
        }
    }

    private void Wake()
    {
        lock (_changed)
            Monitor.PulseAll(_changed);
    }
}
