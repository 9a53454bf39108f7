// Where all arenas and pools of one server get their memory from: the one place that knows how much it is.
//
//   region, 4 MiB, aligned to 4 MiB (so that an address masked gives its region)
//   ┌────────────┬──────────────────┬──────────────┬──────────────┬─   ─┬──────────────┐
//   │ 64 headers │ slab 0, 60 KiB   │ slab 1, 64 K │ slab 2, 64 K │  …  │ slab 63      │
//   └────────────┴──────────────────┴──────────────┴──────────────┴─   ─┴──────────────┘
//     4 KiB
//
// Slabs of a region go to whoever asks; a stripe with ten keys costs the pages it touched and shares its
// regions with the other stripes. On small pages memory becomes resident when blocks are written.
//
// The first touch of a huge page makes the system clear 2 MiB: 0.2 ms, and where a virtual machine's host has
// to find the memory, 5 ms and more. So that no loop stands still for that, a thread of low rank touches the
// next half of a region while there are still slabs that are ready (HugePagePreparer): the more of them, the
// faster memory grows, because that thread gets no time while all processors are busy. When it does not get
// to it in time, whoever needs a slab takes an untouched one, and waits. When no slab was taken for a while
// (GiveBackIdle), halves that were touched in vain lose their memory again. Where memory is found slowly, or
// until it is known not to be, new regions are on small pages, which each take their part of it (TouchCost).
//
// A slab that comes back is discarded (its memory goes to the system, its addresses stay), which breaks a
// huge page into small ones: so of a region of huge pages some are kept as they are, to be taken first. A
// region all of whose slabs are back is unmapped, except one, so that a load at the edge does not map and
// unmap all the time, and except what is to be ready for growth. With the last slab the last region goes too:
// MappedBytes is then 0.
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
    private const long HugePagesFromBytes = 32 << 20;

    // How much memory the free slabs of huge pages may hold: a 64th of all, but at least 2 MiB.
    private const int KeptShare = 64;
    private const long KeptBytesMin = 2 << 20;

    // So many looks in a row must find that no slab was taken before prepared memory is given back.
    private const int IdleLookCount = 5;

    private readonly Dictionary<nint, Region> _regions = [];
    private readonly FreeRegions _free = new();
    private readonly LargeMappings _large = new();
    private readonly List<Region> _preparedLast = [];
    private bool _preparesAhead;
    private bool _isPreparing;
    private HugePagePreparer? _preparer;
    private GrowthPace _pace;
    private TouchCost _touchCost;
    private long _keptBytes;
    private int _idleCount;
    private long _mappedBytes;
    private GrantLimit _grants = new();

    /// <param name="isChecked">
    /// Whether blocks carry canaries, are poisoned when freed and held in quarantine: for tests.
    /// </param>
    public PageSource(bool isChecked)
    {
        IsChecked = isChecked;
    }

    /// <summary>Whether misuse of blocks is detected.</summary>
    public bool IsChecked { get; }

    /// <summary>The arenas and pools.</summary>
    internal PageOwners Owners { get; } = new();

    /// <summary>Bytes of address space mapped now; what is resident of it may be much less.</summary>
    public long MappedBytes => Volatile.Read(ref _mappedBytes);

    /// <summary>Bytes in live blocks of all owners, rounded to their size classes.</summary>
    public long UsedBytes => Owners.UsedBytes;

    /// <summary>What of it is in pages with blocks, and in pages with memory. For reports.</summary>
    public PageUse Measure() => PageUse.Of(_lock, Owners, _large, _free);

    /// <summary>What that must be while nobody allocates or frees, by looking at each slab: for
    /// tests.</summary>
    internal PageUse Count() => PageUse.Count(_lock, _regions, _large);

    /// <summary>Whether <see cref="UsedBytes"/> is more than a number; mostly told from one sum that is kept
    /// as memory is used and freed.</summary>
    public bool UsesMoreThan(long bytes) => Owners.UsesMoreThan(bytes);

    /// <summary>How many more slabs and large blocks are handed out before memory is said to be at its end:
    /// for tests of what then happens.</summary>
    internal long GrantsLeft
    {
        get => _grants.Left;
        set => _grants.Left = value;
    }

    /// <summary>Says that touching a huge page took long: for tests.</summary>
    internal void CountSlowTouch()
    {
        lock (_lock)
            _touchCost.CountHalf(TouchCost.SlowHugeNs, isHuge: true);
    }

    /// <summary>Whether a thread of the lowest rank has pages to prepare: who has nothing to do should leave
    /// the processor to it. From any thread.</summary>
    public bool IsPreparing => Volatile.Read(ref _isPreparing);

    /// <summary>
    /// From now on has a thread of its own touch huge pages ahead of need, as long as memory grows.
    /// </summary>
    public void PrepareAhead()
    {
        lock (_lock)
        {
            _preparesAhead = true;
            _touchCost.Distrust();
        }
    }

    /// <summary>
    /// A line for each kind of block that is live now or was when its owner was disposed; exact only while no
    /// other thread allocates.
    /// </summary>
    public string[] LeakReport() => Owners.LeakReport();

    /// <summary>Unmaps all that is left. Owners that were not disposed lose their blocks.</summary>
    public void Dispose()
    {
        _preparer?.Dispose();
        lock (_lock)
        {
            foreach (Region region in _regions.Values)
                NativePages.Unmap(region.Address, Slab.RegionBytes);
            _regions.Clear();
            _large.UnmapAll();
            _free.Clear();
            _preparedLast.Clear();
            _keptBytes = 0;
            Volatile.Write(ref _mappedBytes, 0);
        }
    }

    internal static nuint RoundToPages(nuint size) =>
        (size + NativePages.PageSize - 1) & ~(NativePages.PageSize - 1);

    /// <summary>An empty slab with room for a block of this size. Its header says only how much of it has
    /// memory.</summary>
    /// <param name="blockSize">At most 64 KiB.</param>
    internal Slab* TakeSlab(nuint blockSize)
    {
        _grants.Count();
        Slab* slab;
        bool isFirstOnHugePage;
        bool isMeasured;
        lock (_lock)
        {
            _idleCount = 0;
            _pace.Count(Environment.TickCount64);
            bool takesFirst = blockSize <= Slab.Bytes - Slab.HeadersBytes && _free.HasFirst;
            Region region = takesFirst ? _free.UnlistFirst() : _free.FindReady() ?? FindOrAddRegion();
            slab = _free.Take(region, takesFirst, out bool wasKept, out bool wasUntouched);
            isFirstOnHugePage = wasUntouched && region.IsHuge;
            isMeasured = _touchCost.WantsSlabs && _mappedBytes >= HugePagesFromBytes && !wasKept
                && !region.IsWhole(Slab.IndexOf(slab));
            if (wasKept)
                _keptBytes -= Slab.Bytes;
            if (!isFirstOnHugePage)
                Slab.Begin(slab, wasKept ? slab->TouchedBytes : 0, region.IsWhole(Slab.IndexOf(slab)));
            PrepareInTime();
        }
        if (isFirstOnHugePage || isMeasured)
            TouchFirst(slab, isFirstOnHugePage);
        return slab;
    }

    /// <summary>Touches the next half of a region if one will soon be needed. On the preparer's
    /// thread.</summary>
    /// <param name="work">That thread's.</param>
    /// <returns>False where there is none to touch.</returns>
    internal bool PrepareNext(LongWork work)
    {
        Region? region;
        byte* half = null;
        bool mayBeHuge;
        lock (_lock)
        {
            Volatile.Write(ref _isPreparing, IsReadySoonUsed);
            if (!_isPreparing)
                return false;
            mayBeHuge = _touchCost.AllowsHuge;
            region = _free.FindUntouched(mayBeHuge);
            if (region is not null)
                half = _free.TakeHalf(region);
        }
        if (region is null)
        {
            Region mapped = Region.Map(isEarly: false, mayBeHuge);
            lock (_lock)
            {
                Add(mapped);
                if (!mapped.HasUntouched)
                    return true;
                half = _free.TakeHalf(region = mapped);
            }
        }
        // SAFETY: the half's slabs are taken, so nobody else uses the first byte of any of its pages: a
        // block's, or, in a lower half, that of the first slab's header.
        long touchNs = TouchCost.OfHalf(half, region.IsHuge, work);
        lock (_lock)
        {
            _touchCost.CountHalf(touchNs, region.IsHuge);
            _free.GiveHalfBack(region, half, isPrepared: true);
            _preparedLast.Add(region);
        }
        UnmapSurplus();
        return true;
    }

    /// <summary>Gives the memory of a huge page back that was prepared and not used, if memory has not grown
    /// for some calls. To be called now and then. Any thread.</summary>
    /// <returns>The bytes given back.</returns>
    public long GiveBackIdle()
    {
        Region? region = null;
        byte* half = null;
        lock (_lock)
        {
            if (_idleCount < IdleLookCount)
            {
                _idleCount++;
                return 0;
            }
            _pace.Forget();
            for (int last = _preparedLast.Count - 1; last >= 0 && half == null && !_isPreparing; last--)
            {
                region = _preparedLast[last];
                _preparedLast.RemoveAt(last);
                if (PageUse.Contains(_regions, region))
                    half = _free.TakePrepared(region);
            }
        }
        UnmapSurplus();
        if (half == null)
            return 0;
        // SAFETY: the half's slabs are taken, so nobody uses its memory.
        NativePages.Discard(half, Region.HalfBytes);
        lock (_lock)
            _free.GiveHalfBack(region!, half, isPrepared: false);
        UnmapSurplus();
        return Region.HalfBytes;
    }

    /// <summary>Has the next slab that is taken ask for preparation again.</summary>
    internal void StopPreparing()
    {
        lock (_lock)
            Volatile.Write(ref _isPreparing, false);
    }

    /// <summary>Takes an empty slab back and gives its memory to the system, unless it is to be
    /// kept.</summary>
    internal void GiveSlabBack(Slab* slab)
    {
        bool isKept = TryKeep(slab);
        if (!isKept)
            Slab.Discard(slab);
        lock (_lock)
        {
            Region region = _regions[(nint)Slab.RegionOf(slab)];
            _free.GiveBack(region, Slab.IndexOf(slab), isKept);
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

    private bool IsReadySoonUsed => _mappedBytes >= HugePagesFromBytes
        && _free.ReadyCount < _pace.ReadyCount(_mappedBytes);

    private Region FindOrAddRegion()
    {
        bool mayBeHuge = _touchCost.AllowsHuge;
        if (_free.FindUntouched(mayBeHuge) is { } found)
            return found;
        Region region = Region.Map(_mappedBytes < HugePagesFromBytes, mayBeHuge);
        Add(region);
        return region;
    }

    // SAFETY: the slab is its taker's alone, and nothing is in it yet. Its header may lie on another page
    // than its memory, and nobody reads a free slab's but to report.
    private void TouchFirst(Slab* slab, bool isHuge)
    {
        long touchNs = TouchCost.OfSlab(slab, isHuge);
        Slab.Begin(slab, isHuge ? 0 : Slab.RoomOf(slab), isHuge);
        lock (_lock)
        {
            if (isHuge)
                _touchCost.CountHalf(touchNs, isHuge);
            else
                _touchCost.CountSlab(touchNs);
        }
    }

    private void PrepareInTime()
    {
        if (!_preparesAhead || _isPreparing || !IsReadySoonUsed)
            return;
        _preparer ??= HugePagePreparer.TryStart(this);
        // Without it, who needs a page touches it, as before.
        _preparesAhead = _preparer is not null;
        Volatile.Write(ref _isPreparing, _preparesAhead);
        _preparer?.Wake();
    }

    private void Add(Region region)
    {
        _regions.Add((nint)region.Address, region);
        _free.Add(region);
        Volatile.Write(ref _mappedBytes, _mappedBytes + Slab.RegionBytes);
    }

    // One region at a time while others are in use: each takes the system some time, and whoever empties
    // another one comes here again. What was held for growth goes when memory rests (GiveBackIdle).
    private void UnmapSurplus()
    {
        for (bool isInUse = false; !isInUse;)
        {
            Region? surplus;
            lock (_lock)
            {
                isInUse = _regions.Count > _free.EmptyCount;
                surplus = TakeSurplus(isInUse);
            }
            if (surplus is null)
                return;
            NativePages.Unmap(surplus.Address, Slab.RegionBytes);
        }
    }

    // One empty region stays while any other is in use, and more while memory grows: else the preparer would
    // clear pages that are unmapped at once, without end.
    private Region? TakeSurplus(bool isInUse)
    {
        bool isHeld = isInUse && _preparesAhead && _pace.RecentCount > 0
            && _free.ReadyCount < _pace.ReadyCount(_mappedBytes) + Slab.PerRegion;
        if (isHeld || _free.EmptyCount <= (isInUse ? 1 : 0) || _free.RemoveEmpty() is not { } region)
            return null;
        _regions.Remove((nint)region.Address);
        _keptBytes -= region.KeptCount * (long)Slab.Bytes;
        Volatile.Write(ref _mappedBytes, _mappedBytes - Slab.RegionBytes);
        return region;
    }
}
