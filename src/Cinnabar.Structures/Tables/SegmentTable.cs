// SegmentTable: an off-heap hash table from keys to entries, made of small segments under a directory.
//
// What it is for. The keyspace of a stripe and database, and every hash, set and sorted set too large for a
// compact encoding. The entry is a block of native memory that holds its own key; the table holds addresses.
// What counts, in this order: few cache misses a lookup (directory, bucket line, slot line, entry), no long
// pause when it grows, few bytes a key at *every* fill, a walk (SCAN) that remembers nothing.
//
//      63        52 51                      20 19        8 7       0
//      +-----------+--------------------------+-----------+---------+
//      |  stripe   |  position (32 bits)      | fraction  |   tag   |      the 64 bits of a hash
//      +-----------+--------------------------+-----------+---------+
//        not ours    which segment              which       which
//                    (bent, see below)          bucket      slot
//
//      directory (2^depth entries)          segment: 4..126 buckets     bucket: 14 tags, 14 slots
//      +------------------------------+     +---------------------+     +-----------------------+
//      | depth, n, address of segment | --> | bucket 0 .. n-1     | --> | 12 bits fraction,     |
//      | ...                          |     | stash buckets       |     | 4 bits position,      |
//      +------------------------------+     +---------------------+     | 48 bits address       | --> entry
//                                                                       +-----------------------+
//
// A lookup takes depth bits of the position from the top, reads the directory entry, goes to bucket
// fraction * n >> 12, compares 14 tags at once, and for a tag that agrees compares the fraction in the slot
// before it touches an entry; so about one in 1,000 lookups reads a wrong entry. An entry that is not in its
// home bucket is in the next one or in the segment's stash, and the home bucket counts how many are in each:
// Bucket, Segment.
//
// Each segment grows by itself (extendible hashing: Fagin, Nievergelt, Pippenger, Strong, 1979; segments of
// buckets with tags and stash: Dash, Lu et al., VLDB 2020). Two things keep the bytes per key flat:
// * Segments grow in steps (71, 83, 100, 126 buckets, then two of 71), each when it is about 90 % full. A
//   split alone would halve the load at one stroke.
// * Positions are bent (TableHash.Position) as in spiral storage (Martin, 1979): the first segments of the
//   line are loaded twice as densely as the last. With even positions all segments of all stripes would come
//   to each step at the same fill; they would all be copied within a short time, and as the blocks of one
//   size were left, as much memory of the next would be needed beside them. Bent, a constant small part of
//   the segments is at each step at any time, and what one segment leaves the next one takes.
//
// A growth step moves slots and reads no keys: the fraction in a slot gives the bucket at any n, and its four
// position bits serve four splits (TableGrowth reads keys every fourth). TableShrink goes the other way.
// Scan order and its proof: TableScan. Uniform sampling: TableSampler.
//
// Invariants
// * An entry is in its home, in the bucket after it, or in the stash of the segment that covers its position;
//   away from home only while the home is full; the home's two counts are exact.
// * A segment of depth d is led to by 2^(depth - d) adjacent directory entries, aligned to that number.
// * Slots of a segment of depth d hold position bits d & ~3 .. d | 3, counted from the top.
//
// Why not the simpler thing. One array that doubles (Swiss table): 13 to 194 ms pauses for 1 to 10 million
// keys, and incremental rehash costs two lookups and 27 bytes a key while it lasts. Chained buckets: 17 bytes
// and one more miss. Counters in a segment header: one more line dirtied by every insertion.
//
// Threads. Everything happens under the owner's lock but Prefetch and Guess, which any loop may call
// at any time between Quiescence.Enter and Exit. They read memory that may be stale: a directory block that
// now serves another table, a segment that was given back. That is why such memory is type-stable
// (SegmentPool), why the depth stands in the directory block, and why an entry's address is prefetched, and
// followed only under the lock and where the table's version says that nothing has changed since
// (TableCore.NoteChange).
//
// Limits: addresses of 48 bits; a hash that spreads (SipHash under a secret seed). More than 56 entries of
// equal position and fraction find no room however often their segment splits: Insert then throws.

using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Structures.Tables;

/// <summary>A hash table of native entries. Not thread-safe, but for the two prefetches.</summary>
/// <param name="pool">The memory of this server's tables.</param>
/// <param name="seed">What <see cref="ITableEntry.Hash"/> is called with when a split reads keys.</param>
public sealed unsafe class SegmentTable<TEntry>(
    SegmentPool pool, in HashSeed seed) : IDisposable where TEntry : struct, ITableEntry
{
    private TableCore _core = new TableCore(pool, seed);

    /// <summary>How many entries are in the table.</summary>
    public long Count => _core.Count;

    /// <summary>Native bytes the table occupies beside its entries.</summary>
    public long OverheadBytes => _core.OverheadBytes;

    /// <summary>The entry with this key, or null.</summary>
    /// <param name="hash">The key's hash.</param>
    /// <param name="key">The key.</param>
    public byte* Find(ulong hash, ReadOnlySpan<byte> key)
    {
        ulong* slot = Locate(hash, key);
        return slot == null ? null : TableHash.SlotEntry(*slot);
    }

    /// <summary>Finds the place of the entry with this key.</summary>
    public bool TryFind(ulong hash, ReadOnlySpan<byte> key, out SlotReference slot)
    {
        ulong* found = Locate(hash, key);
        slot = new SlotReference(found, hash);
        return found != null;
    }

    /// <summary>Puts another entry with the same key into a place.</summary>
    /// <param name="slot">From <see cref="TryFind"/>, with no insertion or removal since.</param>
    /// <param name="entry">The entry that takes the old one's place.</param>
    public void Replace(SlotReference slot, byte* entry)
    {
        Debug.Assert(((ulong)entry & ~TableHash.PointerMask) == 0 && entry != null, "no address of an entry");
        *slot.Slot = *slot.Slot & ~TableHash.PointerMask | (ulong)entry;
        _core.NoteChange();
    }

    /// <summary>Takes the entry at a place out of the table. The entry itself is the caller's.</summary>
    /// <param name="slot">From <see cref="TryFind"/>, with no insertion or removal since.</param>
    public void RemoveAt(SlotReference slot)
    {
        Debug.Assert(_core.Count > 0, "an entry is taken out of an empty table");
        uint position = TableHash.Position(slot.Hash);
        Segment segment = TableDirectory.Find(_core.Directory, position);
        segment.RemoveAt(segment.Home(slot.Hash), slot.Slot);
        _core.NoteChange();
        _core.Count--;
        if (TableShrink.IsDue(ref _core))
            TableShrink.Step(ref _core, position);
    }

    /// <summary>Takes the entry with this key out of the table and returns it; null when there is
    /// none.</summary>
    public byte* Remove(ulong hash, ReadOnlySpan<byte> key)
    {
        if (!TryFind(hash, key, out SlotReference slot))
            return null;
        byte* entry = slot.Entry;
        RemoveAt(slot);
        return entry;
    }

    /// <summary>Adds an entry whose key is known not to be in the table.</summary>
    /// <param name="hash">The hash of the entry's key.</param>
    /// <param name="entry">An address below 2^48; not null.</param>
    /// <exception cref="InvalidOperationException">The hash does not spread the entries; the table is as it
    /// was.</exception>
    /// <exception cref="OutOfMemoryException">The system gives no more memory; the table is as it
    /// was.</exception>
    public void Insert(ulong hash, byte* entry)
    {
        Debug.Assert(entry != null && ((ulong)entry & ~TableHash.PointerMask) == 0);
        uint position = TableHash.Position(hash);
        byte tag = TableHash.Tag(hash);
        Segment segment = TableDirectory.Find(_core.Directory, position);
        while (_core.SlotCount == 0 || !segment.TryPlace(tag, TableHash.Slot(hash, segment.Depth, entry)))
        {
            TableGrowth<TEntry>.Grow(ref _core, position);
            segment = TableDirectory.Find(_core.Directory, position);
        }

        _core.NoteChange();
        _core.Count++;
    }

    /// <summary>
    /// Enumerates the entries which, as far as the table knows without reading them, have exactly this hash:
    /// equal tag, fraction and some position bits. The caller verifies. No change between two calls.
    /// </summary>
    /// <param name="hash">The hash sought.</param>
    /// <param name="index">0 at first; afterwards as left by the last call.</param>
    /// <returns>The next such entry, or null when there are no more.</returns>
    public byte* FindByHash(ulong hash, ref int index)
    {
        Segment segment = TableDirectory.Find(_core.Directory, TableHash.Position(hash));
        byte* home = segment.Home(hash);
        ulong expected = TableHash.Slot(hash, segment.Depth, null);
        int bucketCount = Bucket.Away(home) == 0 ? 1 : 2 + segment.StashCount;
        while (index < bucketCount * Bucket.SlotCount)
        {
            int bucketIndex = index / Bucket.SlotCount;
            byte* bucket = bucketIndex switch
            {
                0 => home,
                1 => segment.NextOf(home),
                _ => segment.At(segment.BucketCount + bucketIndex - 2),
            };
            uint matches = Bucket.Matches(bucket, TableHash.Tag(hash)) >> index % Bucket.SlotCount;
            if (matches == 0)
            {
                index = (bucketIndex + 1) * Bucket.SlotCount;
                continue;
            }

            index += BitOperations.TrailingZeroCount(matches) + 1;
            ulong slot = Bucket.Slot(bucket, (index - 1) % Bucket.SlotCount);
            if ((slot & ~TableHash.PointerMask) == expected)
                return TableHash.SlotEntry(slot);
        }

        return null;
    }

    /// <summary>Keeps a cell of two words, from now on, at the address of the table's directory, which the
    /// static lookups begin with, and at a count of the changes that make prefetched addresses invalid. Null:
    /// none.</summary>
    public void PublishTo(nint* cell) => _core.PublishTo(cell);

    /// <summary>The slot of the entry with this key in the table of a directory, or null; under the table's
    /// lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* FindIn(byte* directory, ulong hash, ReadOnlySpan<byte> key) =>
        (byte*)Locate(directory, hash, key);

    /// <summary>A slot that was found by its address (<see cref="FindIn"/>).</summary>
    public static SlotReference ReferenceTo(byte* slot, ulong hash) => new((ulong*)slot, hash);

    /// <summary>
    /// Begins to load the lines in which the hash's entry would be found. Needs no lock; the caller is
    /// between <c>Quiescence.Enter</c> and <c>Exit</c>.
    /// </summary>
    /// <returns>The place, for <see cref="Guess"/>, before the same <c>Exit</c>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Prefetch(byte* directory, ulong hash)
    {
        byte* home = TableDirectory.Find(directory, TableHash.Position(hash)).Home(hash);
        CacheLine.Prefetch(home);
        CacheLine.Prefetch(home + CacheLine.Size);
        return home;
    }

    /// <summary>The slot that may be the hash's, some time after <see cref="Prefetch"/>. Needs no
    /// lock.</summary>
    /// <param name="home">What <see cref="Prefetch"/> returned.</param>
    /// <param name="hash">The hash.</param>
    /// <returns>The slot, for <see cref="EntryIn"/>; null: none seems to be the hash's.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Guess(byte* home, ulong hash)
    {
        // SAFETY: tags and slots may belong to another table (see "Threads" above). They are only compared,
        // and what looks like an address is only prefetched, which never faults. Behind the last bucket,
        // whose neighbour is the first, lies the stash: a wrong guess, in the same block of memory.
        byte* slot = Match(home, hash);
        return slot != null || Bucket.InNeighbour(home) == 0 ? slot : Match(home + Bucket.Size, hash);
    }

    /// <summary>The address of the entry in a slot that <see cref="Guess"/> found: for prefetches, and as
    /// long as the table's version is the same, under its lock, the entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* EntryIn(byte* slot) => TableHash.SlotEntry(*(ulong*)slot);

    /// <summary>
    /// One step of a walk over the whole table: visits a few entries, or none. What is in the table from the
    /// first call to the last is visited, just once, whatever else happens to the table between the
    /// calls; nothing with the same hash is visited twice.
    /// </summary>
    /// <param name="cursor">0 at first; afterwards what the last call returned: 38 bits. Any number is
    /// safe.</param>
    /// <param name="visitor">Receives the entries; must not change the table.</param>
    /// <returns>The next cursor, or 0 when the walk has come to its end.</returns>
    public ulong Scan<TVisitor>(ulong cursor, ref TVisitor visitor)
        where TVisitor : struct, IEntryVisitor, allows ref struct =>
        TableScan<TEntry>.Step(in _core, cursor, ref visitor);

    /// <summary>A random entry, each exactly as likely as any other; null when the table is empty.</summary>
    public byte* Sample(ref RandomSource random) => TableSampler.Sample(ref _core, ref random);

    /// <summary>Visits the entries of neighbouring buckets, from where a hash leads to, until the visitor has
    /// enough.</summary>
    /// <param name="countMax">After this many entries, a bucket more at most, the run ends.</param>
    /// <param name="start">A hash, of any key or of none: chooses the first bucket.</param>
    /// <param name="visitor">Receives the entries; must not change the table.</param>
    public void VisitRun<TVisitor>(long countMax, ulong start, ref TVisitor visitor)
        where TVisitor : struct, IRunVisitor, allows ref struct =>
        TableRun.Visit(ref _core, countMax, start, ref visitor);

    /// <summary>
    /// Frees a table in slices: hands about <paramref name="entryCountMax"/> entries to the visitor (at most
    /// a bucket more). Once begun, nothing else may be done with the table until it is through; then it is
    /// empty and usable.
    /// </summary>
    /// <returns>True when the table is empty.</returns>
    public bool DropSlice<TVisitor>(int entryCountMax, ref TVisitor visitor)
        where TVisitor : struct, IEntryVisitor, allows ref struct =>
        TableDrop.Slice(ref _core, entryCountMax, ref visitor);

    /// <summary>The shape of the table. Walks all of it.</summary>
    public TableStatistics Statistics() => TableStatistics.Of(ref _core);

    /// <summary>Gives directory and segments back; the entries are the caller's. The table is then
    /// empty.</summary>
    public void Dispose() => TableShrink.Reset(ref _core);

    /// <summary>What is wrong with the table, or null. For tests: reads every entry.</summary>
    internal string? FindFault() => TableVerifier<TEntry>.FindFault(ref _core);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong* Locate(ulong hash, ReadOnlySpan<byte> key) => Locate(_core.Directory, hash, key);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong* Locate(byte* directory, ulong hash, ReadOnlySpan<byte> key)
    {
        Segment segment = TableDirectory.Find(directory, TableHash.Position(hash));
        byte* home = segment.Home(hash);
        ulong* slot = LocateIn(home, hash, key);
        return slot != null || Bucket.Away(home) == 0 ? slot : LocateAway(segment, home, hash, key);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong* LocateIn(byte* bucket, ulong hash, ReadOnlySpan<byte> key)
    {
        // SAFETY: under the lock every used slot holds the address of a live entry.
        for (uint matches = Bucket.Matches(bucket, TableHash.Tag(hash)); matches != 0; matches &= matches - 1)
        {
            ulong* slot = (ulong*)(bucket + 16) + BitOperations.TrailingZeroCount(matches);
            if ((*slot ^ hash << 44) >> 52 == 0 && TEntry.Matches(TableHash.SlotEntry(*slot), key))
                return slot;
        }

        return null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong* LocateAway(Segment segment, byte* home, ulong hash, ReadOnlySpan<byte> key)
    {
        ulong* slot = Bucket.InNeighbour(home) == 0 ? null : LocateIn(segment.NextOf(home), hash, key);
        if (slot != null || Bucket.InStash(home) == 0)
            return slot;
        byte* end = segment.At(segment.TotalCount);
        for (byte* stash = segment.At(segment.BucketCount); slot == null && stash < end; stash += Bucket.Size)
            slot = LocateIn(stash, hash, key);
        return slot;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* Match(byte* bucket, ulong hash)
    {
        for (uint matches = Bucket.Matches(bucket, TableHash.Tag(hash)); matches != 0; matches &= matches - 1)
        {
            ulong* slot = (ulong*)(bucket + 16) + BitOperations.TrailingZeroCount(matches);
            if ((*slot ^ hash << 44) >> 52 == 0)
                return (byte*)slot;
        }

        return null;
    }
}
