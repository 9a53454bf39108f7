// From the stream of the journal to a file. The drain calls Write on any thread; the thread of AofSync makes
// durable what was written. Both run side by side, so the state has a lock, which is held during a write and
// never during a flush.
//
//   drain ──► Write ──► file                      while nothing stands against it
//                 └───► pending ──► file          while the file is being flushed, after an error, while
//                                                 the next file is being opened
//
//   taken     the last position that the drain gave
//   written   all up to here is in the file
//   durable   all up to here survives a power loss
//
// A write to a file that is being flushed may wait for that flush. So it is postponed, as Redis postpones it;
// the replies of an "everysec" leave nevertheless. More than PendingBytesMax, or postponed for more than two
// seconds, and commands that write wait (IAofObserver.NoteBacklog).
//
// A write that fails may have written a part: the file is cut off there again, the bytes are kept, and
// written once a second until that succeeds. With "always" a failed write or flush is the end of the server:
// what a system has after a failed flush is not known, whatever later ones say.

using Cinnabar.Platform;

namespace Cinnabar.Persistence.Journal;

/// <summary>Appends the stream to the file of the moment.</summary>
/// <param name="clock">The source of time.</param>
/// <param name="observer">The server.</param>
public sealed class AofWriter(Clock clock, IAofObserver observer) : IJournalSink, IDisposable
{
    /// <summary>Bytes that may wait to be written before commands that write wait.</summary>
    public const long PendingBytesMax = 32 << 20;

    private const long PostponedNsMax = 2_000_000_000;
    private const long RetryNs = 1_000_000_000;

    private readonly Clock _clock = clock;
    private readonly IAofObserver _observer = observer;
    private readonly Lock _lock = new();
    private readonly NativeBuffer _pending = new();
    private readonly AofDisk _disk = new(clock, observer);
    private StoredFile? _file;
    private bool _isFlushing;
    private bool _isSwitching;
    private bool _isFull;
    private bool _hasEnded;
    private string? _writeError;
    private string? _flushError;
    private long _postponedNs;
    private long _retryNs;
    private long _taken;
    private long _written;
    private long _durable;
    private long _sizeAdded;

    /// <summary>When the file is made durable.</summary>
    public AofFsync Policy { get; set; }

    /// <summary>How long each write sleeps first, in microseconds (DEBUG AOF-FLUSH-SLEEP).</summary>
    public long SleepUs { get; set; }

    /// <summary>Called when a switch has been met and the file is complete: the next one is to be opened
    /// (<see cref="CompleteSwitch"/>). The file's lock is held.</summary>
    public Action? Switched { get; set; }

    /// <summary>All up to this position is in the file.</summary>
    public long WrittenPosition => Volatile.Read(ref _written);

    /// <summary>All up to this position survives a power loss.</summary>
    public long DurablePosition => Volatile.Read(ref _durable);

    /// <summary>Bytes that wait to be written.</summary>
    public long PendingBytes
    {
        get
        {
            lock (_lock)
                return _pending.Count;
        }
    }

    /// <summary>Whether the file is being made durable at this moment.</summary>
    public bool IsFlushing => Volatile.Read(ref _isFlushing);

    /// <summary>Whether a switch has been met and the next file is not open yet: what follows
    /// waits.</summary>
    public bool IsSwitching => Volatile.Read(ref _isSwitching);

    /// <summary>How often writes waited for a flush of more than two seconds.</summary>
    public long DelayedFsyncCount { get; private set; }

    /// <summary>Bytes that were appended to files.</summary>
    public long BytesWritten => Volatile.Read(ref _sizeAdded);

    /// <summary>The system's text for what fails; null: nothing does.</summary>
    public string? Error
    {
        get
        {
            lock (_lock)
                return _writeError ?? _flushError;
        }
    }

    // Also with the lock's holder in a write: only AofSync flushes and switches.
    private bool CanWrite =>
        _file is not null && !_isFlushing && !_isSwitching && !_hasEnded && _writeError is null;

    /// <summary>Begins with a file, which it owns from now on.</summary>
    /// <param name="file">Opened to append.</param>
    /// <param name="position">The position that the file begins with.</param>
    public void Open(StoredFile file, long position)
    {
        lock (_lock)
        {
            Debug.Assert(_file is null && _pending.Count == 0, "one file at a time");
            _file = file;
            (_writeError, _flushError) = (null, null);
            _taken = position;
            Volatile.Write(ref _written, position);
            Volatile.Write(ref _durable, position);
        }
    }

    /// <summary>Ends with the file, after a last attempt to write and flush what there is.</summary>
    /// <returns>Null, or the system's text for what failed.</returns>
    public string? Close()
    {
        string? error;
        lock (_lock)
        {
            Debug.Assert(!_isFlushing, "the thread that flushes has ended, or calls this");
            error = TryWriteLast();
            if (_file is not null && error is null)
                error = AofDisk.TryFlush(_file);
            _file?.Dispose();
            _file = null;
            _pending.Dispose();
            (_isSwitching, _writeError, _flushError) = (false, null, null);
            if (error is null)
                Volatile.Write(ref _durable, _taken);
        }

        _observer.NoteStatus(null);
        SetFull(false);
        return error;
    }

    private string? TryWriteLast()
    {
        if (_hasEnded)
            return _writeError ?? _flushError;
        _writeError = null;
        WritePending();
        return _writeError;
    }

    /// <inheritdoc/>
    public void Write(long offset, ReadOnlySpan<byte> bytes) => Write(bytes);

    /// <inheritdoc/>
    public void WriteAnnotation(ReadOnlySpan<byte> bytes) => Write(bytes);

    /// <inheritdoc/>
    public void Switch(long offset)
    {
        lock (_lock)
        {
            if (Switched is not { } switched || _file is null)
                return;
            // The first file must be whole before the second has a byte.
            if (!_isSwitching && _writeError is null)
                WritePending();
            if (_writeError is null)
                Volatile.Write(ref _isSwitching, true);
            switched();
        }
    }

    /// <inheritdoc/>
    public void EndDrain(long position)
    {
        bool isFull;
        lock (_lock)
        {
            _taken = position;
            if (_pending.Count == 0)
                Volatile.Write(ref _written, position);
            isFull = _pending.Count > 0 && IsOverdue();
        }

        if (isFull)
            SetFull(true);
    }

    /// <summary>Writes what waits, where nothing stands against it any more.</summary>
    public void WriteWaiting()
    {
        bool isEmpty;
        lock (_lock)
        {
            if (_writeError is not null && _clock.MonotonicNanoseconds >= _retryNs && !_isFlushing
                && !_isSwitching && !_hasEnded)
            {
                _writeError = null;
                WritePending();
                if (_writeError is null)
                {
                    _observer.Log(isWarning: true,
                        "AOF write error looks solved. The server can write again.");
                    _observer.NoteStatus(_flushError);
                }
            }
            else if (CanWrite && _pending.Count > 0)
            {
                WritePending();
            }

            isEmpty = _pending.Count == 0;
        }

        if (isEmpty)
            SetFull(false);
    }

    /// <summary>Makes what has been written durable; by AofSync alone.</summary>
    /// <returns>Whether anything has become durable.</returns>
    public bool Flush()
    {
        StoredFile? file;
        long position;
        lock (_lock)
        {
            (file, position) = (_file, _written);
            if (file is null || _isSwitching || _hasEnded || (position <= _durable && _flushError is null))
                return false;
            Volatile.Write(ref _isFlushing, true);
        }

        long startNs = _clock.MonotonicNanoseconds;
        string? error = AofDisk.TryFlush(file);
        long tookUs = (_clock.MonotonicNanoseconds - startNs) / 1000;
        lock (_lock)
        {
            Volatile.Write(ref _isFlushing, false);
            NoteFlush(error);
            _hasEnded |= error is not null && Policy == AofFsync.Always;
            if (error is null)
                Volatile.Write(ref _durable, Math.Max(_durable, position));
        }

        if (Policy == AofFsync.Always)
        {
            _observer.NoteWait(AofWait.FsyncAlways, tookUs);
            if (error is not null)
                _observer.Fail("Can't persist AOF for fsync error when the AOF fsync policy is 'always': "
                    + $"{error}. Exiting...");
        }

        return error is null;
    }

    /// <summary>Goes on in the next file after a switch; by AofSync alone.</summary>
    /// <param name="open">Makes the next file, after which it counts: it is in the manifest. Null where that
    /// failed: the stream goes on in the present file.</param>
    /// <returns>Whether there was a switch and it succeeded.</returns>
    public bool CompleteSwitch(Func<StoredFile?> open)
    {
        StoredFile? file;
        long position;
        lock (_lock)
        {
            (file, position) = (_file, _written);
            if (!_isSwitching || file is null)
                return false;
        }

        string? error = AofDisk.TryFlush(file);
        StoredFile? next = error is null ? open() : null;
        lock (_lock)
        {
            if (error is null)
                Volatile.Write(ref _durable, Math.Max(_durable, position));
            NoteFlush(error);
            if (next is not null)
                _file = next;
            // What waits is written before others see that the switch is over.
            if (!_hasEnded && _writeError is null)
                WritePending();
            Volatile.Write(ref _isSwitching, false);
        }

        if (next is not null)
            file.Dispose();
        WriteWaiting();
        return next is not null;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _file?.Dispose();
        _pending.Dispose();
    }

    private void Write(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            if (_file is null)
                return;
            if (_pending.Count == 0)
                _postponedNs = _clock.MonotonicNanoseconds;
            if (CanWrite && _pending.Count == 0)
            {
                int done = WriteFile(bytes);
                bytes = bytes[done..];
            }

            if (!bytes.IsEmpty)
                _pending.Append(bytes);
        }
    }

    private void WritePending()
    {
        while (_pending.Count > 0 && _writeError is null)
            _pending.RemoveFront(WriteFile(_pending.Slice(0, Math.Min(_pending.Count, int.MaxValue))));
        if (_pending.Count == 0)
            Volatile.Write(ref _written, _taken);
    }

    /// <summary>Writes to the file.</summary>
    /// <returns>How many bytes: all, or fewer where it failed.</returns>
    private int WriteFile(ReadOnlySpan<byte> bytes)
    {
        long startNs = _clock.MonotonicNanoseconds;
        if (SleepUs > 0)
            Thread.Sleep(TimeSpan.FromMicroseconds(SleepUs));
        int done = _disk.Append(_file!, bytes, out string? error);
        Volatile.Write(ref _sizeAdded, _sizeAdded + done);
        long endNs = _clock.MonotonicNanoseconds;
        long tookUs = (endNs - startNs) / 1000;
        AofWait wait = _isFlushing ? AofWait.WritePendingFsync
            : _observer.IsSaving ? AofWait.WriteActiveChild : AofWait.WriteAlone;
        _observer.NoteWait(wait, tookUs);
        _observer.NoteWait(AofWait.Write, tookUs);
        if (error is not null)
            NoteWriteError(error, endNs);
        return done;
    }

    private void NoteWriteError(string error, long nowNs)
    {
        _writeError = error;
        _retryNs = nowNs + RetryNs;
        _hasEnded |= Policy == AofFsync.Always;
        if (_hasEnded)
            _observer.Fail("Can't recover from AOF write error when the AOF fsync policy is 'always'. "
                + "Exiting...");
        _observer.NoteStatus(error);
    }

    private void NoteFlush(string? error)
    {
        if (error is null && _flushError is null)
            return;
        if (error is not null && Policy != AofFsync.Always)
            _observer.Log(isWarning: true, $"Fail to fsync the AOF file: {error}");
        _flushError = error;
        _observer.NoteStatus(_writeError ?? _flushError);
    }

    // The gate for writes is shut at the bound; it opens when nothing waits any more.
    private bool IsOverdue()
    {
        if (_isFull || _pending.Count > PendingBytesMax)
            return true;
        if (!_isFlushing || _clock.MonotonicNanoseconds - _postponedNs < PostponedNsMax)
            return false;
        DelayedFsyncCount++;
        _observer.Log(isWarning: false, "Asynchronous AOF fsync is taking too long (disk is busy?). Commands "
            + "that write wait for the fsync to complete, this may slow down the server.");
        return true;
    }

    private void SetFull(bool isFull)
    {
        lock (_lock)
        {
            if (_isFull == isFull)
                return;
            _isFull = isFull;
        }

        _observer.NoteBacklog(isFull);
    }
}
