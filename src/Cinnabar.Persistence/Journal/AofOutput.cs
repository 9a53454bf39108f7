using Cinnabar.Platform;

namespace Cinnabar.Persistence.Journal;

/// <summary>The file of the moment, the bytes that wait to be written to it, and what stands against that.
/// Guarded by its owner, <see cref="AofWriter"/>, whose essay has the states; positions and states are
/// published for readers without the lock.</summary>
/// <param name="clock">The source of time.</param>
/// <param name="observer">The server.</param>
internal sealed class AofOutput(Clock clock, IAofObserver observer) : IDisposable
{
    private readonly IAofObserver _observer = observer;
    private readonly NativeBuffer _pending = new();
    private readonly AofDisk _disk = new(clock, observer);
    private bool _isFlushing;
    private volatile AofSwitchState _switch;
    private long _beforeSwitchCount;
    private long _written;
    private long _durable;
    private long _sizeAdded;

    /// <summary>The file; null: there is none.</summary>
    public StoredFile? File { get; set; }

    /// <summary>What has failed of it.</summary>
    public AofFailures Failures { get; } = new(clock, observer);

    /// <summary>When the file is made durable.</summary>
    public AofFsync Policy { get; set; }

    /// <summary>How long each write sleeps first, in microseconds.</summary>
    public long SleepUs
    {
        get => _disk.SleepUs;
        set => _disk.SleepUs = value;
    }

    /// <summary>Whether the file is being made durable.</summary>
    public bool IsFlushing
    {
        get => Volatile.Read(ref _isFlushing);
        set => Volatile.Write(ref _isFlushing, value);
    }

    /// <summary>What is under way between the file and the next one.</summary>
    public AofSwitchState Switch => _switch;

    /// <summary>The last position that the drain gave.</summary>
    public long Taken { get; set; }

    /// <summary>All up to this position is in the file.</summary>
    public long Written => Volatile.Read(ref _written);

    /// <summary>All up to this position survives a power loss.</summary>
    public long Durable
    {
        get => Volatile.Read(ref _durable);
        set => Volatile.Write(ref _durable, value);
    }

    /// <summary>Bytes that were appended to files.</summary>
    public long BytesWritten => Volatile.Read(ref _sizeAdded);

    /// <summary>Bytes that wait.</summary>
    public long PendingCount => _pending.Count;

    /// <summary>Whether nothing stands against a write.</summary>
    // Also with the lock's holder in a write: only AofSync flushes and switches.
    public bool CanWrite => File is not null && !_isFlushing && _switch == AofSwitchState.None
        && !Failures.HasEnded && Failures.WriteError is null;

    /// <summary>Whether a write that failed may be tried again. A part that is written and cut off again
    /// takes room for a moment, which a base may need: while one is written the disk must have room for
    /// all.</summary>
    public bool HasRoom => !_observer.IsSaving || File!.RoomBytes >= DueCount;

    private long DueCount => _switch == AofSwitchState.Stuck ? _beforeSwitchCount : _pending.Count;

    /// <summary>Begins with a file.</summary>
    public void Open(StoredFile file, long position)
    {
        Debug.Assert(File is null && _pending.Count == 0, "one file at a time");
        File = file;
        Failures.Clear();
        Taken = position;
        Volatile.Write(ref _written, position);
        Durable = position;
    }

    /// <summary>Writes, or keeps what cannot be written.</summary>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        if (CanWrite && _pending.Count == 0)
            bytes = bytes[WriteFile(bytes)..];
        if (!bytes.IsEmpty)
            _pending.Append(bytes);
    }

    /// <summary>Writes what waits for the file, until it fails.</summary>
    public void WritePending()
    {
        while (Failures.WriteError is null)
        {
            bool isStuck = _switch == AofSwitchState.Stuck;
            long count = DueCount;
            if (count == 0)
                break;
            int done = WriteFile(_pending.Slice(0, Math.Min(count, int.MaxValue)));
            _pending.RemoveFront(done);
            _beforeSwitchCount -= isStuck ? done : 0;
        }

        NoteAllWritten();
    }

    /// <summary>Where nothing waits, all that was taken is in the file.</summary>
    public void NoteAllWritten()
    {
        if (_pending.Count == 0)
            Volatile.Write(ref _written, Taken);
    }

    /// <summary>Begins a switch, which the stream has come to.</summary>
    public void BeginSwitch()
    {
        Debug.Assert(_switch == AofSwitchState.None, "one rewrite at a time");
        // The first file must be whole before the second has a byte.
        if (Failures.WriteError is null)
            WritePending();
        if (Failures.HasEnded)
            return;
        _beforeSwitchCount = _pending.Count;
        _switch = Failures.Error is null ? AofSwitchState.Due : AofSwitchState.Stuck;
    }

    /// <summary>Makes a stuck switch due, where the file has got all that belongs in front of it.</summary>
    /// <returns>Whether it has.</returns>
    public bool TryFreeSwitch()
    {
        if (_switch != AofSwitchState.Stuck || _beforeSwitchCount > 0 || Failures.FlushError is not null)
            return false;
        _switch = AofSwitchState.Due;
        return true;
    }

    /// <summary>Ends a switch, made or given up.</summary>
    /// <param name="from">The state that it is in.</param>
    public void EndSwitch(AofSwitchState from)
    {
        Debug.Assert(_switch == from && from != AofSwitchState.None, $"a switch that is {_switch} ends");
        _switch = AofSwitchState.None;
    }

    /// <summary>Drops what belongs in front of the switch, and goes on in the next file.</summary>
    /// <returns>The file of before.</returns>
    public StoredFile SkipTo(StoredFile next)
    {
        Debug.Assert(_switch == AofSwitchState.Stuck, "the file is complete");
        StoredFile before = File!;
        _pending.RemoveFront(_beforeSwitchCount);
        NoteAllWritten();
        File = next;
        EndSwitch(AofSwitchState.Stuck);
        Failures.RetryNow();
        return before;
    }

    /// <summary>A flush has ended.</summary>
    /// <param name="file">What was flushed.</param>
    /// <param name="error">Null, or the system's text for what failed.</param>
    /// <param name="position">What had been written before.</param>
    public void NoteFlush(StoredFile file, string? error, long position)
    {
        if (error is not null)
            Failures.NoteFlush(file, error, Policy);
        else if (Failures.FlushError is null)
            Durable = Math.Max(_durable, position);
    }

    /// <summary>Ends with the file.</summary>
    public void Close()
    {
        File?.Dispose();
        File = null;
        _pending.Dispose();
        Failures.Clear();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        File?.Dispose();
        _pending.Dispose();
    }

    // Gives how many bytes are in the file: all, or fewer where it failed.
    private int WriteFile(ReadOnlySpan<byte> bytes)
    {
        int done = _disk.Append(File!, bytes, _isFlushing, out string? error);
        Volatile.Write(ref _sizeAdded, _sizeAdded + done);
        if (error is not null)
            Failures.NoteWrite(error, Policy);
        return done;
    }
}
