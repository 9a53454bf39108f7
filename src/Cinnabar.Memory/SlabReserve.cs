// The few empty slabs that an owner keeps, so that a block allocated and freed over and over never costs a
// system call. What exceeds the reserve goes back to the page source, which gives the memory to the system.
namespace Cinnabar.Memory;

/// <summary>A short stack of empty slabs in front of a <see cref="PageSource"/>; guarded by its owner's
/// lock.</summary>
internal unsafe struct SlabReserve
{
    private readonly PageSource _pages;
    private readonly int _countMax;
    private Slab* _top;
    private int _count;

    internal SlabReserve(PageSource pages, int countMax)
    {
        _pages = pages;
        _countMax = countMax;
        _top = null;
        _count = 0;
    }

    /// <summary>How many slabs the owner holds, in use or in reserve.</summary>
    internal int HeldCount { get; private set; }

    /// <summary>An empty slab in which a block of this size fits.</summary>
    internal Slab* Take(nuint blockSize)
    {
        // SAFETY: slabs on the stack are this owner's, empty, and their headers stay mapped while it holds
        // them.
        Slab* slab = _top;
        if (slab != null && (nuint)Slab.RoomOf(slab) >= blockSize)
        {
            _top = slab->Next;
            _count--;
            return slab;
        }
        slab = _pages.TakeSlab(blockSize);
        HeldCount++;
        return slab;
    }

    /// <summary>Takes an empty slab, keeps it or gives it back.</summary>
    internal void Give(Slab* slab)
    {
        if (_count < _countMax)
        {
            slab->Next = _top;
            _top = slab;
            _count++;
        }
        else
        {
            GiveBack(slab);
        }
    }

    /// <summary>Gives everything in reserve back.</summary>
    internal void Trim()
    {
        while (_top != null)
        {
            Slab* slab = _top;
            _top = slab->Next;
            _count--;
            GiveBack(slab);
        }
    }

    private void GiveBack(Slab* slab)
    {
        HeldCount--;
        _pages.GiveSlabBack(slab);
    }
}
