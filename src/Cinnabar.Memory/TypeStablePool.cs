// Blocks of one size for structures that loops read without a lock: table segments, directories.
//
//   Take ◄── free blocks ◄──── Quiescence ◄──── returned blocks ◄── Return
//                └─ an empty slab ─► PageSource
//
// A returned block stays untouched until every loop that was inside a turn has passed a quiescent point:
// until then a reader with a stale address finds the old contents, whole. Only then is it linked, poisoned,
// reused or returned to the system. (With immediate reuse every reader would have to expect a block that is
// being rebuilt; returns are rare, so waiting is simpler.)
//
// Returned blocks gather in one list while an earlier list waits: one action serves any number of returns.
//
// Blocks up to 64 KiB come from slabs like an arena's, but of exactly this size; alignment is that of the
// size, up to 128 bytes, and up to 64 if the system's page is the limit. Larger ones are mapped.

namespace Cinnabar.Memory;

/// <summary>A thread-safe pool of blocks that keep their contents until no loop can read them.</summary>
public sealed unsafe class TypeStablePool : IDisposable, IPageOwner
{
    private const int ReserveBytesMax = 2 * Slab.Bytes;
    private const nuint AlignmentMax = 128;

    private readonly PageSource _pages;
    private readonly Quiescence _quiescence;
    private readonly Lock _lock = new();
    private readonly nuint _blockSize;
    private readonly nuint _rawSize;
    private readonly BlockGuard? _guard;
    private readonly HashSet<nint> _large = [];
    private readonly Action _reclaim;
    private List<nint> _returned = [];
    private List<nint> _waiting = [];
    private readonly SlabUse[] _use = SlabUse.New();
    private SlabClass _slabs;
    private SlabReserve _reserve;
    private long _takenCount;
    private bool _isDisposed;

    /// <param name="pages">Where memory comes from; outlives the pool.</param>
    /// <param name="blockSize">Bytes, a multiple of 8. A multiple of 64 or 128 is also the alignment.</param>
    /// <param name="quiescence">Of all loops that read blocks without a lock.</param>
    public TypeStablePool(PageSource pages, nuint blockSize, Quiescence quiescence)
    {
        if (blockSize == 0 || blockSize % 8 != 0)
            throw new ArgumentOutOfRangeException(nameof(blockSize), blockSize, "not a multiple of 8");
        _pages = pages;
        _quiescence = quiescence;
        _blockSize = blockSize;
        _reclaim = Reclaim;
        _rawSize = blockSize;
        if (pages.IsChecked)
        {
            nuint alignment = nuint.Min(AlignmentMax, (nuint)1 << BitOperations.TrailingZeroCount(blockSize));
            int margin = (int)nuint.Max(alignment, 16);
            _guard = new BlockGuard($"pool of {blockSize}-byte blocks", margin);
            _rawSize = (_guard.RawSize(blockSize) + alignment - 1) & ~(alignment - 1);
        }
        _slabs.BlockSize = (uint)_rawSize;
        _slabs.Use = SlabUse.AddressOf(_use);
        _reserve = new SlabReserve(pages, _slabs.Use, ReserveBytesMax);
        pages.Owners.Register(this);
    }

    /// <summary>Bytes of the blocks that are taken.</summary>
    public long UsedBytes => Volatile.Read(ref _takenCount) * (long)_blockSize;

    /// <summary>Takes a block that no loop reads; contents undefined.</summary>
    /// <exception cref="OutOfMemoryException">The system gives no more memory.</exception>
    public byte* Take()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            byte* raw = TakeRaw();
            CountTaken(1);
            return _guard is null ? raw : _guard.Arm(raw, _blockSize);
        }
    }

    /// <summary>Returns an unpublished block; readers with stale addresses may still read it.</summary>
    public void Return(byte* block)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            CountTaken(-1);
            _returned.Add((nint)block);
            RetireReturned();
        }
    }

    /// <summary>Returns to the system what of the reserve was not needed since the last call.</summary>
    public void GiveBackIdle()
    {
        lock (_lock)
            _reserve.GiveBackIdle();
    }

    /// <summary>Frees everything; blocks that are still taken stay in the leak report. No loop may be
    /// inside.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
            _pages.Owners.Unregister(this);
            try
            {
                FreeAll(_waiting);
                FreeAll(_returned);
                DrainQuarantine(mustEmpty: true);
            }
            finally
            {
                for (Slab* slab = _slabs.RemoveAny(); slab != null; slab = _slabs.RemoveAny())
                    _reserve.Give(slab);
                _reserve.Trim();
                foreach (nint address in _large)
                    _pages.GivePagesBack((byte*)address, PageSource.RoundToPages(_rawSize));
                _large.Clear();
                CountTaken(-_takenCount);
            }
        }
    }

    PageUse IPageOwner.PageUse => _use[0].Now;

    void IPageOwner.AppendLeaks(List<string> lines)
    {
        if (_takenCount != 0)
            lines.Add($"pool of {_blockSize}-byte blocks: {_takenCount} taken");
    }

    private void CountTaken(long change)
    {
        _takenCount += change;
        Debug.Assert(_takenCount >= 0, "more blocks are returned than were taken");
        _pages.Owners.Report(change * (long)_blockSize);
    }

    private void RetireReturned()
    {
        if (_waiting.Count != 0 || _returned.Count == 0)
            return;
        Debug.Assert(_waiting.Count == 0, "two lists wait for quiescence at once");
        (_waiting, _returned) = (_returned, _waiting);
        _quiescence.Retire(_reclaim);
    }

    // Runs in Quiescence.Poll, which holds no lock then.
    private void Reclaim()
    {
        lock (_lock)
        {
            if (_isDisposed)
                return;
            FreeAll(_waiting);
            RetireReturned();
        }
    }

    private void FreeAll(List<nint> blocks)
    {
        while (blocks.Count != 0)
        {
            // Off the list first: a broken block throws, and must not be found again.
            nint block = blocks[^1];
            blocks.RemoveAt(blocks.Count - 1);
            if (_guard is null)
            {
                FreeRaw((byte*)block);
            }
            else
            {
                _guard.Disarm((byte*)block, _blockSize);
                DrainQuarantine(mustEmpty: false);
            }
        }
    }

    private void DrainQuarantine(bool mustEmpty)
    {
        if (_guard is null)
            return;
        while (_guard.TryRelease(mustEmpty, out byte* raw, out _))
            FreeRaw(raw);
    }

    private byte* TakeRaw()
    {
        if (_rawSize > SizeClass.SizeMax)
        {
            byte* mapped = _pages.TakePages(PageSource.RoundToPages(_rawSize));
            _large.Add((nint)mapped);
            return mapped;
        }
        byte* raw = _slabs.TryAllocate();
        if (raw != null)
            return raw;
        _slabs.Add(_reserve.Take(_rawSize));
        return _slabs.TryAllocate();
    }

    private void FreeRaw(byte* raw)
    {
        if (_rawSize > SizeClass.SizeMax)
        {
            _pages.GivePagesBack(raw, PageSource.RoundToPages(_rawSize));
            _large.Remove((nint)raw);
            return;
        }
        Slab* emptied = _slabs.Free(raw);
        if (emptied != null)
            _reserve.Give(emptied);
    }
}
