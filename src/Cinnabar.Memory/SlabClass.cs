// The slabs with blocks of one size, in two doubly linked lists: those with room, those without.
//
//   Open:  slab ⇄ slab ⇄ slab      the first one serves; a slab found full on the way moves to Full
//   Full:  slab ⇄ slab             moves to the front of Open with the first block freed in it
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
    internal Slab* Open;
    internal Slab* Full;
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
        Link(ref Open, slab);
    }

    /// <summary>Takes any slab out, with whatever lives in it, or returns null: for disposal.</summary>
    internal Slab* RemoveAny()
    {
        Slab* slab = Open != null ? Open : Full;
        if (slab == null)
            return null;
        Unlink(ref slab->IsFull ? ref Full : ref Open, slab);
        Use->Leave(slab);
        slab->UsedCount = 0;
        return slab;
    }

    /// <summary>Counts slab by slab what <see cref="Use"/> must say.</summary>
    internal readonly PageUse Count() => CountOf(Open) + CountOf(Full);

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

        Unlink(ref slab->IsFull ? ref Full : ref Open, slab);
        slab->IsFull = false;
        if (slab->UsedCount == 0)
        {
            Use->Leave(slab);
            return slab;
        }
        Link(ref Open, slab);
        return null;
    }

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
