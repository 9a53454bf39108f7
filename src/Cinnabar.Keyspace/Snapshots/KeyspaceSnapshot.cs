// The key space at a moment, without a copy of it (docs/adr/0020).
//
// An execution that holds all stripes takes the moment: it notes which table each database number has, and
// flips the mark of every stripe. An entry has a mark too (KeyEntry); one that differs from its stripe's is
// unsaved. New entries are born with the stripe's mark, so that they are no part of the snapshot. From then
// on the first to come by, under the stripe's lock, copies an unsaved entry and gives it the mark:
//
//   writers, before they change it (IChangeGuard)      ─┐    the stripe's     the queue      the saver
//   its loop, which walks over the tables of the moment ─┴►  open chunk  ──►  of chunks  ──► encodes
//   between its turns (SnapshotPart)
//
// So every entry is copied once, as it was at the moment, and no position is compared: growth, splits and
// merges of tables, SWAPDB, MOVE and RENAME need nothing more. A table that FLUSHDB cuts off is kept until
// the walk has passed it (Stripe.Detach). Encoding and writing need no lock. The saver takes none at all: a
// thread that shares a loop's core and loses it while it holds a stripe would stop the stripe's clients for
// milliseconds.
//
// Bounds. Copies are made faster than a disk takes them. Two numbers are counted, from a copy to the end of
// its encoding: the bytes of copies that the walk has made, with all that they refer to, above which the walk
// pauses; and those of pre-images, above which writers are held (SnapshotOptions.HoldWriters) until half of
// it is left. A removed value counts for at most half of that bound: its memory was there before the
// snapshot, so alone it makes no writer wait. An edit of a big value counts for the pages of one path: until
// the saver has come to it, the value may double, as it would under fork.
//
// A cancelled snapshot copies nothing any more, but the walk goes on, to make all marks equal again; the next
// moment waits for that (Keyspace.HasSnapshot). Marks of one bit are enough, because at a moment all entries
// have the same one. A snapshot is cancelled too where the memory for a copy is missing: a command must not
// fail for it.
//
// Limits: one snapshot at a time. Access clocks are not kept: they are those of the copy.

using Cinnabar.Keyspace.Entries;
using Cinnabar.Memory;

namespace Cinnabar.Keyspace.Snapshots;

/// <summary>A consistent view of all keys, that one thread (the saver) consumes while others change
/// them.</summary>
public sealed unsafe class KeyspaceSnapshot : IChangeGuard, IDisposable
{
    private const long ChunkBytesMin = 4 << 10;
    private const long ChunkBytesMax = 64 << 10;
    private const int OpenBytesShare = 8;
    private const long PathBytes = 8 << 10;

    private readonly Keyspace _keyspace;
    private readonly SnapshotOptions _options;
    private readonly SnapshotPart[] _parts;
    private readonly CopyQueue _queue;
    private readonly Lock _holdLock = new();
    private readonly List<SnapshotDatabase> _databases = [];
    private readonly int _chunkBytes;
    private readonly long _walkBytesMax;
    private long _backlogBytes;
    private long _walkBytes;
    private long _preImageBytes;
    private int _partsLeft;
    private bool _isHolding;
    private volatile bool _isWalkPaused;
    private volatile bool _isCancelled;

    private KeyspaceSnapshot(Keyspace keyspace, SnapshotOptions options)
    {
        (_keyspace, _options) = (keyspace, options);
        _queue = new CopyQueue(keyspace);
        // What lies in open chunks waits for the walk: all together it is a small part of the bounds.
        int stripeCount = keyspace.Stripes.Length;
        _chunkBytes = (int)Math.Clamp(
            options.BacklogBytesMax / (OpenBytesShare * stripeCount), ChunkBytesMin, ChunkBytesMax)
            - SharedBlock.HeaderBytes;
        _walkBytesMax = Math.Max(options.WalkBytesMax, 4L * _chunkBytes * stripeCount);
        for (int database = 0; database < keyspace.DatabaseCount; database++)
        {
            long count = keyspace.Count(database);
            if (count > 0)
                _databases.Add(new SnapshotDatabase(database, count, keyspace.VolatileCount(database)));
            KeyCount += count;
        }

        _parts = new SnapshotPart[stripeCount];
        for (int index = 0; index < _parts.Length; index++)
        {
            _parts[index] = new SnapshotPart(keyspace.Stripes[index], this);
            _partsLeft += _parts[index].IsOver ? 0 : 1;
        }

        keyspace.HasSnapshot = _partsLeft > 0;
        if (_partsLeft == 0)
            _queue.Complete();
    }

    /// <summary>The databases that have keys.</summary>
    public ReadOnlySpan<SnapshotDatabase> Databases => CollectionsMarshal.AsSpan(_databases);

    /// <summary>All keys, those past their deadline included.</summary>
    public long KeyCount { get; }

    /// <summary>Whether nothing is copied any more.</summary>
    public bool IsCancelled => _isCancelled;

    /// <summary>Whether memory for a copy was missing, which has cancelled it.</summary>
    public bool IsOutOfMemory { get; private set; }

    /// <summary>Bytes of pre-images that wait for the saver, with what only they still refer to.</summary>
    public long BacklogBytes => Interlocked.Read(ref _backlogBytes);

    /// <summary>Bytes of all pre-images so far, with what they refer to.</summary>
    public long PreImageBytes => Interlocked.Read(ref _preImageBytes);

    /// <summary>Whether loops are to go on with their walks.</summary>
    internal bool IsWalkWanted => !_isWalkPaused || _isCancelled;

    /// <summary>
    /// Takes the moment: the snapshot is of what the keys have now. The caller holds all stripes.
    /// </summary>
    /// <param name="keyspace">The key space, without another snapshot.</param>
    /// <param name="options">Its bound.</param>
    public static KeyspaceSnapshot Take(Keyspace keyspace, SnapshotOptions options)
    {
        Debug.Assert(!keyspace.HasSnapshot, "one snapshot at a time");
        return new KeyspaceSnapshot(keyspace, options);
    }

    /// <summary>Ends the interest in it: nothing is copied any more. On any thread. The saver must go on
    /// taking until there is nothing left.</summary>
    public void Cancel()
    {
        _isCancelled = true;
        ReleaseWriters();
        ResumeWalk();
        _queue.Interrupt();
    }

    /// <summary>A chunk of copies, for the saver; null: there is none now. It comes back by
    /// <see cref="Return"/>.</summary>
    /// <param name="isOver">Whether the saver has had them all.</param>
    public EntryCopies? TryTakeCopies(out bool isOver) => _queue.TryTake(out isOver);

    /// <summary>Waits until there are copies, or all have been taken, or it is cancelled, or a time has
    /// passed.</summary>
    public void WaitForCopies(int timeoutMs) => _queue.Wait(timeoutMs);

    /// <summary>Takes a chunk back when its entries have been written.</summary>
    public void Return(EntryCopies copies)
    {
        copies.Discard();
        long walkLeft = Interlocked.Add(ref _walkBytes, -copies.WalkBytes);
        long left = Interlocked.Add(ref _backlogBytes, -copies.PreImageBytes);
        Debug.Assert(left >= 0 && walkLeft >= 0, "more copies were written than made");
        _queue.Return(copies);
        if (left <= _options.BacklogBytesMax / 2 && Volatile.Read(ref _isHolding))
            ReleaseWriters();
        if (walkLeft <= _walkBytesMax / 2 && _isWalkPaused)
            ResumeWalk();
    }

    /// <summary>Gives up all copies. Either the walk is over, or the loops have ended.</summary>
    public void Dispose()
    {
        _isCancelled = true;
        while (TryTakeCopies(out _) is { } copies)
            Return(copies);
        foreach (SnapshotPart part in _parts)
            part.Open?.Discard();
        ReleaseWriters();
        _keyspace.UncountedBlocks.Trim();
    }

    /// <inheritdoc/>
    void IChangeGuard.BeforeChange(Stripe stripe, DatabaseTable table, EntryView entry, bool isLeaving)
    {
        if (!stripe.IsUnsaved(entry.Entry))
            return;
        Debug.Assert(table.SnapshotDatabase >= 0, "an unsaved entry in a table that is in no snapshot");
        stripe.MarkSaved(entry.Entry);
        if (!IsCopying(table.SnapshotDatabase))
            return;
        SnapshotPart part = _parts[stripe.Index];
        if (!TryCopy(part, table.SnapshotDatabase, entry.Entry, out EntryCopies copies, out long bytes))
            return;
        bytes += OutsideBytes(entry.Entry, isLeaving ? _options.BacklogBytesMax / 2 : PathBytes);
        copies.PreImageBytes += bytes;
        Interlocked.Add(ref _preImageBytes, bytes);
        bool isOver = Interlocked.Add(ref _backlogBytes, bytes) > _options.BacklogBytesMax;
        CloseIfFull(part, copies);
        if (isOver && !Volatile.Read(ref _isHolding))
            HoldWriters();
    }

    /// <summary>Whether entries of a database are copied: those of the reserve are only marked.</summary>
    internal bool IsCopying(int database) => !_isCancelled && database < _keyspace.DatabaseCount;

    /// <summary>Copies an entry that the walk has come to.</summary>
    /// <returns>Bytes of the copy, with what it refers to.</returns>
    internal long Save(SnapshotPart part, int database, byte* entry)
    {
        if (!TryCopy(part, database, entry, out EntryCopies copies, out long bytes))
            return 0;
        bytes += OutsideBytes(entry, long.MaxValue);
        copies.WalkBytes += bytes;
        if (Interlocked.Add(ref _walkBytes, bytes) > _walkBytesMax)
            _isWalkPaused = true;
        CloseIfFull(part, copies);
        return bytes;
    }

    /// <summary>The walk has passed all tables of a stripe.</summary>
    internal void EndPart(SnapshotPart part)
    {
        if (part.Open is { } copies)
            Close(part, copies);
        if (Interlocked.Decrement(ref _partsLeft) > 0)
            return;
        _queue.Complete();
        _keyspace.HasSnapshot = false;
    }

    private bool TryCopy(
        SnapshotPart part, int database, byte* entry, out EntryCopies copies, out long bytes)
    {
        nuint size = EntryCopies.SizeFor(entry);
        bytes = (long)size;
        try
        {
            copies = part.Open is { } open && open.HasRoomFor(size) ? open : Reopen(part, size);
        }
        catch (OutOfMemoryException)
        {
            // The saver reports it. Its own thread ends the hold on writers and wakes the loops.
            copies = null!;
            IsOutOfMemory = true;
            _isCancelled = true;
            _queue.Interrupt();
            return false;
        }

        copies.Add(database, entry, size);
        return true;
    }

    private EntryCopies Reopen(SnapshotPart part, nuint size)
    {
        if (part.Open is { } full)
            Close(part, full);
        EntryCopies copies = _queue.TakeEmpty();
        copies.Open(_keyspace.UncountedBlocks, nuint.Max(size, (nuint)_chunkBytes));
        part.Open = copies;
        return copies;
    }

    private void CloseIfFull(SnapshotPart part, EntryCopies copies)
    {
        if (copies.PreImageBytes + copies.WalkBytes >= _chunkBytes)
            Close(part, copies);
    }

    private void Close(SnapshotPart part, EntryCopies copies)
    {
        part.Open = null;
        _queue.Add(copies);
    }

    private static long OutsideBytes(byte* entry, long bytesMax) =>
        EntryValue.IsOutside(entry) ? Math.Min(EntryValue.MemoryBytes(entry), bytesMax) : 0;

    // A thread that just now releases writers has the lock: the next pre-image tries again.
    private void HoldWriters()
    {
        if (!_holdLock.TryEnter())
            return;
        try
        {
            if (_isHolding || _isCancelled || BacklogBytes <= _options.BacklogBytesMax)
                return;
            _isHolding = true;
            _options.HoldWriters?.Invoke(true);
        }
        finally
        {
            _holdLock.Exit();
        }
    }

    private void ReleaseWriters()
    {
        lock (_holdLock)
        {
            if (!_isHolding || (!_isCancelled && BacklogBytes > _options.BacklogBytesMax / 2))
                return;
            _isHolding = false;
            _options.HoldWriters?.Invoke(false);
        }
    }

    private void ResumeWalk()
    {
        _isWalkPaused = false;
        _options.WalkResumed?.Invoke();
    }
}
