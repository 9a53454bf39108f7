// A segment: n buckets, where n is one of the steps of SegmentSize, and a few stash buckets behind them.
//
//      +----------+----------+-- ... --+------------+---------+-- --+---------+
//      | bucket 0 | bucket 1 |         | bucket n-1 | stash 0 |     | stash s |      128 bytes each
//      +----------+----------+-- ... --+------------+---------+-- --+---------+
//
// It has no header. What would be in it (address, n, local depth) is in the directory entry, so that a lookup
// goes from the directory straight to the bucket's line; the number of entries is counted in a microsecond
// where it is needed, and keeping it would cost every insertion a third cache line.
//
//      directory entry:  | 55..63 depth | 48..54 n | 0..47 address |
//
// Placing an entry: its home (fraction * n >> 12), else the next bucket (the last one's is the first), else
// the next bucket after an entry whose home it is has moved to the one after it ("displacement" as in Dash,
// Lu et al., VLDB 2020), else the stash. Moves need no keys: every slot holds its entry's fraction. Removal
// moves the displaced back, which keeps Bucket's invariant.
//
// How hard to try is a trade of memory against lookups away from home. Measured, segments growing when all
// fails, over a fill cycle: no more than one move and two stash buckets, 11.0 bytes a key, 6.5 % of the
// entries in the neighbour; chains of up to 12 moves and four stash buckets, 10.1 bytes and 27 %.

namespace Cinnabar.Structures.Tables;

// SAFETY: the caller holds the table's lock; its segments are live blocks of the size that n states.
/// <summary>One segment, as its directory entry describes it.</summary>
internal readonly unsafe struct Segment
{
    private readonly ulong _bits;

    public Segment(ulong bits) => _bits = bits;

    public Segment(byte* buckets, int bucketCount, int depth) =>
        _bits = (ulong)depth << 55 | (ulong)bucketCount << 48 | (ulong)buckets;

    public ulong Bits => _bits;

    public byte* Buckets
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (byte*)(_bits & TableHash.PointerMask);
    }

    public int BucketCount
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (int)(_bits >> 48) & 0x7F;
    }

    /// <summary>Local depth: how many directory bits all entries of the segment have in common.</summary>
    public int Depth
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (int)(_bits >> 55);
    }

    public int StashCount => SegmentSize.StashCount(BucketCount);

    public int TotalCount => BucketCount + StashCount;

    /// <summary>Frees all slots. The slots' own bytes may be anything.</summary>
    public void Clear()
    {
        byte* end = At(TotalCount);
        for (byte* bucket = Buckets; bucket < end; bucket += Bucket.Size)
            NativeMemory.Clear(bucket, 16);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* At(int index) => Buckets + ((nint)index << Bucket.SizeBits);

    /// <summary>The index of the home bucket of a fraction.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int HomeIndex(uint fraction) => (int)(fraction * (uint)BucketCount >> TableHash.FractionBits);

    /// <summary>The home bucket of a hash.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Home(ulong hash) => At(HomeIndex(TableHash.Fraction(hash)));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Next(int index) => index + 1 == BucketCount ? 0 : index + 1;

    /// <summary>The bucket after this one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* NextOf(byte* bucket) =>
        bucket + Bucket.Size == At(BucketCount) ? Buckets : bucket + Bucket.Size;

    public int CountEntries()
    {
        int count = 0;
        byte* end = At(TotalCount);
        for (byte* bucket = Buckets; bucket < end; bucket += Bucket.Size)
            count += Bucket.UsedCount(bucket);
        return count;
    }

    /// <summary>Puts a slot where it belongs. False, and nothing changed, when there is no room.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPlace(byte tag, ulong slot)
    {
        int index = HomeIndex(TableHash.SlotFraction(slot));
        byte* home = At(index);
        uint free = Bucket.Free(home);
        if (free == 0)
            return TryPlaceAway(index, tag, slot);

        Bucket.Put(home, BitOperations.TrailingZeroCount(free), tag, slot);
        return true;
    }

    private bool TryPlaceAway(int index, byte tag, ulong slot)
    {
        byte* home = At(index);
        int next = Next(index);
        uint free = Bucket.Free(At(next));
        if (free == 0 && TryPushOn(next))
            free = Bucket.Free(At(next));
        if (free != 0)
        {
            Bucket.Put(At(next), BitOperations.TrailingZeroCount(free), tag, slot);
            Bucket.InNeighbour(home)++;
            return true;
        }

        byte* end = At(TotalCount);
        for (byte* stash = At(BucketCount); stash < end; stash += Bucket.Size)
        {
            free = Bucket.Free(stash);
            if (free == 0)
                continue;
            Bucket.Put(stash, BitOperations.TrailingZeroCount(free), tag, slot);
            Bucket.InStash(home)++;
            return true;
        }

        return false;
    }

    /// <summary>Makes room in a full bucket: an entry whose home it is moves to the next one.</summary>
    private bool TryPushOn(int index)
    {
        byte* from = At(index);
        byte* to = At(Next(index));
        if (Bucket.Free(to) == 0)
            return false;
        int resident = IndexOfResident(from, index);
        if (resident < 0)
            return false;
        Bucket.Move(from, resident, to);
        Bucket.InNeighbour(from)++;
        return true;
    }

    /// <summary>The slot, in a bucket, of an entry whose home is the bucket with index <paramref
    /// name="home"/>; -1 when there is none.</summary>
    public int IndexOfResident(byte* bucket, int home)
    {
        for (uint used = Bucket.Used(bucket); used != 0; used &= used - 1)
        {
            int slot = BitOperations.TrailingZeroCount(used);
            if (HomeIndex(TableHash.SlotFraction(Bucket.Slot(bucket, slot))) == home)
                return slot;
        }

        return -1;
    }

    /// <summary>Frees a slot and moves entries that now fit back to their home bucket.</summary>
    public void RemoveAt(byte* home, ulong* slot)
    {
        byte* bucket = Bucket.Of(slot);
        Debug.Assert(bucket >= Buckets && bucket < At(TotalCount), "a slot of another segment");
        Debug.Assert(bucket[Bucket.IndexOf(slot)] != 0, "the slot is free already");
        bucket[Bucket.IndexOf(slot)] = 0;
        if (bucket >= At(BucketCount))
        {
            Debug.Assert(Bucket.InStash(home) > 0, "a home has lost count of its entries in the stash");
            Bucket.InStash(home)--;
            return;
        }

        Debug.Assert(bucket == home || Bucket.InNeighbour(home) > 0,
            "a home has lost count of its entries in the next bucket");
        if (bucket != home)
            Bucket.InNeighbour(home)--;
        BringHome((int)((bucket - Buckets) >> Bucket.SizeBits));
    }

    /// <summary>
    /// Fills the free slot of a bucket with an entry that belongs there, from the stash or the next bucket,
    /// and in the latter case continues with that one. It ends: each step brings one displaced entry closer
    /// to its home.
    /// </summary>
    private void BringHome(int index)
    {
        while (Bucket.Away(At(index)) != 0)
        {
            byte* home = At(index);
            if (Bucket.InStash(home) != 0)
            {
                FetchFromStash(home, index);
                return;
            }

            int next = Next(index);
            Bucket.Move(At(next), IndexOfResident(At(next), index), home);
            Bucket.InNeighbour(home)--;
            index = next;
        }
    }

    private void FetchFromStash(byte* home, int index)
    {
        byte* stash = At(BucketCount);
        int slot = IndexOfResident(stash, index);
        while (slot < 0)
        {
            stash += Bucket.Size;
            Debug.Assert(stash < At(TotalCount), "an entry that its home counts is not in the stash");
            slot = IndexOfResident(stash, index);
        }

        Bucket.Move(stash, slot, home);
        Bucket.InStash(home)--;
    }
}
