using Cinnabar.Keyspace.Candidates;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Locks;
using Cinnabar.Memory;
using Cinnabar.Structures.Deadlines;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace;

/// <summary>
/// A part of the key space: one lock, one arena, one index of deadlines, and a table per database, made when
/// first written to. A key lies in the same stripe in every database.
/// </summary>
public sealed unsafe class Stripe : IDisposable
{
    /// <summary>Words of a cell: directory and version (<see cref="Keyspace.Cell"/>).</summary>
    internal const int CellWords = 2;

    private readonly DatabaseTable?[] _tables;
    private readonly nint* _directories;
    private readonly List<DatabaseTable> _detached = [];
    private readonly List<DatabaseTable> _kept = [];
    private readonly SegmentPool _segments;
    private readonly HashSeed _seed;
    private readonly Keyspace _keyspace;
    private int _identityNext;
    private int _interests;

    internal Stripe(int index, StripeLock stripeLock, Keyspace keyspace)
    {
        Index = index;
        Lock = stripeLock;
        _seed = keyspace.Seed;
        _segments = keyspace.Segments;
        _tables = new DatabaseTable?[keyspace.TableCount];
        _directories = keyspace.DirectoriesOf(index);
        for (int database = 0; database < _tables.Length; database++)
            Place(database, null);
        Arena = new Arena(keyspace.Pages, $"stripe {index}");
        Deadlines = new DeadlineIndex(Arena, keyspace.Clock.UnixMicroseconds / 1000);
        _keyspace = keyspace;
    }

    /// <summary>Position among the stripes of the key space.</summary>
    public int Index { get; }

    /// <summary>The stripe's lock: everything below is guarded by it.</summary>
    public StripeLock Lock { get; }

    /// <summary>The memory of the stripe's entries.</summary>
    public Arena Arena { get; }

    /// <summary>The deadlines of the stripe's keys.</summary>
    public DeadlineIndex Deadlines { get; }

    /// <summary>The deadlines that clients of a writable replica have set; null: none.</summary>
    internal OwnDeadlines? OwnDeadlines { get; set; }

    /// <summary>Whether there are any. Racy without the lock.</summary>
    public bool HasOwnDeadlines => OwnDeadlines is { Count: > 0 };

    /// <summary>The latest time, Unix milliseconds, that an execution took under this lock: time never goes
    /// back.</summary>
    public long TimeMs { get; set; }

    /// <summary>Why changes are reported to the observer.</summary>
    public StripeInterests Interests => (StripeInterests)_interests;

    /// <summary>Whether changes are reported to the observer.</summary>
    public bool IsObserved => _interests != 0;

    /// <summary>Whether clients cache values of the stripe's keys.</summary>
    internal bool IsTracked => (Interests & (StripeInterests.TrackedKeys | StripeInterests.Prefixes)) != 0;

    /// <summary>As <see cref="IsObserved"/>, while a client waits for a key of this stripe. Set under the
    /// lock; cleared without it, when no waiter is left.</summary>
    public bool HasWaiters { get; set; }

    /// <summary>Is called before every change of an entry; null while it is not needed.</summary>
    public IChangeGuard? Guard { get; set; }

    /// <summary>The walk that the stripe's loop makes over it; null: there is none.</summary>
    public IStripeWalk? Walk { get; set; }

    /// <summary>The keys to evict next, where a policy evicts.</summary>
    internal EvictionPool Candidates { get; } = new();

    /// <summary>What new entries are marked with. An entry in a table that has another mark is to be saved by
    /// the snapshot that is under way; without one all have this mark.</summary>
    internal int SnapshotMark { get; set; }

    /// <summary>Number of databases, those of the reserve included.</summary>
    internal int DatabaseCount => _tables.Length;

    /// <summary>A lower bound of the earliest deadline, readable without the lock;
    /// <see cref="long.MaxValue"/>: none.</summary>
    public long DeadlineNextMs { get; internal set; } = long.MaxValue;

    /// <summary>Whether tables that were cut off still hold memory; readable without the lock.</summary>
    public bool HasDetached => _detached.Count > 0;

    /// <summary>Whether there is memory to be freed in slices; readable without the lock.</summary>
    public bool HasGarbage => HasDetached || Deadlines.IsCompactionDue;

    /// <summary>What the compaction of the index of deadlines that is under way, or the next, marks entries
    /// with.</summary>
    internal int CompactionMark { get; private set; } = 1;

    /// <summary>The table of a database, or null where the database has never had a key in this
    /// stripe.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public DatabaseTable? Table(int database) => _tables[database];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void BeforeChange(DatabaseTable table, byte* entry) =>
        Guard?.BeforeChange(this, table, new EntryView(entry), isLeaving: false);

    /// <summary>As <see cref="BeforeChange"/>, where the entry's value is removed or replaced.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void BeforeRemoval(DatabaseTable table, byte* entry) =>
        Guard?.BeforeChange(this, table, new EntryView(entry), isLeaving: true);

    /// <summary>Whether the snapshot that is under way has yet to save an entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsUnsaved(byte* entry) => KeyEntry.SnapshotMark(entry) != SnapshotMark;

    /// <summary>Gives an entry that no snapshot has to save, or that has been saved, the stripe's
    /// mark.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void MarkSaved(byte* entry) => KeyEntry.SetSnapshotMark(entry, SnapshotMark);

    /// <summary>Begins or ends to report changes for a reason. From any thread: an execution that holds the
    /// stripe may not see it any more.</summary>
    public void SetInterest(StripeInterests interest, bool isOn)
    {
        if (isOn)
            Interlocked.Or(ref _interests, (int)interest);
        else
            Interlocked.And(ref _interests, ~(int)interest);
    }

    internal DatabaseTable TableOrNew(int database) => _tables[database] ?? NewTable(database);

    /// <summary>The number of the database whose table has this identity; −1 where it is gone.</summary>
    internal int DatabaseOf(int identity)
    {
        for (int database = 0; database < _tables.Length; database++)
        {
            if (_tables[database] is { } table && table.Identity == identity)
                return database;
        }

        return -1;
    }

    /// <summary>Makes an entry for a table of this stripe: header, deadline (negative: none), key, and room
    /// for a payload, whose contents are undefined. No snapshot that is under way has it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte* NewEntry(
        KeyType type, KeyEncoding encoding, ReadOnlySpan<byte> key, long deadlineMs, int payloadSize)
    {
        byte* entry = Arena.Allocate(KeyEntry.SizeOf(key.Length, payloadSize, deadlineMs >= 0));
        KeyEntry.Initialize(entry, type, encoding, key, deadlineMs);
        MarkSaved(entry);
        return entry;
    }

    /// <summary>Frees an entry that no table points to any more, with its value.</summary>
    internal void Free(byte* entry)
    {
        Debug.Assert(!IsUnsaved(entry), "an entry goes that has not announced it");
        FreeDropped(entry);
    }

    private void FreeDropped(byte* entry)
    {
        if (EntryValue.IsOutside(entry))
            EntryValue.Release(entry, _keyspace.Blocks, _keyspace.Trees);
        Arena.Free(entry, KeyEntry.Size(entry));
    }

    /// <summary>Chooses the mark of the next compaction.</summary>
    internal void AdvanceCompactionMark() =>
        CompactionMark = CompactionMark == KeyEntry.CompactionMarkMax ? 1 : CompactionMark + 1;

    internal void Swap(int first, int second)
    {
        DatabaseTable? table = _tables[first];
        Place(first, _tables[second]);
        Place(second, table);
    }

    /// <summary>Cuts a database's table off; its memory is freed in slices.</summary>
    internal long Detach(int database)
    {
        if (_tables[database] is not { } table || table.Entries.Count == 0)
            return 0;
        table.Entries.PublishTo(null);
        Place(database, null);
        Deadlines.NoteStale(table.VolatileCount + table.VolatileFieldsCount);
        if (table.SnapshotDatabase >= 0)
            _kept.Add(table);
        else
            AddDetached(table);
        return table.Entries.Count;
    }

    /// <summary>Lets a table that was cut off be freed: the snapshot that it was kept for has passed
    /// it.</summary>
    internal void DropKept(DatabaseTable table)
    {
        Debug.Assert(table.SnapshotDatabase < 0, "the snapshot still needs the table");
        bool isKept = _kept.Remove(table);
        Debug.Assert(isKept, "the table was not kept");
        AddDetached(table);
    }

    /// <summary>States that a snapshot has passed every entry of a table. Reads them all.</summary>
    [Conditional("DEBUG")]
    internal void AssertSaved(DatabaseTable table)
    {
        var visitor = new CheckingVisitor(this);
        ulong cursor = 0;
        do
            cursor = table.Entries.Scan(cursor, ref visitor);
        while (cursor != 0);
    }

    /// <summary>Frees some entries of tables that were cut off.</summary>
    /// <returns>Whether there are more.</returns>
    public bool DropSlice(int entryCountMax)
    {
        if (_detached.Count == 0)
            return false;
        DatabaseTable table = _detached[^1];
        var visitor = new FreeingVisitor(this);
        long before = table.Entries.Count;
        bool isEmpty = table.Entries.DropSlice(entryCountMax, ref visitor);
        _keyspace.NoteFreed(before - table.Entries.Count);
        if (!isEmpty)
            return true;
        table.Entries.Dispose();
        _detached.RemoveAt(_detached.Count - 1);
        return _detached.Count > 0;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (DatabaseTable? table in _tables)
        {
            if (table is null)
                continue;
            table.Entries.PublishTo(null);
            _detached.Add(table);
        }

        _detached.AddRange(_kept);
        _kept.Clear();
        Array.Clear(_tables);
        while (DropSlice(int.MaxValue))
        {
        }

        Deadlines.Dispose();
        Arena.Dispose();
    }

    private void AddDetached(DatabaseTable table)
    {
        _detached.Add(table);
        _keyspace.NoteDetached(table.Entries.Count);
    }

    private DatabaseTable NewTable(int database)
    {
        var table = new DatabaseTable(_segments, in _seed, _identityNext++);
        Place(database, table);
        return table;
    }

    /// <summary>Makes a table, or none, that of a database, and lets lookups find it.</summary>
    // SAFETY: there is a cell for every database; tables that are cut off release theirs first.
    private void Place(int database, DatabaseTable? table)
    {
        _tables[database] = table;
        nint* cell = _directories + (database * CellWords);
        if (table is not null)
        {
            _keyspace.NoteTable(database);
            table.Entries.PublishTo(cell);
            return;
        }

        // ORDER: the version behind the directory, as in TableCore.
        Volatile.Write(ref *cell, (nint)_segments.EmptyDirectory);
        Volatile.Write(ref cell[1], cell[1] + 1);
    }

    private readonly struct FreeingVisitor(Stripe stripe) : IEntryVisitor
    {
        public void Visit(byte* entry) => stripe.FreeDropped(entry);
    }

    private readonly struct CheckingVisitor(Stripe stripe) : IEntryVisitor
    {
        public void Visit(byte* entry) =>
            Debug.Assert(!stripe.IsUnsaved(entry), "the walk of a snapshot has missed an entry");
    }
}
