using System.Threading;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>Waits after each key that is written (<c>rdb-key-save-delay</c>, for tests), or each command of
/// an append-only file that is loaded (<c>key-load-delay</c>). A change of the directive acts on a save or
/// load that is under way.</summary>
public sealed class KeyDelay
{
    private const double MicrosecondsPerMs = 1000;
    private const double SliceMsMax = 60_000;

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

    /// <summary>Waits, where this is configured. A thread sleeps for whole milliseconds: shorter times add
    /// up to one.</summary>
    /// <param name="cancellation">Ends the wait.</param>
    public void Wait(CancellationToken cancellation)
    {
        long delayUs = DelayUs;
        if (delayUs == 0)
            return;
        double ms;
        lock (_owedLock)
        {
            _owedMs += delayUs > 0 ? delayUs / MicrosecondsPerMs : 1 / (MicrosecondsPerMs * -delayUs);
            ms = Math.Floor(_owedMs);
            _owedMs -= ms;
        }

        if (ms > 0)
            Sleep(ms, delayUs, cancellation);
    }

    private void Sleep(double ms, long delayUs, CancellationToken cancellation)
    {
        double endMs = Environment.TickCount64 + ms;
        using CancellationTokenRegistration registration = cancellation.UnsafeRegister(
            static delay => ((KeyDelay)delay!).Wake(), this);
        lock (_changed)
        {
            while (DelayUs == delayUs && !cancellation.IsCancellationRequested)
            {
                double leftMs = endMs - Environment.TickCount64;
                if (leftMs <= 0)
                    return;
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
