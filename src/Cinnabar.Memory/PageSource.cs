// The source of memory of all arenas and pools of one server; it knows the total.
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
// A returned slab is discarded: its memory goes to the system, its addresses stay. A region whose slabs are
// all free is unmapped, except one, so that a load at the edge does not map and unmap all the time. When no
// slab is in use the last region is unmapped too: MappedBytes is then 0.
//
// Blocks above 64 KiB are runs of whole pages in larger regions (LargeRegions), and are discarded likewise.
//
// The system may refuse to unmap (Linux does at vm.max_map_count). The region then stays, empty and without
// memory, and is reused: returning memory never fails.
//
// Thread-safe by one lock that no allocation takes: owners come here once in 64 KiB. System calls that give
// memory back are made outside the lock.
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>The thread-safe source of memory for all arenas and pools of one server.</summary>
/// <param name="isChecked">
/// Whether blocks carry canaries, are poisoned when freed and held in quarantine: for tests.
/// </param>
/// <param name="wantsHugePages">Whether the system is asked to back memory with huge pages.</param>
public sealed unsafe class PageSource(bool isChecked, bool wantsHugePages = false) : IDisposable
{
    // Where huge pages are wanted, a large region begins on one.
    private const int LargeAlignment = 2 << 20;

    private readonly Lock _lock = new();
    private readonly bool _wantsHugePages = wantsHugePages;
    private readonly Dictionary<nint, Region> _regions = [];
    private readonly FreeRegions _free = new();
    private readonly LargeRegions _large = new();
    private long _mappedBytes;
    private readonly MappingReserve _reserve = new();
    private GrantLimit _grants = new();
    private volatile bool _isShort;

    /// <summary>Whether misuse of blocks is detected.</summary>
    public bool IsChecked { get; } = isChecked;

    /// <summary>The arenas and pools.</summary>
    internal PageOwners Owners { get; } = new(keepsPeak: isChecked);

    /// <summary>Bytes of address space mapped now; much less may be resident.</summary>
    public long MappedBytes => Volatile.Read(ref _mappedBytes);

    /// <summary>Bytes in live blocks of all owners, rounded to their size classes.</summary>
    public long UsedBytes => Owners.UsedBytes;

    /// <summary>Whether the system maps no more, and what is used now is the reserve
    /// (<see cref="MappingReserve"/>).</summary>
    public bool IsShort => _isShort;

    /// <summary>Called where <see cref="IsShort"/> has become true: from any thread, which may hold locks of
    /// its own.</summary>
    public Action? Shortage { get; set; }

    /// <summary>How many more slabs and large blocks are granted before memory counts as exhausted: for
    /// tests.</summary>
    internal long GrantsLeft
    {
        get => _grants.Left;
        set => _grants.Left = value;
    }

    /// <summary>Whether regions are treated as if the system refused to unmap them: for tests.</summary>
    internal bool KeepsAddresses { get; set; }

    /// <summary>Whether arenas choose all slabs with room to be emptied: for tests.</summary>
    internal bool MovesAll { get; set; }

    /// <summary>The mapped bytes in pages with blocks, and in pages with memory. For reports.</summary>
    public PageUse Measure()
    {
        PageUse use = Owners.PageUse;
        lock (_lock)
            use += OwnUse;
        return use with { ResidentBytes = Math.Max(use.ActiveBytes, use.ResidentBytes) };
    }

    /// <summary>Counts slab by slab what <see cref="Measure"/> must find while nothing is allocated or freed:
    /// for tests.</summary>
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

    /// <summary>Whether <see cref="UsedBytes"/> may be more than a number: true already where it is less by
    /// up to <see cref="ReportErrorBytesMax"/>, twice. One comparison.</summary>
    public bool MayUseMoreThan(long bytes) => Owners.MayUseMoreThan(bytes);

    /// <summary>How much of its use an owner may not have reported yet, of all owners.</summary>
    public long ReportErrorBytesMax => Owners.ErrorBytesMax;

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
            _reserve.Free();
            _large.UnmapAll();
            _free.Clear();
            Volatile.Write(ref _mappedBytes, 0);
        }
    }

    /// <summary>Whether the system maps again what was taken from the reserve.</summary>
    public bool TryEndShortage()
    {
        // An empty region that is kept may be what the reserve lacks.
        if (_isShort)
        {
            UnmapSurplus();
            UnmapSurplusLarge();
        }

        lock (_lock)
            _isShort = _isShort && !_reserve.TryFill();
        return !_isShort;
    }

    /// <summary>Takes an empty slab with room for a block of this size; of its header only TouchedBytes is
    /// set.</summary>
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

    /// <summary>Returns an empty slab and gives its memory to the system.</summary>
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

    /// <summary>Takes a run of whole pages, contents undefined.</summary>
    /// <param name="size">Bytes, a multiple of the page size.</param>
    /// <exception cref="OutOfMemoryException">The system gives no more memory.</exception>
    public byte* TakePages(nuint size)
    {
        _grants.Count();
        lock (_lock)
        {
            byte* pages = _large.TryTake(size);
            if (pages == null)
            {
                AddLargeRegion(size);
                pages = _large.TryTake(size);
            }

            Debug.Assert(pages != null, "a region that was made for a run has no room for it");
            return pages;
        }
    }

    /// <summary>Returns pages and gives their memory to the system.</summary>
    /// <param name="pages">Within a run that <see cref="TakePages"/> returned.</param>
    /// <param name="size">Bytes, whole pages; all of the run or a part.</param>
    /// <exception cref="MemoryFaultException">They are not taken.</exception>
    public void GivePagesBack(byte* pages, nuint size)
    {
        // SAFETY: the pages are the caller's until they are marked as free.
        NativePages.Discard(pages, size);
        lock (_lock)
        {
            if (!_large.GiveBack(pages, size))
                return;
        }

        UnmapSurplusLarge();
    }

    /// <summary>A size rounded up to whole pages.</summary>
    public static nuint RoundToPages(nuint size) =>
        (size + NativePages.PageSize - 1) & ~(NativePages.PageSize - 1);

    // The pages that owners do not count: large blocks and headers.
    private PageUse OwnUse =>
        new(_large.TakenBytes, _large.TakenBytes + (_regions.Count * (long)Slab.HeadersBytes));

    private byte* TryMap(nuint size, nuint alignment, out Exception? refusal)
    {
        refusal = null;
        try
        {
            byte* address = NativePages.Map(size, alignment);
            if (_wantsHugePages)
                NativePages.AdviseHuge(address, size);
            return address;
        }
        catch (OutOfMemoryException exception)
        {
            refusal = exception;
            return null;
        }
    }

    // Whether the addresses are free, too; the memory always is.
    private bool Unmap(byte* address, nuint size) => !KeepsAddresses && NativePages.Unmap(address, size);

    private Region AddRegion()
    {
        var region = new Region(TryMap(Slab.RegionBytes, Slab.RegionBytes, out Exception? refusal));
        if (region.Address == null)
            region = new Region(TakeReserve(refusal!));
        else if (!_isShort && !_reserve.IsFull && !_reserve.TryFill())
            NoteShortage();
        Add(region);
        return region;
    }

    private byte* TakeReserve(Exception refusal)
    {
        byte* block = _reserve.TryTake();
        NoteShortage();
        return block != null ? block : throw refusal;
    }

    private void NoteShortage()
    {
        if (_isShort)
            return;
        _isShort = true;
        Shortage?.Invoke();
    }

    private void Add(Region region)
    {
        _regions.Add((nint)region.Address, region);
        _free.Note(region);
        CountMapped();
    }

    // Where a whole region is refused, a smaller one, or a block of the reserve, may do.
    private void AddLargeRegion(nuint size)
    {
        nuint mapped = nuint.Max(size, LargeRegions.RegionBytes);
        byte* address = TryMap(mapped, LargeAlignment, out Exception? refusal);
        if (address == null && size < mapped)
        {
            mapped = nuint.Max(size, MappingReserve.BlockBytes);
            address = TryMap(mapped, LargeAlignment, out refusal);
        }

        if (address == null)
        {
            mapped = MappingReserve.BlockBytes;
            address = size <= mapped ? TakeReserve(refusal!) : throw refusal!;
        }

        _large.Add(new LargeRegion(address, mapped));
        CountMapped();
    }

    private void CountMapped() => Volatile.Write(
        ref _mappedBytes, (_regions.Count * (long)Slab.RegionBytes) + _large.MappedBytes);

    // One empty region stays while another is in use, but not in a shortage.
    private void UnmapSurplus()
    {
        bool isUnmapped = true;
        while (isUnmapped)
        {
            Region region;
            lock (_lock)
            {
                int keptCount = !_isShort && _regions.Count > _free.EmptyCount ? 1 : 0;
                if (_free.EmptyCount <= keptCount)
                    return;
                region = _free.AnyEmpty;
                _free.Remove(region);
                _regions.Remove((nint)region.Address);
                CountMapped();
            }

            isUnmapped = Unmap(region.Address, Slab.RegionBytes);
            if (isUnmapped)
                continue;
            lock (_lock)
                Add(region);
        }
    }

    private void UnmapSurplusLarge()
    {
        bool isUnmapped = true;
        while (isUnmapped)
        {
            LargeRegion? region;
            lock (_lock)
            {
                region = _large.RemoveSurplus(keepsOne: !_isShort);
                CountMapped();
            }

            if (region is null)
                return;
            isUnmapped = Unmap(region.Address, region.Size);
            if (isUnmapped)
                continue;
            lock (_lock)
            {
                _large.Add(region);
                CountMapped();
            }
        }
    }
}
