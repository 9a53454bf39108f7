using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Candidates;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.Locks;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Structures;
using Cinnabar.Structures.Blocks;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Tables;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace;

/// <summary>
/// All keys of a server: a power of two of stripes, each with its lock, its arena and its tables. Positions
/// come from a key's hash by one function, <see cref="StripeIndex"/>.
/// </summary>
public sealed unsafe class Keyspace : IDisposable
{
    private const int LockSpacing = 128;
    private const int SliceCount = 1024;
    private const int ArenasPerLoop = 2;
    private const int CellWords = Stripe.CellWords;

    private readonly Stripe[] _stripes;
    private readonly int _stripeShift;
    private readonly byte* _locks;
    private readonly nint* _directories;
    private readonly nuint _locksSize;
    private readonly HashSeed _seed;
    private readonly bool[] _hadTable;
    private bool _isReleased;
    private readonly FreedCounts _freed = new();

    /// <summary>Makes an empty key space.</summary>
    public Keyspace(KeyspaceOptions options)
    {
        if (!BitOperations.IsPow2(options.StripeCount) || options.StripeCount > StripeSet.CountMax)
            throw new ArgumentOutOfRangeException(nameof(options),
                "StripeCount must be a power of two up to 256.");
        _seed = options.Seed;
        (DatabaseCount, TableCount) = (options.DatabaseCount, 2 * options.DatabaseCount);
        _hadTable = new bool[TableCount];
        Clock = options.Clock;
        Pages = new PageSource(options.IsChecked, options.WantsHugePages);
        Quiescence = new Quiescence(options.LoopCount);
        Segments = new SegmentPool(Pages, Quiescence);
        UncountedBlocks = new SharedBlockPool(Pages);
        Blocks = new BlockSource(Pages);
        int arenaCount = Math.Min(ArenasPerLoop * options.LoopCount, byte.MaxValue);
        Trees = new TreeSource(Pages, in _seed, arenaCount);
        Limits = options.Limits;
        _stripeShift = 64 - BitOperations.Log2((uint)options.StripeCount);
        _stripes = new Stripe[options.StripeCount];
        BestCandidates = new BestCandidates(options.StripeCount);
        _locksSize = ((nuint)(options.StripeCount * LockSpacing) + 4095) & ~(nuint)4095;
        _locks = NativePages.Map(_locksSize, NativePages.PageSize);
        _directories = (nint*)NativeMemory.AlignedAlloc(
            (nuint)(options.StripeCount * TableCount * CellWords * sizeof(nint)), LockSpacing);
        for (int index = 0; index < _stripes.Length; index++)
            _stripes[index] = new Stripe(index, new StripeLock((int*)(_locks + (index * LockSpacing))), this);
    }

    /// <summary>Number of databases.</summary>
    public int DatabaseCount { get; }

    /// <summary>Number of databases with those of the reserve (<see cref="KeyspaceReserve"/>).</summary>
    internal int TableCount { get; }

    /// <summary>The seed of the hash of keys.</summary>
    public HashSeed Seed => _seed;

    /// <summary>The source of time.</summary>
    public Clock Clock { get; }

    /// <summary>The source of all the key space's memory.</summary>
    public PageSource Pages { get; }

    /// <summary>Says when no loop can still hold the address of a table that was freed.</summary>
    public Quiescence Quiescence { get; }

    /// <summary>The source of block trees for big strings.</summary>
    public BlockSource Blocks { get; }

    /// <summary>Memory that commands use while they run.</summary>
    public ScratchPool Scratch { get; } = new();

    /// <summary>The source of trees for big collections.</summary>
    public TreeSource Trees { get; }

    /// <summary>The sizes up to which collections are stored as small ones.</summary>
    public CollectionLimits Limits { get; }

    /// <summary>Whether values that are too big to be freed at once wait to be freed. Needs no
    /// lock.</summary>
    public bool HasGarbage => Blocks.HasGarbage || Trees.HasGarbage;

    /// <summary>The stripes.</summary>
    public ReadOnlySpan<Stripe> Stripes => _stripes;

    /// <summary>Receives changes and deadlines; set once, before the first execution.</summary>
    public IKeyspaceObserver? Observer { get; set; }

    /// <summary>The events that are noted on request.</summary>
    public ReportedEvents ReportedEvents { get; set; }

    /// <summary>Whether executions record what they do.</summary>
    public Recording Recording { get; } = new();

    /// <summary>Whether the housekeeping removes keys past their deadline (DEBUG
    /// SET-ACTIVE-EXPIRE).</summary>
    public bool IsActiveExpiryEnabled { get; set; } = true;

    /// <summary>Whether keys past their deadline stay where they are for now (CLIENT PAUSE).</summary>
    public bool IsExpiryHeld { get; set; }

    /// <summary>Whether a tool copies another server's data set into this one (<c>import-mode</c>): then keys
    /// past their deadline, also those that are given one in the past, stay until it removes them.</summary>
    public bool IsImporting { get; set; }

    /// <summary>Whether the server is a replica: its master removes keys past their deadline.</summary>
    public bool IsReplica { get; set; }

    /// <summary>Whether keys past their deadline stay until their source removes them.</summary>
    public bool KeepsExpired => IsImporting || IsReplica;

    /// <summary>
    /// Counts how often keys are used, where <c>maxmemory-policy</c> goes by that; else null: then it is
    /// noted when they were used last. The one takes the place of the other, as in Redis.
    /// </summary>
    public AccessFrequency? Frequency { get; set; }

    /// <summary>Whether a limit is set with a policy that goes by the use of each key (LRU, LFU): then no
    /// value is reported as shared, as in Redis.</summary>
    public bool IsUsePolicyInForce { get; set; }

    /// <summary>The keys that are evicted where memory is short.</summary>
    public EvictionPolicy EvictionPolicy { get; set; } = EvictionPolicy.Parse("noeviction");

    /// <summary>Whether a snapshot is under way: then no other can be taken. Becomes true under all
    /// locks.</summary>
    public bool HasSnapshot { get; internal set; }

    internal BestCandidates BestCandidates { get; }

    internal SegmentPool Segments { get; }

    /// <summary>Memory that no limit counts: copies for the snapshot under way, which go with it, and
    /// invalidations that wait for their clients' loops.</summary>
    public SharedBlockPool UncountedBlocks { get; }

    /// <summary>
    /// The directory of the table that a key's hash leads to in a database: one load, where stripe, table and
    /// its state would be four. It lives as long as the lock is held, or until the loop's next quiescent
    /// point.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte* Directory(ulong hash, int database) =>
        // SAFETY: there is a cell for every stripe and database. ORDER: acquire, against TableCore.Publish.
        (byte*)Volatile.Read(ref *Cell(hash, database));

    /// <summary>The cell of a table: its directory, and how often addresses that were prefetched have become
    /// invalid (<c>TableCore.NoteChange</c>).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal nint* Cell(ulong hash, int database) =>
        _directories + (((StripeIndex(hash) * TableCount) + database) * CellWords);

    /// <summary>The cells of a stripe's directories, one a database.</summary>
    internal nint* DirectoriesOf(int stripe) => _directories + (stripe * TableCount * CellWords);

    /// <summary>Begins to load where a key's hash leads to in a database. Needs no lock; on a loop, within a
    /// turn.</summary>
    /// <param name="hash">The hash.</param>
    /// <param name="database">The database.</param>
    /// <param name="version">For <see cref="ExpectedEntry"/>.</param>
    /// <returns>The place, for <see cref="GuessSlot"/> in the same turn.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Prefetch(ulong hash, int database, out nint version)
    {
        nint* cell = Cell(hash, database);
        // ORDER: the version first: what is found afterwards is not older (TableCore.NoteChange).
        version = Volatile.Read(ref cell[1]);
        return SegmentTable<KeyEntry>.Prefetch((byte*)Volatile.Read(ref *cell), hash);
    }

    /// <summary>The slot of the entry that lies at a place, some time after <see cref="Prefetch"/>.</summary>
    /// <returns>The slot, for <see cref="EntryIn"/> in the same turn and for <see cref="ExpectedEntry"/>;
    /// null: none seems to be there.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* GuessSlot(byte* place, ulong hash) => SegmentTable<KeyEntry>.Guess(place, hash);

    /// <summary>The address of the entry in such a slot, to be prefetched.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* EntryIn(byte* slot) => SegmentTable<KeyEntry>.EntryIn(slot);

    /// <summary>Begins to load the lines of an entry behind its first.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void PrefetchRest(byte* entry, int lineCount)
    {
        for (int line = 1; line < lineCount; line++)
            CacheLine.Prefetch(entry + (line * CacheLine.Size));
    }

    /// <summary>The hash of a key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong Hash(ReadOnlySpan<byte> key) => SipHash.Hash(key, in _seed);

    /// <summary>The hashes of <see cref="SipHash.LaneCount"/> keys of one length.</summary>
    /// <param name="keys">Their first bytes.</param>
    /// <param name="length">The length of each.</param>
    /// <param name="hashes">Receives the hashes.</param>
    public void HashLanes(byte** keys, int length, ulong* hashes) =>
        SipHash.HashLanes(keys, length, in _seed, hashes);

    /// <summary>Which stripe a key with this hash lies in.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int StripeIndex(ulong hash) => _stripeShift == 64 ? 0 : (int)(hash >> _stripeShift);

    /// <summary>The stripe that a key with this hash lies in.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Stripe StripeOf(ulong hash) => _stripes[StripeIndex(hash)];

    /// <summary>Bytes in use for everything: blocks of arenas and pools, and regions of big values.</summary>
    public long UsedBytes => Pages.UsedBytes + Blocks.RegionUsedBytes;

    /// <summary>Bytes that no limit counts: those blocks, and what replicas have not taken.</summary>
    public long UncountedBytes => UncountedBlocks.UsedBytes + ReplicaBytes;

    /// <summary>Bytes that are kept only until replicas have taken them: replication sets it.</summary>
    public long ReplicaBytes { get; set; }

    /// <summary>Whether <see cref="UsedBytes"/>, less <see cref="UncountedBytes"/>, is more than a number.
    /// Much cheaper than the exact value, unless the two are close.</summary>
    public bool CountedMoreThan(long bytes) =>
        Pages.UsesMoreThan(bytes - Blocks.RegionUsedBytes + UncountedBytes);

    /// <summary>The same at the price of one comparison; true already a little below the number.</summary>
    public bool MayCountMoreThan(long bytes) =>
        Pages.MayUseMoreThan(bytes - Blocks.RegionUsedBytes + UncountedBytes);

    /// <summary>Bytes mapped for everything.</summary>
    public long MappedBytes => Pages.MappedBytes;

    /// <summary>Keys that FLUSHDB and its like cut off, and big values that UNLINK left to the housekeeping,
    /// whose memory is not free yet.</summary>
    public long PendingCount => _freed.PendingCount(HasGarbage);

    /// <summary>Such keys and values whose memory was freed since the last reset.</summary>
    public long FreedCount => _freed.FreedCount(HasGarbage);

    /// <summary>Starts <see cref="FreedCount"/> over.</summary>
    public void ResetFreedCount() => _freed.Reset(HasGarbage);

    /// <summary>Counts a big value that UNLINK has removed: as freed once there is no garbage.</summary>
    public void NoteUnlinked() => _freed.NoteUnlinked();

    // Most databases never have a key: they cost one check instead of one a stripe.
    private long SumOf(int database, Func<DatabaseTable, long> one)
    {
        long sum = 0;
        foreach (Stripe stripe in _hadTable[database] ? _stripes : [])
            sum += stripe.Table(database) is { } table ? one(table) : 0;
        return sum;
    }

    /// <summary>
    /// Number of keys in a database, those past their deadline and not yet removed included. Exact when all
    /// stripes are locked; otherwise a sum of counts of slightly different instants.
    /// </summary>
    public long Count(int database) => SumOf(database, static table => table.Entries.Count);

    /// <summary>Bytes of a database's tables, directories and buckets; to be asked with all stripes
    /// locked.</summary>
    public long TableBytes(int database) => SumOf(database, static table => table.Entries.OverheadBytes);

    /// <summary>Notes that a database has a table in some stripe.</summary>
    internal void NoteTable(int database) => _hadTable[database] = true;

    internal void NoteDetached(long count) => _freed.NoteDetached(count);

    internal void NoteFreed(long count) => _freed.NoteFreed(count);

    /// <summary>Number of keys with a deadline in a database; exact as <see cref="Count"/> is.</summary>
    public long VolatileCount(int database) => SumOf(database, static table => table.VolatileCount);

    /// <summary>Number of hashes that have fields with deadlines in a database; exact as
    /// <see cref="Count"/> is.</summary>
    public long VolatileFieldsCount(int database) =>
        SumOf(database, static table => table.VolatileFieldsCount);

    /// <summary>Mean time to live in milliseconds of the keys that have a deadline; 0 where there are
    /// none.</summary>
    public long MeanTimeToLiveMs(int database, long nowMs)
    {
        Int128 sum = 0;
        long count = 0;
        foreach (Stripe stripe in _stripes)
        {
            if (stripe.Table(database) is { } table)
            {
                sum += table.DeadlineSumMs;
                count += table.VolatileCount;
            }
        }

        return count == 0 ? 0 : (long)Int128.Max(0, (sum / count) - nowMs);
    }

    /// <summary>Whether <see cref="KeyspaceAccess.Flush"/> has cut off what is not free yet, or big values
    /// wait to be freed. Needs no lock.</summary>
    public bool HasDetached
    {
        get
        {
            foreach (Stripe stripe in _stripes)
            {
                if (stripe.HasDetached)
                    return true;
            }

            return HasGarbage;
        }
    }

    /// <summary>
    /// Frees at once what <see cref="KeyspaceAccess.Flush"/> cut off, and big values without references; all
    /// stripes are locked.
    /// </summary>
    public void FreeDetached()
    {
        DropDetached();
        while (ReclaimSlice(SliceCount))
        {
        }
    }

    /// <summary>
    /// Frees at once what <see cref="KeyspaceAccess.Flush"/> cut off if it has few keys; all stripes are
    /// locked. Big values are freed in slices.
    /// </summary>
    /// <param name="keyCountMax">How many are few.</param>
    /// <param name="isCounted">Whether <see cref="FreedCount"/> counts them.</param>
    public void FreeDetachedIfFew(long keyCountMax, bool isCounted)
    {
        long count = _freed.DetachedCount;
        if (count > keyCountMax)
            return;
        DropDetached();
        if (!isCounted)
            _freed.Uncount(count);
    }

    private void DropDetached()
    {
        foreach (Stripe stripe in _stripes)
        {
            while (stripe.DropSlice(SliceCount))
            {
            }
        }
    }

    /// <summary>Frees some memory of big values without references. Needs no lock.</summary>
    /// <param name="count">About how many leaves or pages.</param>
    /// <returns>Whether there is more to do.</returns>
    public bool ReclaimSlice(int count)
    {
        bool hasMore = Blocks.ReclaimSlice(count) | Trees.ReclaimSlice(count);
        if (!hasMore)
            _freed.SettleUnlinked(HasGarbage);
        return hasMore;
    }

    /// <summary>Frees all keys; nothing may use the key space afterwards.</summary>
    public void ReleaseEntries()
    {
        if (_isReleased)
            return;
        _isReleased = true;
        foreach (Stripe stripe in _stripes)
            stripe.Dispose();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        ReleaseEntries();
        Scratch.Dispose();
        Segments.Dispose();
        UncountedBlocks.Dispose();
        Blocks.Dispose();
        Trees.Dispose();
        Quiescence.Poll();
        // SAFETY: every loop and every execution has ended, so no lock word is in use.
        NativePages.Unmap(_locks, _locksSize);
        NativeMemory.AlignedFree(_directories);
        Pages.Dispose();
    }
}
