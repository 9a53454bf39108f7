// The few empty slabs that an owner keeps, so that blocks allocated and freed over and over do not cost
// system calls and page faults. Slabs beyond the reserve go back to the page source, which gives the memory
// to the system.
//
// The reserve is limited by the resident memory of its slabs, not by their number: an owner with few blocks
// in each of many size classes has many slabs with only their first pages touched, and keeps them all.
//
// What the owner has not needed between two calls of GiveBackIdle goes back: the fewest slabs that were in
// reserve meanwhile.

namespace Cinnabar.Memory;

/// <summary>A stack of empty slabs before a <see cref="PageSource"/>; guarded by its owner's lock.</summary>
/// <param name="pages">Where slabs come from and go to.</param>
/// <param name="use">The owner's sums.</param>
/// <param name="touchedBytesMax">How much resident memory the reserve may hold.</param>
internal unsafe struct SlabReserve(PageSource pages, SlabUse* use, int touchedBytesMax)
{
    private readonly PageSource _pages = pages;
    private readonly SlabUse* _use = use;
    private readonly int _touchedBytesMax = touchedBytesMax;
    private Slab* _top = null;
    private int _touchedBytes = 0;
    private int _count = 0;
    private int _idleCount = 0;

    /// <summary>How many slabs the owner holds, in use or in reserve.</summary>
    internal int HeldCount { get; private set; }

    /// <summary>An empty slab in which a block of this size fits.</summary>
    internal Slab* Take(nuint blockSize)
    {
        // SAFETY: slabs on the stack are this owner's and empty; their headers stay mapped while it holds
        // them.
        Slab* slab = _top;
        if (slab != null && (nuint)Slab.RoomOf(slab) >= blockSize)
        {
            Pop();
            return slab;
        }
        slab = _pages.TakeSlab(blockSize);
        HeldCount++;
        return slab;
    }

    /// <summary>Keeps an empty slab or returns it to the source.</summary>
    internal void Give(Slab* slab)
    {
        Debug.Assert(slab->UsedCount == 0, "a slab goes to the reserve with blocks in it");
        if (_touchedBytes + slab->TouchedBytes > _touchedBytesMax)
        {
            GiveBack(slab);
            return;
        }
        slab->Next = _top;
        _top = slab;
        _count++;
        _touchedBytes += slab->TouchedBytes;
    }

    /// <summary>Counts slab by slab what the sums must say of the reserve.</summary>
    internal readonly PageUse Count()
    {
        PageUse use = default;
        for (Slab* slab = _top; slab != null; slab = slab->Next)
            use += new PageUse(0, slab->TouchedBytes);
        return use;
    }

    /// <summary>Returns all slabs to the source.</summary>
    internal void Trim()
    {
        while (_top != null)
            GiveBack(Pop());
    }

    /// <summary>Returns the slabs that were not needed since the last call.</summary>
    internal void GiveBackIdle()
    {
        for (int idleCount = _idleCount; idleCount > 0; idleCount--)
            GiveBack(Pop());
        _idleCount = _count;
    }

    private Slab* Pop()
    {
        Slab* slab = _top;
        _top = slab->Next;
        _count--;
        _idleCount = Math.Min(_idleCount, _count);
        Debug.Assert((_top == null) == (_count == 0), "the reserve has lost count of its slabs");
        _touchedBytes -= slab->TouchedBytes;
        return slab;
    }

    private void GiveBack(Slab* slab)
    {
        Debug.Assert(HeldCount > 0, "more slabs go back than were taken");
        HeldCount--;
        _use->Remove(slab);
        _pages.GiveSlabBack(slab);
    }
}
