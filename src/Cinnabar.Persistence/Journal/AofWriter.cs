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
// the replies of an "everysec" leave nevertheless. When too much waits, or for too long, commands that
// write wait (AofBacklog).
//
// A write that fails may have written a part: the file is cut off there again, the bytes are kept, and
// written once a second until that succeeds, during a save or a rewrite only where the disk has room for all
// of them. What a failed flush means is said in AofFailures.
//
// A switch to the next file, at the moment of a rewrite:
//
//   None ──Switch──► Due ──CompleteSwitch──► None    the file has all that belongs in it
//          │          ▲
//          └► Stuck ──┘ a write succeeds again
//               └──SkipSwitch, GiveUpSwitch──► None  the rewrite's base has replaced the file; it has failed
//
// Where the disk is full the switch is stuck until the rewrite's base is complete. The base has the effects
// of the bytes that the file lacks, so they are dropped when the manifest names base and next file.
//
// A file whose flush has failed is replaced in this way, too: a power loss may leave it damaged, and then no
// other may stand behind it.

using Cinnabar.Platform;

namespace Cinnabar.Persistence.Journal;

/// <summary>Appends the stream to the file of the moment.</summary>
/// <param name="clock">The source of time.</param>
/// <param name="observer">The server.</param>
public sealed class AofWriter(Clock clock, IAofObserver observer) : IJournalSink, IDisposable
{
    private const long BegunBytesMin = 1 << 20;

    private readonly Clock _clock = clock;
    private readonly IAofObserver _observer = observer;
    private readonly Lock _lock = new();
    private readonly AofOutput _output = new(clock, observer);
    private readonly AofBacklog _backlog = new(clock, observer);
    private long _begun;

    /// <summary>When the file is made durable.</summary>
    public AofFsync Policy
    {
        get => _output.Policy;
        set => _output.Policy = value;
    }

    /// <summary>How long each write sleeps first, in microseconds (DEBUG AOF-FLUSH-SLEEP).</summary>
    public long SleepUs
    {
        get => _output.SleepUs;
        set => _output.SleepUs = value;
    }

    /// <summary>Called when a switch has been met and the file is complete: the next one is to be opened
    /// (<see cref="CompleteSwitch"/>). The file's lock is held.</summary>
    public Action? Switched { get; set; }

    /// <summary>All up to this position is in the file.</summary>
    public long WrittenPosition => _output.Written;

    /// <summary>All up to this position survives a power loss.</summary>
    public long DurablePosition => _output.Durable;

    /// <summary>Bytes that wait to be written.</summary>
    public long PendingBytes
    {
        get
        {
            lock (_lock)
                return _output.PendingCount;
        }
    }

    /// <summary>Whether the file is being made durable at this moment.</summary>
    public bool IsFlushing => _output.IsFlushing;

    /// <summary>Whether a switch has been met and the next file is not open yet: what follows
    /// waits.</summary>
    public bool IsSwitching => _output.Switch == AofSwitchState.Due;

    /// <summary>Whether a switch has been met that the file is not complete for, since it cannot be written.
    /// What follows waits; replies do not.</summary>
    public bool IsSwitchStuck => _output.Switch == AofSwitchState.Stuck;

    /// <summary>How often writes waited for a flush of more than two seconds.</summary>
    public long DelayedFsyncCount => _backlog.DelayedFsyncCount;

    /// <summary>Bytes that were appended to files.</summary>
    public long BytesWritten => _output.BytesWritten;

    /// <summary>The system's text for what fails; null: nothing does.</summary>
    public string? Error
    {
        get
        {
            lock (_lock)
                return _output.Failures.Error;
        }
    }

    /// <summary>Whether a flush has failed, and no rewrite has replaced the file since.</summary>
    public bool IsDoubtful
    {
        get
        {
            lock (_lock)
                return _output.Failures.FlushError is not null;
        }
    }

    /// <summary>Begins with a file, which it owns from now on.</summary>
    /// <param name="file">Opened to append.</param>
    /// <param name="position">The position that the file begins with.</param>
    public void Open(StoredFile file, long position)
    {
        lock (_lock)
            _output.Open(file, position);
    }

    /// <summary>Ends with the file, after a last attempt to write and flush what there is.</summary>
    /// <returns>Null, or the system's text for what failed.</returns>
    public string? Close()
    {
        string? error;
        lock (_lock)
        {
            Debug.Assert(!IsFlushing, "the thread that flushes has ended, or calls this");
            // A switch that has not been made is made no more.
            if (_output.Switch != AofSwitchState.None)
                _output.EndSwitch(_output.Switch);
            error = TryWriteLast() ?? _output.Failures.FlushError;
            if (_output.File is { } file && error is null)
                error = AofDisk.TryFlush(file);
            _output.Close();
            if (error is null)
                _output.Durable = _output.Taken;
        }

        SetFull(false);
        return error;
    }

    private string? TryWriteLast()
    {
        if (_output.Failures.HasEnded)
            return _output.Failures.Error;
        _output.Failures.ForgetWrite();
        _output.WritePending();
        return _output.Failures.WriteError;
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
            if (Switched is not { } switched || _output.File is null)
                return;
            _output.BeginSwitch();
            // Where the server is about to end there is no switch: it is told so at once.
            if (!IsSwitchStuck)
                switched();
        }
    }

    /// <inheritdoc/>
    public void EndDrain(long position)
    {
        bool isFull;
        lock (_lock)
        {
            _output.Taken = position;
            _output.NoteAllWritten();
            isFull = _output.PendingCount > 0 && _backlog.IsOverdue(_output.PendingCount, IsFlushing);
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
            if (_output.Failures.IsRetryDue && !IsFlushing && !IsSwitching && _output.HasRoom)
                Retry();
            else if (_output.CanWrite && _output.PendingCount > 0)
                _output.WritePending();
            isEmpty = _output.PendingCount == 0;
        }

        if (isEmpty)
            SetFull(false);
    }

    private void Retry()
    {
        _output.Failures.ForgetWrite();
        _output.WritePending();
        if (_output.Failures.WriteError is not null)
            return;
        if (_output.TryFreeSwitch())
            Switched!();
        _output.Failures.NoteWriteMended();
    }

    /// <summary>Makes what has been written durable; by AofSync alone.</summary>
    /// <returns>Whether anything has become durable.</returns>
    public bool Flush()
    {
        StoredFile? file;
        long position;
        lock (_lock)
        {
            (file, position) = (_output.File, _output.Written);
            if (file is null || IsSwitching || _output.Failures.HasEnded
                || _output.Failures.FlushError is not null || position <= _output.Durable)
                return false;
            _output.IsFlushing = true;
        }

        long startNs = _clock.MonotonicNanoseconds;
        string? error = AofDisk.TryFlush(file);
        long tookUs = (_clock.MonotonicNanoseconds - startNs) / 1000;
        lock (_lock)
        {
            _output.IsFlushing = false;
            _output.NoteFlush(file, error, position);
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
        if (written - _begun < BegunBytesMin || _output.File is not { } file)
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
            (file, position) = (_output.File, _output.Written);
            if (!IsSwitching || file is null)
                return false;
        }

        string? error = AofDisk.TryFlush(file);
        StoredFile? next = error is null ? open() : null;
        lock (_lock)
        {
            _output.NoteFlush(file, error, position);
            if (next is not null)
                _output.File = next;
            // What waits is written before others see that the switch is over.
            if (!_output.Failures.HasEnded && _output.Failures.WriteError is null)
                _output.WritePending();
            _output.EndSwitch(AofSwitchState.Due);
        }

        if (next is not null)
            file.Dispose();
        WriteWaiting();
        return next is not null;
    }

    /// <summary>Goes on in the next file though the switch is stuck, since the present one counts no more:
    /// what belongs in it is dropped. By AofSync alone.</summary>
    /// <param name="next">The next file: the manifest names it behind the rewrite's base.</param>
    /// <param name="doubt">The system's text where a power loss may undo that; or null.</param>
    public void SkipSwitch(StoredFile next, string? doubt)
    {
        StoredFile before;
        lock (_lock)
        {
            before = _output.SkipTo(next);
            if (doubt is not null)
                _output.Failures.NoteFlush(next, doubt, Policy);
        }

        // The space of a file that is deleted is free when it has been closed.
        before.Dispose();
    }

    /// <summary>Has the stream go on in the present file though the switch is stuck, since its rewrite has
    /// failed; by AofSync alone.</summary>
    public void GiveUpSwitch()
    {
        lock (_lock)
            _output.EndSwitch(AofSwitchState.Stuck);
    }

    /// <summary>A rewrite is done: it has replaced all files but the present one.</summary>
    public void NoteRewritten()
    {
        lock (_lock)
            _output.Failures.NoteRewritten(_output.File);
    }

    /// <inheritdoc/>
    public void Dispose() => _output.Dispose();

    private void Write(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            if (_output.File is null)
                return;
            if (_output.PendingCount == 0)
                _backlog.NotePostponed();
            _output.Write(bytes);
        }
    }

    private void SetFull(bool isFull)
    {
        lock (_lock)
        {
            if (!_backlog.TrySet(isFull, IsFlushing))
                return;
        }

        _observer.NoteBacklog(isFull);
    }
}
