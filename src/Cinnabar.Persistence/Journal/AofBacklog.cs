using Cinnabar.Platform;

namespace Cinnabar.Persistence.Journal;

/// <summary>The gate for commands that write: it is shut when too much waits for the file, or for too long,
/// and opens when nothing waits any more. Guarded by its owner.</summary>
/// <param name="clock">The source of time.</param>
/// <param name="observer">The server.</param>
internal sealed class AofBacklog(Clock clock, IAofObserver observer)
{
    private const long BytesMax = 32 << 20;
    private const long PostponedNsMax = 2_000_000_000;

    private readonly Clock _clock = clock;
    private readonly IAofObserver _observer = observer;
    private bool _isShut;
    private bool _isOfFlush;
    private long _shutNs;
    private long _postponedNs;

    /// <summary>How often writes waited for a flush of more than two seconds.</summary>
    public long DelayedFsyncCount { get; private set; }

    /// <summary>The first byte is about to wait.</summary>
    public void NotePostponed() => _postponedNs = _clock.MonotonicNanoseconds;

    /// <summary>Whether the gate is to be shut.</summary>
    /// <param name="count">How many bytes wait.</param>
    /// <param name="isFlushing">Whether the file is being made durable.</param>
    public bool IsOverdue(long count, bool isFlushing)
    {
        if (_isShut || count > BytesMax)
            return true;
        if (!isFlushing || _clock.MonotonicNanoseconds - _postponedNs < PostponedNsMax)
            return false;
        DelayedFsyncCount++;
        _observer.Log(isWarning: false, "Asynchronous AOF fsync is taking too long (disk is busy?). Commands "
            + "that write wait for the fsync to complete, this may slow down the server.");
        return true;
    }

    /// <summary>Shuts or opens the gate.</summary>
    /// <param name="isShut">Whether it is to be shut.</param>
    /// <param name="isFlushing">Whether the file is being made durable.</param>
    /// <returns>Whether that changes it.</returns>
    public bool TrySet(bool isShut, bool isFlushing)
    {
        if (_isShut == isShut)
            return false;
        _isShut = isShut;
        long nowNs = _clock.MonotonicNanoseconds;
        if (isShut)
        {
            (_shutNs, _isOfFlush) = (nowNs, isFlushing);
        }
        else if (_isOfFlush)
        {
            // Redis writes all the same, and its write waits for the flush: the same time, the same event.
            _observer.NoteWait(AofWait.WritePendingFsync, (nowNs - _shutNs) / 1000);
            _observer.NoteWait(AofWait.Write, (nowNs - _shutNs) / 1000);
        }

        return true;
    }
}
