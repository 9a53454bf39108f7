// Where all arenas and pools of one server get their memory from: the one place that knows how much it is.
//
//   region, 4 MiB, aligned to 4 MiB (so that an address masked gives its region)
//   ┌────────────┬──────────────────┬──────────────┬──────────────┬─   ─┬──────────────┐
//   │ 64 headers │ slab 0, 60 KiB   │ slab 1, 64 K │ slab 2, 64 K │  …  │ slab 63      │
//   └────────────┴──────────────────┴──────────────┴──────────────┴─   ─┴──────────────┘
//     4 KiB
//
// The slabs of a region belong to different owners: a stripe with ten keys costs the pages it touched and
// shares its regions with the other stripes. Memory becomes resident when blocks are written.
//
// A slab that comes back is discarded: its memory goes to the system, its addresses stay. A region all of
// whose slabs are back is unmapped, except one, so that a load at the edge does not map and unmap all the
// time. With the last slab the last region goes too: MappedBytes is then 0.
//
// Blocks above 64 KiB are mapped one by one and rounded to pages. Each costs a system call at both ends, and
// Linux allows some 65,000 separate mappings: values are chopped into smaller blocks long before that
// matters.
//
// Thread-safe by one lock that no allocation takes: owners come here once in 64 KiB. System calls that give
// memory back are made outside the lock.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>The thread-safe source of memory for all arenas and pools of one server.</summary>
public sealed unsafe class PageSource : IDisposable
{
    private readonly Lock _lock = new();
    private readonly bool _wantsHugePages;
    private readonly Dictionary<nint, Region> _regions = [];
    private readonly FreeRegions _free = new();
    private readonly LargeMappings _large = new();
    private long _mappedBytes;
    private GrantLimit _grants = new();

    /// <param name="isChecked">
    /// Whether blocks carry canaries, are poisoned when freed and held in quarantine: for tests.
    /// </param>
    /// <param name="wantsHugePages">Whether the system is asked to back memory with huge pages.</param>
    public PageSource(bool isChecked, bool wantsHugePages = false)
    {
        IsChecked = isChecked;
        _wantsHugePages = wantsHugePages;
    }

    /// <summary>Whether misuse of blocks is detected.</summary>
    public bool IsChecked { get; }

    /// <summary>The arenas and pools.</summary>
    internal PageOwners Owners { get; } = new();

    /// <summary>Bytes of address space mapped now; what is resident of it may be much less.</summary>
    public long MappedBytes => Volatile.Read(ref _mappedBytes);

    /// <summary>Bytes in live blocks of all owners, rounded to their size classes.</summary>
    public long UsedBytes => Owners.UsedBytes;

    /// <summary>How many more slabs and large blocks are handed out before memory is said to be at its end:
    /// for tests of what then happens.</summary>
    internal long GrantsLeft
    {
        get => _grants.Left;
        set => _grants.Left = value;
    }

    /// <summary>What of the mapped memory is in pages with blocks, and in pages with memory. For
    /// reports.</summary>
    public PageUse Measure()
    {
        PageUse use = Owners.PageUse;
        lock (_lock)
            use += OwnUse;
        return use with { ResidentBytes = Math.Max(use.ActiveBytes, use.ResidentBytes) };
    }

    /// <summary>What <see cref="Measure"/> must find while nothing is allocated or freed, by looking at each
    /// slab: for tests.</summary>
    internal PageUse Count()
    {
        lock (_lock)
        {
            PageUse use = OwnUse;
            foreach (Region region in _regions.Values)
                use += region.Count();
            return use;
        }
    }

    /// <summary>Whether <see cref="UsedBytes"/> is more than a number; mostly decided by one sum that is kept
    /// as memory is used and freed.</summary>
    public bool UsesMoreThan(long bytes) => Owners.UsesMoreThan(bytes);

    /// <summary>
    /// A line for each kind of block that is live now or was when its owner was disposed; exact only while no
    /// other thread allocates.
    /// </summary>
    public string[] LeakReport() => Owners.LeakReport();

    /// <summary>Unmaps all that is left. Owners that were not disposed lose their blocks.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            foreach (Region region in _regions.Values)
                NativePages.Unmap(region.Address, Slab.RegionBytes);
            _regions.Clear();
            _large.UnmapAll();
            _free.Clear();
            Volatile.Write(ref _mappedBytes, 0);
        }
    }

    internal static nuint RoundToPages(nuint size) =>
        (size + NativePages.PageSize - 1) & ~(NativePages.PageSize - 1);

    /// <summary>An empty slab with room for a block of this size; nothing else is in its header.</summary>
    /// <param name="blockSize">At most 64 KiB.</param>
    /// <exception cref="OutOfMemoryException">The system gives no more memory.</exception>
    internal Slab* TakeSlab(nuint blockSize)
    {
        Debug.Assert(blockSize is > 0 and <= Slab.Bytes, "a block is larger than a slab");
        _grants.Count();
        lock (_lock)
        {
            Region region = _free.Find(blockSize <= Slab.FirstRoomBytes, out bool isFirst) ?? AddRegion();
            Slab* slab = region.Take(isFirst);
            _free.Note(region);
            // SAFETY: headers stay mapped with their region.
            slab->TouchedBytes = 0;
            return slab;
        }
    }

    /// <summary>Takes an empty slab back and gives its memory to the system.</summary>
    internal void GiveSlabBack(Slab* slab)
    {
        Debug.Assert(slab->UsedCount == 0, "a slab is given back with blocks in it");
        Slab.Discard(slab);
        lock (_lock)
        {
            Region region = _regions[(nint)Slab.RegionOf(slab)];
            region.GiveBack(Slab.IndexOf(slab));
            _free.Note(region);
            if (!region.IsEmpty)
                return;
        }

        UnmapSurplus();
    }

    /// <summary>Maps a block of its own.</summary>
    /// <param name="size">A multiple of the page size.</param>
    internal byte* MapLarge(nuint size)
    {
        _grants.Count();
        byte* address = NativePages.Map(size, NativePages.PageSize);
        lock (_lock)
        {
            _large.Add(address, size);
            Volatile.Write(ref _mappedBytes, _mappedBytes + (long)size);
        }
        return address;
    }

    /// <summary>Unmaps such a block.</summary>
    /// <exception cref="MemoryFaultException">There is no such block.</exception>
    internal void UnmapLarge(byte* address, nuint size)
    {
        lock (_lock)
        {
            _large.Remove(address, size);
            Volatile.Write(ref _mappedBytes, _mappedBytes - (long)size);
        }
        NativePages.Unmap(address, size);
    }

    // What the owners do not count: large blocks, and the pages of headers.
    private PageUse OwnUse => new(_large.Bytes, _large.Bytes + (_regions.Count * (long)Slab.HeadersBytes));

    private Region AddRegion()
    {
        var region = new Region(NativePages.Map(Slab.RegionBytes, Slab.RegionBytes));
        if (_wantsHugePages)
            NativePages.AdviseHuge(region.Address, Slab.RegionBytes);
        Add(region);
        return region;
    }

    private void Add(Region region)
    {
        _regions.Add((nint)region.Address, region);
        _free.Note(region);
        Volatile.Write(ref _mappedBytes, _mappedBytes + Slab.RegionBytes);
    }

    // One empty region stays while another is in use.
    private void UnmapSurplus()
    {
        while (true)
        {
            Region region;
            lock (_lock)
            {
                int keptCount = _regions.Count > _free.EmptyCount ? 1 : 0;
                if (_free.EmptyCount <= keptCount)
                    return;
                region = _free.AnyEmpty;
                _free.Remove(region);
                _regions.Remove((nint)region.Address);
                Volatile.Write(ref _mappedBytes, _mappedBytes - Slab.RegionBytes);
            }

            NativePages.Unmap(region.Address, Slab.RegionBytes);
        }
    }
}
