// Runs of whole pages for blocks larger than a slab, carved out of mappings of 64 MiB (a longer run has a
// mapping of its own length). A returned run is discarded: its memory goes back to the system, its addresses
// stay.
//
// Why not a mapping for each block: Linux allows 65,530 mappings a process. Neighbours become one mapping,
// but each block unmapped between two others splits it, and at the limit even munmap fails. Mappings of one
// size and one set of flags, unmapped as a whole, stay few in any order of frees.
//
// A region has a bit for each page; allocation takes the first run long enough, in address order, so that the
// upper regions become empty. Blocks and holes have no records: a search reads 2 KiB of bits for 64 MiB, and
// neighbouring holes are one hole. The upper bounds of all regions' longest holes lie side by side, so that a
// search skips several full regions in a nanosecond.
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>Mappings that runs of pages are carved out of; guarded by its page source's lock.</summary>
internal sealed unsafe class LargeRegions
{
    /// <summary>The size of a region, unless it was made for a longer run.</summary>
    internal const int RegionBytes = 64 << 20;

    private readonly List<LargeRegion> _regions = []; // by address
    private readonly List<int> _longestMax = [];      // of each: no hole has more pages

    /// <summary>Bytes of all runs that are taken.</summary>
    internal long TakenBytes { get; private set; }

    /// <summary>Bytes of all regions.</summary>
    internal long MappedBytes { get; private set; }

    /// <summary>Takes a run of pages; null: no region has such a hole.</summary>
    /// <param name="size">Bytes, whole pages.</param>
    internal byte* TryTake(nuint size)
    {
        Debug.Assert(size > 0 && size % NativePages.PageSize == 0, "a run is not whole pages");
        int count = (int)(size / NativePages.PageSize);
        for (int index = 0; ; index++)
        {
            Span<int> rest = CollectionsMarshal.AsSpan(_longestMax)[index..];
            int next = rest.IndexOfAnyInRange(count, int.MaxValue);
            if (next < 0)
                return null;
            index += next;
            byte* address = _regions[index].TryTake(count, out int longest);
            if (address != null)
            {
                TakenBytes += (long)size;
                return address;
            }

            _longestMax[index] = longest;
        }
    }

    /// <summary>Returns a run of pages, or a part of one, whose memory was already discarded.</summary>
    /// <returns>Whether its region is empty now.</returns>
    /// <exception cref="MemoryFaultException">It is not taken.</exception>
    internal bool GiveBack(byte* address, nuint size)
    {
        Debug.Assert(((nuint)address | size) % NativePages.PageSize == 0, "a run is not whole pages");
        int index = IndexOf(address);
        if (index < 0 || address + size > _regions[index].Address + _regions[index].Size)
            throw new MemoryFaultException($"0x{(nuint)address:x} is in no region of pages");
        LargeRegion region = _regions[index];
        int hole = region.GiveBack(address, (int)(size / NativePages.PageSize));
        _longestMax[index] = Math.Max(_longestMax[index], hole);
        TakenBytes -= (long)size;
        return region.IsEmpty;
    }

    /// <summary>Adds an empty region.</summary>
    internal void Add(LargeRegion region)
    {
        int index = IndexOf(region.Address) + 1;
        _regions.Insert(index, region);
        _longestMax.Insert(index, region.PageCount);
        MappedBytes += (long)region.Size;
    }

    /// <summary>Removes an empty region.</summary>
    /// <param name="keepsOne">Whether one is kept while others are in use.</param>
    internal LargeRegion? RemoveSurplus(bool keepsOne)
    {
        int emptyCount = 0;
        LargeRegion? surplus = null;
        foreach (LargeRegion region in _regions)
        {
            if (!region.IsEmpty)
                continue;
            emptyCount++;
            if (surplus is null || region.Size > surplus.Size)
                surplus = region;
        }

        if (surplus is null)
            return null;
        if (keepsOne && emptyCount == 1 && emptyCount < _regions.Count && surplus.Size == RegionBytes)
            return null;
        int index = IndexOf(surplus.Address);
        _regions.RemoveAt(index);
        _longestMax.RemoveAt(index);
        MappedBytes -= (long)surplus.Size;
        return surplus;
    }

    /// <summary>Unmaps and forgets all regions.</summary>
    internal void UnmapAll()
    {
        foreach (LargeRegion region in _regions)
            NativePages.Unmap(region.Address, region.Size);
        _regions.Clear();
        _longestMax.Clear();
        (TakenBytes, MappedBytes) = (0, 0);
    }

    // The last region that begins at or before an address; -1: none.
    private int IndexOf(byte* address)
    {
        int low = 0;
        int high = _regions.Count;
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (_regions[middle].Address <= address)
                low = middle + 1;
            else
                high = middle;
        }

        return low - 1;
    }
}
