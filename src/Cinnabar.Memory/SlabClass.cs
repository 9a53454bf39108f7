// The slabs with blocks of one size, in two doubly linked lists: those with room, those without.
//
//   Open:  slab ⇄ slab ⇄ slab      the first one serves; a slab found full on the way moves to Full
//   Full:  slab ⇄ slab             moves to the front of Open with the first block freed in it
//   Leaving:  slab ⇄ slab          serves none: its blocks are being moved, until it is empty or all stay
//
// Fresh blocks are served to the end of one page at a time. An allocation that meets that end opens the next
// page and counts it (SlabUse), on the path that also handles a full slab: the common path needs no count.
//
// A slab whose last block was freed is unlinked and handed to the caller. A slab that just ceased to be full
// goes to the front: it is the fullest of all, and filling it first lets the others become empty. An
// allocation costs a few instructions and touches the block, the slab's header and this structure. Guarded by
// its owner's lock.

namespace Cinnabar.Memory;

/// <summary>All slabs of one block size; lives in pinned or native memory.</summary>
internal unsafe struct SlabClass
{
    private const int FullnessLevels = 64;

    internal Slab* Open;
    internal Slab* Full;
    internal Slab* Leaving;
    internal uint BlockSize;
    internal uint MixedCount; // live blocks of this size in mixed slabs
    internal SlabUse* Use;

    /// <summary>Allocates a block; null: a slab must be added first.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte* TryAllocate()
    {
        Slab* slab = Open;
        if (slab != null)
        {
            byte* block = slab->Freed;
            if (block != null)
            {
                // SAFETY: a freed block belongs to the slab alone until it is allocated; its first word
                // links.
                slab->Freed = *(byte**)block;
                slab->UsedCount++;
                return block;
            }
            block = slab->Fresh;
            if (block <= slab->FreshLast)
            {
                slab->Fresh = block + BlockSize;
                slab->UsedCount++;
                return block;
            }
        }
        return TryAllocateFurther();
    }

    /// <summary>Frees a block.</summary>
    /// <returns>The slab if this was its last block: it is no longer in a list and the caller's; or if it is
    /// mixed: then the block is still marked as taken there; else null.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Slab* Free(byte* block)
    {
        Slab* slab = Slab.Of(block);
        Debug.Assert(slab->UsedCount > 0, "a block is freed in a slab that has none");
        Debug.Assert(slab->IsMixed || block < slab->Fresh, "a block is freed that was never taken");
        Debug.Assert(slab->IsMixed || (nuint)(block - Slab.StartOf(slab)) % BlockSize == 0,
            "a block is freed as one of another size");
        // SAFETY: the caller gives up the block, so only the slab accesses it and may link through it.
        *(byte**)block = slab->Freed;
        slab->Freed = block;
        int usedCount = --slab->UsedCount;
        if (usedCount != 0 && !slab->IsFull)
            return null;
        return Relink(slab);
    }

    /// <summary>Adds an empty slab, which serves from now on.</summary>
    internal void Add(Slab* slab)
    {
        Debug.Assert(BlockSize > 0 && BlockSize <= Slab.RoomOf(slab), "a block does not fit into its slab");
        slab->Freed = null;
        slab->Fresh = Slab.StartOf(slab);
        slab->FreshLast = slab->Fresh - 1;
        slab->UsedCount = 0;
        slab->IsFull = false;
        slab->IsMixed = false;
        slab->IsLeaving = false;
        Link(ref Open, slab);
    }

    /// <summary>Takes any slab out, with whatever lives in it, or returns null: for disposal.</summary>
    internal Slab* RemoveAny()
    {
        Slab* slab = Open != null ? Open : Full != null ? Full : Leaving;
        if (slab == null)
            return null;
        Unlink(slab);
        Use->Leave(slab);
        slab->UsedCount = 0;
        return slab;
    }

    /// <summary>Counts slab by slab what <see cref="Use"/> must say.</summary>
    internal readonly PageUse Count() => CountOf(Open) + CountOf(Full) + CountOf(Leaving);

    /// <summary>Chooses slabs whose blocks all have room in others, the emptiest ones, which then serve no
    /// block. Those of an earlier choice stay chosen.</summary>
    /// <param name="slabCountMax">How many slabs are looked at.</param>
    /// <param name="leavesAll">Whether all may be chosen: there is room elsewhere.</param>
    /// <returns>How many were chosen.</returns>
    internal int BeginMoving(int slabCountMax, bool leavesAll)
    {
        Span<int> counts = stackalloc int[FullnessLevels];
        counts.Clear();
        int capacity = Math.Max(1, (int)(Slab.FirstRoomBytes / BlockSize));
        int slabCount = 0;
        long blockCount = 0;
        for (Slab* slab = Open; slab != null && slabCount < slabCountMax; slab = slab->Next, slabCount++)
        {
            counts[FullnessOf(slab, capacity)]++;
            blockCount += slab->UsedCount;
        }

        int keptCount = leavesAll && Full == null && slabCount < slabCountMax
            ? 0 : (int)((blockCount + capacity - 1) / capacity);
        int leavingCount = Math.Max(0, slabCount - keptCount);
        int level = LastLevel(counts, leavingCount, out int leftAtLevel);
        Slab* next = Open;
        for (; slabCount > 0; slabCount--)
        {
            Slab* slab = next;
            next = slab->Next;
            int fullness = FullnessOf(slab, capacity);
            if (fullness > level || (fullness == level && --leftAtLevel < 0))
                continue;
            Unlink(slab);
            (slab->IsFull, slab->IsLeaving) = (true, true);
            Link(ref Leaving, slab);
        }

        return leavingCount;
    }

    /// <summary>Bytes of the blocks in the slabs with room, of so many slabs at most.</summary>
    internal readonly long OpenBytes(int slabCountMax)
    {
        long blockCount = 0;
        for (Slab* slab = Open; slab != null && slabCountMax > 0; slab = slab->Next, slabCountMax--)
            blockCount += slab->UsedCount;
        return slabCountMax == 0 ? long.MaxValue : blockCount * BlockSize;
    }

    /// <summary>Lets the slabs that were chosen, and have blocks still, serve again.</summary>
    internal void EndMoving()
    {
        while (Leaving != null)
        {
            Slab* slab = Leaving;
            Unlink(slab);
            (slab->IsFull, slab->IsLeaving) = (false, false);
            Link(ref Open, slab);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* TryAllocateFurther()
    {
        Slab* slab = Open;
        if (slab == null)
            return null;
        if (TryOpenPage(slab))
            return TryAllocate();
        Debug.Assert(!slab->IsFull && slab->UsedCount > 0, "a slab is full without blocks");
        Unlink(ref Open, slab);
        Link(ref Full, slab);
        slab->IsFull = true;
        // Slabs behind the first one still have the room with which they went there.
        return Open == null ? null : TryAllocate();
    }

    // Up to the end of the page in which the next fresh block ends, which is at the end of the slab at most.
    private readonly bool TryOpenPage(Slab* slab)
    {
        byte* start = Slab.StartOf(slab);
        nuint reach = (nuint)(slab->Fresh - start) + BlockSize;
        if (reach > (nuint)Slab.RoomOf(slab))
            return false;
        nuint touchedBytes = PageSource.RoundToPages(reach);
        Use->Reach(slab, (int)touchedBytes);
        slab->FreshLast = start + nuint.Min(touchedBytes, (nuint)Slab.RoomOf(slab)) - BlockSize;
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Slab* Relink(Slab* slab)
    {
        if (slab->IsMixed)
        {
            slab->Freed = null;
            return slab;
        }

        if (slab->IsLeaving && slab->UsedCount != 0)
            return null;
        Unlink(slab);
        (slab->IsFull, slab->IsLeaving) = (false, false);
        if (slab->UsedCount == 0)
        {
            Use->Leave(slab);
            return slab;
        }
        Link(ref Open, slab);
        return null;
    }

    private static int FullnessOf(Slab* slab, int capacity) =>
        Math.Min(slab->UsedCount * FullnessLevels / (capacity + 1), FullnessLevels - 1);

    // How full the fullest of so many of the emptiest slabs is, and how many of them are as full.
    private static int LastLevel(Span<int> counts, int slabCount, out int atLevel)
    {
        int level = 0;
        for (; level < counts.Length - 1 && counts[level] < slabCount; level++)
            slabCount -= counts[level];
        atLevel = slabCount;
        return level;
    }

    private void Unlink(Slab* slab) => Unlink(
        ref slab->IsLeaving ? ref Leaving : ref (slab->IsFull ? ref Full : ref Open), slab);

    private static PageUse CountOf(Slab* slab)
    {
        PageUse use = default;
        for (; slab != null; slab = slab->Next)
            use += new PageUse(Slab.TouchedNow(slab), slab->TouchedBytes);
        return use;
    }

    private static void Link(ref Slab* head, Slab* slab)
    {
        slab->Previous = null;
        slab->Next = head;
        if (head != null)
            head->Previous = slab;
        head = slab;
    }

    private static void Unlink(ref Slab* head, Slab* slab)
    {
        if (slab->Previous != null)
            slab->Previous->Next = slab->Next;
        else
            head = slab->Next;
        if (slab->Next != null)
            slab->Next->Previous = slab->Previous;
    }
}
