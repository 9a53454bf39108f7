// The pages of one owner's slabs, as sums that are updated when blocks reach the next page of a slab, when a
// slab loses its last block, and when a slab goes back to the page source. An ordinary allocation updates
// none: a slab opens one page at a time (SlabClass), on the path that also handles a full slab.

namespace Cinnabar.Memory;

/// <summary>Sums over one owner's slabs, in pinned memory; written under its lock, read by any
/// thread.</summary>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal unsafe struct SlabUse
{
    private const int SizeBytes = 64;

    private long _activeBytes;   // in slabs with blocks: pages up to where these reach
    private long _residentBytes; // in all slabs: pages with memory

    /// <summary>Both sums.</summary>
    internal PageUse Now => new(Volatile.Read(ref _activeBytes), Volatile.Read(ref _residentBytes));

    /// <summary>Room for the sums of one owner, which holds it as long as its slabs' classes point to
    /// it.</summary>
    internal static SlabUse[] New() => GC.AllocateArray<SlabUse>(1, pinned: true);

    /// <summary>Where that is.</summary>
    // SAFETY: the array is pinned, and the owner holds it.
    internal static SlabUse* AddressOf(SlabUse[] use) => (SlabUse*)Unsafe.AsPointer(ref use[0]);

    /// <summary>A slab goes back to the page source; it has no blocks.</summary>
    internal void Remove(Slab* slab) => _residentBytes -= slab->TouchedBytes;

    /// <summary>A slab's blocks are about to reach further.</summary>
    /// <param name="slab">The slab.</param>
    /// <param name="touchedBytes">Bytes of whole pages that they reach.</param>
    internal void Reach(Slab* slab, int touchedBytes)
    {
        _activeBytes += touchedBytes - Slab.TouchedNow(slab);
        Debug.Assert(touchedBytes <= Slab.Bytes, "blocks reach past their slab");
        int added = Math.Max(0, touchedBytes - slab->TouchedBytes);
        slab->TouchedBytes += added;
        _residentBytes += added;
    }

    /// <summary>A slab has lost its last block, or leaves its class with its blocks.</summary>
    internal void Leave(Slab* slab) => _activeBytes -= Slab.TouchedNow(slab);
}
