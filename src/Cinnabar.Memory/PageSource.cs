// Where all arenas and pools of one server get their memory from: the one place that knows how much it is.
//
//   region, 4 MiB, aligned to 4 MiB (so that an address masked gives its region)
//   ┌────────────┬──────────────────┬──────────────┬──────────────┬─   ─┬──────────────┐
//   │ 64 headers │ slab 0, 60 KiB   │ slab 1, 64 K │ slab 2, 64 K │  …  │ slab 63      │
//   └────────────┴──────────────────┴──────────────┴──────────────┴─   ─┴──────────────┘
//     4 KiB
//
// Slabs of a region go to whoever asks; a stripe with ten keys costs the pages it touched and shares its
// regions with the other stripes. Nothing here touches a slab's pages: memory becomes resident when blocks
// are written.
//
// A slab that comes back is discarded (its memory goes to the system, its addresses stay), which breaks a
// huge page into small ones: so of a region of huge pages some are kept as they are, to be taken first. A
// region all of whose slabs are back is unmapped, except one, so that a load at the edge does not map and
// unmap all the time. With the last slab the last region goes too: MappedBytes is then 0.
//
// Blocks above 64 KiB are mapped one by one and rounded to pages. Each costs a system call at both ends, and
// Linux allows some 65,000 separate mappings: values are chopped into smaller blocks long before that
// matters.
//
// Thread-safe by one lock that no allocation takes: owners come here once in 64 KiB. System calls that give
// memory back are made outside the lock.
using System;
using System.Collections.Generic;
using System.Threading;
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>The thread-safe source of memory for all arenas and pools of one server.</summary>
public sealed unsafe class PageSource : IDisposable
{
    private readonly Lock _lock = new();
    // Below this a server stays small: pages are touched one by one. Above it, two thirds of a random
    // access's cost can be address translation, and two mebibytes more or less are nothing.
    private const long HugePagesFromBytes = 8 << 20;

    // How much memory the free slabs of huge pages may hold: a 64th of all, but at least 2 MiB.
    private const int KeptShare = 64;
    private const long KeptBytesMin = 2 << 20;

    private readonly Dictionary<nint, Region> _regions = [];
    private readonly List<Region> _withFirst = [];  // whose first, shorter slab is free
    private readonly List<Region> _withWhole = [];  // of which another slab is free
    private readonly Dictionary<nint, nuint> _large = [];
    private readonly List<IPageOwner> _owners = [];
    private readonly List<string> _abandoned = [];
    private int _emptyCount;
    private long _keptBytes;
    private long _mappedBytes;
    private long _grantsLeft = long.MaxValue;

    /// <param name="isChecked">
    /// Whether blocks carry canaries, are poisoned when freed and held in quarantine: for tests.
    /// </param>
    public PageSource(bool isChecked)
    {
        IsChecked = isChecked;
    }

    /// <summary>Whether misuse of blocks is detected.</summary>
    public bool IsChecked { get; }

    /// <summary>Bytes of address space mapped now; what is resident of it may be much less.</summary>
    public long MappedBytes => Volatile.Read(ref _mappedBytes);

    /// <summary>Bytes in live blocks of all owners, rounded to their size classes.</summary>
    public long UsedBytes
    {
        get
        {
            lock (_lock)
            {
                long sum = 0;
                foreach (IPageOwner owner in _owners)
                    sum += owner.UsedBytes;
                return sum;
            }
        }
    }

    /// <summary>How many more slabs and large blocks are handed out before memory is said to be at its end:
    /// for tests of what then happens.</summary>
    internal long GrantsLeft
    {
        get => Volatile.Read(ref _grantsLeft);
        set => Volatile.Write(ref _grantsLeft, value);
    }

    /// <summary>
    /// A line for each kind of block that is live now or was when its owner was disposed; exact only while no
    /// other thread allocates.
    /// </summary>
    public string[] LeakReport()
    {
        lock (_lock)
        {
            List<string> lines = [.. _abandoned];
            foreach (IPageOwner owner in _owners)
                owner.AppendLeaks(lines);
            return [.. lines];
        }
    }

    /// <summary>Unmaps all that is left. Owners that were not disposed lose their blocks.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            foreach (Region region in _regions.Values)
                NativePages.Unmap(region.Address, Slab.RegionBytes);
            foreach ((nint address, nuint size) in _large)
                NativePages.Unmap((byte*)address, size);
            _regions.Clear();
            _large.Clear();
            _withFirst.Clear();
            _withWhole.Clear();
            _emptyCount = 0;
            _keptBytes = 0;
            Volatile.Write(ref _mappedBytes, 0);
        }
    }

    internal static nuint RoundToPages(nuint size) =>
        (size + NativePages.PageSize - 1) & ~(NativePages.PageSize - 1);

    internal void Register(IPageOwner owner)
    {
        lock (_lock)
            _owners.Add(owner);
    }

    /// <summary>Forgets an owner; what it still had live goes to the leak report.</summary>
    internal void Unregister(IPageOwner owner)
    {
        lock (_lock)
        {
            if (_owners.Remove(owner))
                owner.AppendLeaks(_abandoned);
        }
    }

    /// <summary>An empty slab with room for a block of this size; its header is not initialised.</summary>
    /// <param name="blockSize">At most 64 KiB.</param>
    internal Slab* TakeSlab(nuint blockSize)
    {
        CountGrant();
        lock (_lock)
        {
            bool takesFirst = blockSize <= Slab.Bytes - Slab.HeadersBytes && _withFirst.Count != 0;
            if (!takesFirst && _withWhole.Count == 0)
                AddRegion();
            List<Region> list = takesFirst ? _withFirst : _withWhole;
            Region region = list[^1];
            if (region.IsEmpty)
                _emptyCount--;
            Slab* slab = takesFirst
                ? region.TakeFirst(out bool wasKept) : region.TakeWhole(out wasKept);
            if (wasKept)
                _keptBytes -= Slab.Bytes;
            if (takesFirst || !region.HasWhole)
                list.RemoveAt(list.Count - 1);
            return slab;
        }
    }

    /// <summary>Takes an empty slab back and gives its memory to the system, unless it is to be
    /// kept.</summary>
    internal void GiveSlabBack(Slab* slab)
    {
        bool isKept = TryKeep(slab);
        if (!isKept)
        {
            byte* start = (byte*)RoundToPages((nuint)Slab.StartOf(slab));
            NativePages.Discard(start, (nuint)(Slab.EndOf(slab) - start) & ~(NativePages.PageSize - 1));
        }

        Region? surplus;
        lock (_lock)
        {
            Region region = _regions[(nint)Slab.RegionOf(slab)];
            bool hadWhole = region.HasWhole;
            region.GiveBack(Slab.IndexOf(slab), isKept);
            if (Slab.IndexOf(slab) == 0)
                _withFirst.Add(region);
            else if (!hadWhole)
                _withWhole.Add(region);
            if (region.IsEmpty)
                _emptyCount++;
            surplus = TakeSurplus();
        }
        while (surplus is not null)
        {
            NativePages.Unmap(surplus.Address, Slab.RegionBytes);
            lock (_lock)
                surplus = TakeSurplus();
        }
    }

    /// <summary>Maps a block of its own.</summary>
    /// <param name="size">A multiple of the page size.</param>
    internal byte* MapLarge(nuint size)
    {
        CountGrant();
        byte* address = NativePages.Map(size, NativePages.PageSize);
        lock (_lock)
        {
            _large.Add((nint)address, size);
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
            if (!_large.Remove((nint)address, out nuint known))
                throw new MemoryFaultException($"0x{(nuint)address:x} is not a mapped block: freed twice?");
            if (known != size)
            {
                _large.Add((nint)address, known);
                throw new MemoryFaultException($"a mapped block of {known} bytes was freed as one of {size}");
            }
            Volatile.Write(ref _mappedBytes, _mappedBytes - (long)size);
        }
        NativePages.Unmap(address, size);
    }

    private bool TryKeep(Slab* slab)
    {
        lock (_lock)
        {
            if (!_regions[(nint)Slab.RegionOf(slab)].IsHuge
                || _keptBytes + Slab.Bytes > Math.Max(KeptBytesMin, _mappedBytes / KeptShare))
                return false;
            _keptBytes += Slab.Bytes;
            return true;
        }
    }

    private void CountGrant()
    {
        if (Interlocked.Decrement(ref _grantsLeft) >= 0)
            return;
        Volatile.Write(ref _grantsLeft, 0);
        throw new OutOfMemoryException("the limit of a test is reached");
    }

    private void AddRegion()
    {
        byte* address = NativePages.Map(Slab.RegionBytes, Slab.RegionBytes);
        bool isHuge = _mappedBytes >= HugePagesFromBytes && NativePages.AdviseHuge(address, Slab.RegionBytes);
        Region region = new(address, isHuge);
        _regions.Add((nint)region.Address, region);
        _withFirst.Add(region);
        _withWhole.Add(region);
        _emptyCount++;
        Volatile.Write(ref _mappedBytes, _mappedBytes + Slab.RegionBytes);
    }

    // One empty region stays while any other is in use.
    private Region? TakeSurplus()
    {
        int keptCount = _regions.Count > _emptyCount ? 1 : 0;
        if (_emptyCount <= keptCount)
            return null;
        int index = _withFirst.FindIndex(static region => region.IsEmpty);
        Region region = _withFirst[index];
        _withFirst.RemoveAt(index);
        _withWhole.Remove(region);
        _regions.Remove((nint)region.Address);
        _keptBytes -= region.KeptCount * (long)Slab.Bytes;
        _emptyCount--;
        Volatile.Write(ref _mappedBytes, _mappedBytes - Slab.RegionBytes);
        return region;
    }
}
