// The memory of one stripe: blocks of any size, allocated and freed in nanoseconds, counted to the byte.
//
// A block up to 64 KiB belongs to a size class (SizeClass); a class has slabs of 64 KiB (SlabClass, Slab);
// slabs come from the server's PageSource. A block's address, masked, gives its slab's header, so blocks
// carry nothing: 88 bytes cost 88.1. Larger blocks are mapped one by one.
//
//   Allocate ─► class by size ─► first open slab ─► freed block, else the next fresh one
//                                      └─ none ─► this arena's reserve ─► PageSource
//   Free ─► slab by address ─► linked into its slab ─ last one ─► reserve ─► PageSource ─► the system
//
// A nearly empty arena costs one page for each class in use, since a slab's pages are touched in order, and
// one cache line of header; the rest of its slabs is address space. After many frees, a slab that still holds
// a block keeps all pages it ever touched. Moving blocks (allocate, copy, free) cures that: BeginMoving
// chooses slabs whose blocks have room in fuller ones; until EndMoving they serve none, and the caller,
// which knows where the addresses of blocks are kept, moves those that IsLeaving says (docs/adr/0035).
//
// Freed pages may be unmapped at once: only prefetches may use stale addresses of blocks. Memory that is read
// without the lock belongs in a TypeStablePool.
//
// In checked mode every block goes through a BlockGuard; the figures stay those of the plain mode.
//
// Why not malloc: no accounting, no way to know a block's real size on every platform, 8 to 16 bytes of
// overhead a block, and locks or thread caches that a structure already guarded by its stripe's lock does not
// need.

namespace Cinnabar.Memory;

/// <summary>
/// An allocator of native blocks, guarded by its user's lock; totals may be read from any thread.
/// </summary>
public sealed unsafe class Arena : IDisposable, IPageOwner
{
    private const int ReserveBytesMax = 2 * Slab.Bytes;
    private const int GuardMargin = 16;
    private const int MovingSlabCountMax = 4096; // looked at in a class: some 200 microseconds

    private readonly PageSource _pages;
    private readonly string _name;
    private readonly BlockGuard? _guard;
    private readonly SlabClass[] _classArray;
    private readonly SlabClass* _classes;
    private readonly SlabUse[] _use = SlabUse.New();
    private readonly Dictionary<nint, nuint> _large = [];
    private SlabReserve _reserve;
    private MixedSlabs _mixed;
    private long _usedBytes;
    private long _reportedBytes;
    private long _blockCount;
    private long _largeBytes;
    private bool _isDisposed;

    /// <param name="pages">Where memory comes from; outlives the arena.</param>
    /// <param name="name">Named in leak reports and faults.</param>
    public Arena(PageSource pages, string name)
    {
        _pages = pages;
        _name = name;
        _guard = pages.IsChecked ? new BlockGuard(name, GuardMargin) : null;
        SlabUse* use = SlabUse.AddressOf(_use);
        _reserve = new SlabReserve(pages, use, ReserveBytesMax);
        _mixed = new MixedSlabs(use);
        _classArray = GC.AllocateArray<SlabClass>(SizeClass.Count, pinned: true);
        // SAFETY: the array is pinned and lives as long as this object, which holds it.
        _classes = (SlabClass*)Unsafe.AsPointer(ref _classArray[0]);
        for (int i = 0; i < SizeClass.Count; i++)
        {
            _classes[i].BlockSize = (uint)SizeClass.SizeOf(i);
            _classes[i].Use = use;
        }
        pages.Owners.Register(this);
    }

    /// <summary>Bytes of all live blocks, each counted as <see cref="BlockSize"/> says.</summary>
    public long UsedBytes => Volatile.Read(ref _usedBytes);

    /// <summary>How many blocks are live.</summary>
    public long BlockCount => Volatile.Read(ref _blockCount);

    /// <summary>Bytes of address space that this arena holds; pages never touched are not resident.</summary>
    public long MappedBytes => ((long)_reserve.HeldCount << Slab.Shift) + Volatile.Read(ref _largeBytes);

    /// <summary>The usable bytes of a block that is allocated with this size.</summary>
    public static nuint BlockSize(nuint size) =>
        size <= SizeClass.SizeMax
            ? (nuint)SizeClass.SizeOf(SizeClass.IndexOf(size))
            : PageSource.RoundToPages(size);

    /// <summary>Allocates a block of at least this size, 8-byte aligned, contents undefined.</summary>
    /// <exception cref="OutOfMemoryException">The system gives no more memory.</exception>
    public byte* Allocate(nuint size)
    {
        Debug.Assert(!_isDisposed, "a block is taken from an arena that is disposed");
        if (_guard is not null || size > SizeClass.SizeMax)
            return AllocateUncommon(size);
        SlabClass* slabs = _classes + SizeClass.IndexOf(size);
        byte* block = slabs->TryAllocate();
        if (block == null)
            block = AllocateFurther(slabs);
        CountUsed(slabs->BlockSize);
        _blockCount++;
        return block;
    }

    /// <summary>Frees a block.</summary>
    /// <param name="block">From <see cref="Allocate"/> of this arena, live.</param>
    /// <param name="size">The size asked for, or any with the same <see cref="BlockSize"/>.</param>
    /// <exception cref="MemoryFaultException">In checked mode: the block was misused or is not
    /// live.</exception>
    public void Free(byte* block, nuint size)
    {
        Debug.Assert(!_isDisposed && block != null, "no live block of this arena is freed");
        if (_guard is not null || size > SizeClass.SizeMax)
        {
            FreeUncommon(block, size);
            return;
        }
        SlabClass* slabs = _classes + SizeClass.IndexOf(size);
        CountUsed(-(long)slabs->BlockSize);
        _blockCount--;
        Slab* slab = slabs->Free(block);
        if (slab != null)
            FreeFurther(slab, block, slabs);
        Debug.Assert(_usedBytes >= 0 && _blockCount >= 0, "more is freed than was used");
    }

    /// <summary>
    /// Returns reserves to the system; in checked mode also empties and checks the quarantine and recounts
    /// the slabs.
    /// </summary>
    /// <exception cref="MemoryFaultException">In checked mode: a freed block was written to, or the kept sums
    /// are wrong.</exception>
    public void Trim()
    {
        DrainQuarantine(mustEmpty: true);
        _reserve.Trim();
        CheckUse();
    }

    /// <summary>Returns to the system what of the reserve was not needed since the last call.</summary>
    public void GiveBackIdle() => _reserve.GiveBackIdle();

    /// <summary>Chooses slabs with few blocks to be emptied: their blocks fit into others.</summary>
    /// <returns>How many were chosen, or had been.</returns>
    public int BeginMoving()
    {
        int count = _mixed.BeginMoving();
        for (int i = 0; i < SizeClass.Count; i++)
        {
            SlabClass* slabs = _classes + i;
            bool leavesAll = _pages.MovesAll || (MixedSlabs.IsFor(slabs) && MixedSlabs.IsSparse(slabs)
                && slabs->OpenBytes(MovingSlabCountMax) <= MixedSlabs.BytesMax / 2);
            count += slabs->BeginMoving(MovingSlabCountMax, leavesAll);
        }

        return count;
    }

    /// <summary>Lets chosen slabs that still have blocks serve again.</summary>
    public void EndMoving()
    {
        _mixed.EndMoving();
        for (int i = 0; i < SizeClass.Count; i++)
            _classes[i].EndMoving();
    }

    /// <summary>Whether a live block lies in a slab that is to be emptied.</summary>
    // SAFETY: a block that is no larger than a slab lies in one; its header stays mapped while it lives.
    public bool IsLeaving(byte* block, nuint size) =>
        (_guard is null ? size : _guard.RawSize(BlockSize(size))) <= SizeClass.SizeMax
        && Slab.Of(block)->IsLeaving;

    /// <summary>Frees everything; blocks that are still live stay in the leak report.</summary>
    /// <exception cref="MemoryFaultException">In checked mode: a freed block was written to.</exception>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _pages.Owners.Unregister(this);
        try
        {
            DrainQuarantine(mustEmpty: true);
            CheckUse();
        }
        finally
        {
            GiveAllBack();
        }
    }

    /// <summary>The pages of its slabs.</summary>
    PageUse IPageOwner.PageUse => _use[0].Now;

    void IPageOwner.AppendLeaks(List<string> lines)
    {
        if (_guard is not null)
            _guard.AppendLeaks(lines);
        else if (_blockCount != 0)
            lines.Add($"{_name}: {_blockCount} blocks, {_usedBytes} bytes in all");
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void CountUsed(long bytes)
    {
        long used = _usedBytes + bytes;
        _usedBytes = used;
        if ((ulong)(used - _reportedBytes + PageOwners.StepBytes) > 2 * PageOwners.StepBytes)
            ReportUsed();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ReportUsed()
    {
        _pages.Owners.Report(_usedBytes - _reportedBytes);
        _reportedBytes = _usedBytes;
    }

    private void GiveAllBack()
    {
        for (int i = 0; i < SizeClass.Count; i++)
        {
            for (Slab* slab = _classes[i].RemoveAny(); slab != null; slab = _classes[i].RemoveAny())
            {
                // Its blocks end with it.
                slab->UsedCount = 0;
                _reserve.Give(slab);
            }
        }
        for (Slab* slab = _mixed.RemoveAny(); slab != null; slab = _mixed.RemoveAny())
            _reserve.Give(slab);
        _mixed.Free();
        _reserve.Trim();
        foreach ((nint address, nuint size) in _large)
            _pages.GivePagesBack((byte*)address, size);
        _large.Clear();
        _largeBytes = 0;
        _usedBytes = 0;
        ReportUsed();
        _blockCount = 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* AllocateFurther(SlabClass* slabs)
    {
        if (MixedSlabs.IsFor(slabs))
        {
            byte* block = _mixed.TryAllocate(slabs);
            if (block != null)
                return block;
            if (MixedSlabs.IsSparse(slabs))
            {
                _mixed.Reserve();
                _mixed.Add(_reserve.Take(slabs->BlockSize));
                return _mixed.TryAllocate(slabs);
            }
        }

        slabs->Add(_reserve.Take(slabs->BlockSize));
        return slabs->TryAllocate();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void FreeFurther(Slab* slab, byte* block, SlabClass* slabs)
    {
        if (!slab->IsMixed || _mixed.Free(slab, block, slabs))
            _reserve.Give(slab);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* AllocateUncommon(nuint size)
    {
        nuint blockSize = BlockSize(size);
        byte* block = _guard is null
            ? AllocateRaw(blockSize)
            : _guard.Arm(AllocateRaw(_guard.RawSize(blockSize)), blockSize);
        CountUsed((long)blockSize);
        _blockCount++;
        return block;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void FreeUncommon(byte* block, nuint size)
    {
        nuint blockSize = BlockSize(size);
        if (_guard is null)
        {
            FreeRaw(block, blockSize);
        }
        else
        {
            _guard.Disarm(block, blockSize);
            DrainQuarantine(mustEmpty: false);
        }
        CountUsed(-(long)blockSize);
        _blockCount--;
    }

    private void DrainQuarantine(bool mustEmpty)
    {
        if (_guard is null)
            return;
        while (_guard.TryRelease(mustEmpty, out byte* raw, out nuint rawSize))
            FreeRaw(raw, rawSize);
    }

    private void CheckUse()
    {
        if (_guard is null)
            return;
        PageUse counted = _reserve.Count() + _mixed.Count();
        foreach (ref readonly SlabClass slabs in _classArray.AsSpan())
            counted += slabs.Count();
        if (counted != _use[0].Now)
            throw new MemoryFaultException($"{_name}: slabs with {counted} are kept as {_use[0].Now}");
    }

    private byte* AllocateRaw(nuint size)
    {
        if (size > SizeClass.SizeMax)
        {
            nuint mappedSize = PageSource.RoundToPages(size);
            byte* mapped = _pages.TakePages(mappedSize);
            _large.Add((nint)mapped, mappedSize);
            _largeBytes += (long)mappedSize;
            return mapped;
        }
        SlabClass* slabs = _classes + SizeClass.IndexOf(size);
        byte* block = slabs->TryAllocate();
        return block != null ? block : AllocateFurther(slabs);
    }

    private void FreeRaw(byte* block, nuint size)
    {
        if (size > SizeClass.SizeMax)
        {
            nuint mappedSize = PageSource.RoundToPages(size);
            _pages.GivePagesBack(block, mappedSize);
            _large.Remove((nint)block);
            _largeBytes -= (long)mappedSize;
            return;
        }
        SlabClass* slabs = _classes + SizeClass.IndexOf(size);
        Slab* slab = slabs->Free(block);
        if (slab != null)
            FreeFurther(slab, block, slabs);
    }
}
