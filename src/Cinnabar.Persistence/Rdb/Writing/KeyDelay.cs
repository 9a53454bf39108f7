using System.Threading;
using Cinnabar.Platform;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>Waits after each key that is written (<c>rdb-key-save-delay</c>, for tests), or each command of
/// an append-only file that is loaded (<c>key-load-delay</c>). A change of the directive acts on a save or
/// load that is under way.</summary>
public sealed class KeyDelay
{
    private const int MicrosecondsPerMs = 1000;

    private readonly Lock _randomLock = new();
    private readonly object _changed = new();
    private RandomSource _random = new(seed: 1);
    private long _delayUs;

    /// <summary>Microseconds to wait each time; negative: one in so many times it waits for one.</summary>
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
    public void Wait(CancellationToken cancellation)
    {
        long delayUs = DelayUs;
        if (delayUs == 0)
            return;
        if (delayUs >= MicrosecondsPerMs)
            WaitLong(delayUs, cancellation);
        else if (delayUs > 0)
            Thread.Sleep(TimeSpan.FromMicroseconds(delayUs));
        else if (IsChosen(-delayUs))
            Thread.Sleep(TimeSpan.FromMicroseconds(1));
    }

    private bool IsChosen(long oneIn)
    {
        lock (_randomLock)
            return _random.NextBelow((ulong)oneIn) == 0;
    }

    private void WaitLong(long delayUs, CancellationToken cancellation)
    {
        long endMs = Environment.TickCount64 + (delayUs / MicrosecondsPerMs);
        using CancellationTokenRegistration registration = cancellation.UnsafeRegister(
            static delay => ((KeyDelay)delay!).Wake(), this);
        lock (_changed)
        {
            while (DelayUs == delayUs && !cancellation.IsCancellationRequested)
            {
                long leftMs = endMs - Environment.TickCount64;
                if (leftMs <= 0)
                    return;
                Monitor.Wait(_changed, TimeSpan.FromMilliseconds(leftMs));
            }
        }
    }

    private void Wake()
    {
        lock (_changed)
            Monitor.PulseAll(_changed);
    }
}
