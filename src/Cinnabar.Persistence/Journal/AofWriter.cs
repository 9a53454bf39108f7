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
// written once a second until that succeeds. What a failed flush means is said in AofFailures.

using Cinnabar.Platform;

namespace Cinnabar.Persistence.Journal;

/// <summary>Appends the stream to the file of the moment.</summary>
/// <param name="clock">The source of time.</param>
/// <param name="observer">The server.</param>
public sealed class AofWriter(Clock clock, IAofObserver observer) : IJournalSink, IDisposable
{
    /// <summary>Bytes that may wait to be written before commands that write wait.</summary>
    public const long PendingBytesMax = 32 << 20;

    private const long BegunBytesMin = 1 << 20;
    private const long PostponedNsMax = 2_000_000_000;

    private readonly Clock _clock = clock;
    private readonly IAofObserver _observer = observer;
    private readonly Lock _lock = new();
    private readonly NativeBuffer _pending = new();
    private readonly AofDisk _disk = new(clock, observer);
    private readonly AofFailures _failures = new(clock, observer);
    private StoredFile? _file;
    private bool _isFlushing;
    private bool _isSwitching;
    private bool _isFull;
    private long _postponedNs;
    private long _taken;
    private long _written;
    private long _durable;
    private long _sizeAdded;
    private long _begun;

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
                return _failures.Error;
        }
    }

    /// <summary>Whether a flush has failed, and no rewrite has replaced the file since.</summary>
    public bool IsDoubtful
    {
        get
        {
            lock (_lock)
                return _failures.FlushError is not null;
        }
    }

    // Also with the lock's holder in a write: only AofSync flushes and switches.
    private bool CanWrite =>
        _file is not null && !_isFlushing && !_isSwitching && !_failures.HasEnded
        && _failures.WriteError is null;

    /// <summary>Begins with a file, which it owns from now on.</summary>
    /// <param name="file">Opened to append.</param>
    /// <param name="position">The position that the file begins with.</param>
    public void Open(StoredFile file, long position)
    {
        lock (_lock)
        {
            Debug.Assert(_file is null && _pending.Count == 0, "one file at a time");
            _file = file;
            _failures.Clear();
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
            error = TryWriteLast() ?? _failures.FlushError;
            if (_file is not null && error is null)
                error = AofDisk.TryFlush(_file);
            _file?.Dispose();
            _file = null;
            _pending.Dispose();
            _isSwitching = false;
            _failures.Clear();
            if (error is null)
                Volatile.Write(ref _durable, _taken);
        }

        SetFull(false);
        return error;
    }

    private string? TryWriteLast()
    {
        if (_failures.HasEnded)
            return _failures.Error;
        _failures.ForgetWrite();
        WritePending();
        return _failures.WriteError;
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
            if (!_isSwitching && _failures.WriteError is null)
                WritePending();
            if (_failures.WriteError is null)
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
            if (_failures.IsRetryDue && !_isFlushing && !_isSwitching)
            {
                _failures.ForgetWrite();
                WritePending();
                if (_failures.WriteError is null)
                    _failures.NoteWriteMended();
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
            if (file is null || _isSwitching || _failures.HasEnded || _failures.FlushError is not null
                || position <= _durable)
                return false;
            Volatile.Write(ref _isFlushing, true);
        }

        long startNs = _clock.MonotonicNanoseconds;
        string? error = AofDisk.TryFlush(file);
        long tookUs = (_clock.MonotonicNanoseconds - startNs) / 1000;
        lock (_lock)
        {
            Volatile.Write(ref _isFlushing, false);
            NoteFlush(file, error, position);
        }

        if (Policy == AofFsync.Always)
            _observer.NoteWait(AofWait.FsyncAlways, tookUs);
        return error is null;
    }

    /// <summary>Has the system begin to give the disk what has been written, where that is much; by AofSync
    /// alone.</summary>
    public void BeginFlush()
    {
        long written = BytesWritten;
        if (written - _begun < BegunBytesMin || _file is not { } file)
            return;
        _begun = written;
        file.BeginFlush();
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
            NoteFlush(file, error, position);
            if (next is not null)
                _file = next;
            // What waits is written before others see that the switch is over.
            if (!_failures.HasEnded && _failures.WriteError is null)
                WritePending();
            Volatile.Write(ref _isSwitching, false);
        }

        if (next is not null)
            file.Dispose();
        WriteWaiting();
        return next is not null;
    }

    /// <summary>A rewrite is done: it has replaced all files but the present one.</summary>
    public void NoteRewritten()
    {
        lock (_lock)
            _failures.NoteRewritten(_file);
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
        while (_pending.Count > 0 && _failures.WriteError is null)
            _pending.RemoveFront(WriteFile(_pending.Slice(0, Math.Min(_pending.Count, int.MaxValue))));
        if (_pending.Count == 0)
            Volatile.Write(ref _written, _taken);
    }

    /// <summary>Writes to the file.</summary>
    /// <returns>How many bytes: all, or fewer where it failed.</returns>
    private int WriteFile(ReadOnlySpan<byte> bytes)
    {
        // As in Redis, what is asked for by DEBUG is not counted as the disk's.
        if (SleepUs > 0)
            Thread.Sleep(TimeSpan.FromMicroseconds(SleepUs));
        long startNs = _clock.MonotonicNanoseconds;
        int done = _disk.Append(_file!, bytes, out string? error);
        Volatile.Write(ref _sizeAdded, _sizeAdded + done);
        long endNs = _clock.MonotonicNanoseconds;
        long tookUs = (endNs - startNs) / 1000;
        AofWait wait = _isFlushing ? AofWait.WritePendingFsync
            : _observer.IsSaving ? AofWait.WriteActiveChild : AofWait.WriteAlone;
        _observer.NoteWait(wait, tookUs);
        _observer.NoteWait(AofWait.Write, tookUs);
        if (error is not null)
            _failures.NoteWrite(error, Policy);
        return done;
    }

    private void NoteFlush(StoredFile file, string? error, long position)
    {
        if (error is not null)
            _failures.NoteFlush(file, error, Policy);
        else if (_failures.FlushError is null)
            Volatile.Write(ref _durable, Math.Max(_durable, position));
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
