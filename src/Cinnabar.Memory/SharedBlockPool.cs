// The pool of shared blocks: bins of 4, 16, 64 and 256 KiB and of 1 MiB for output, smaller ones for
// messages, headers included; larger blocks are mapped exactly and unmapped when released. Each bin has its
// own lock and keeps a little free memory (half a megabyte of slabs, four blocks of 1 MiB); the rest goes
// back to the system at once.
//
// Blocks know their pool by a handle, because they are native memory and the pool is an object. The handle,
// and the pool's place in the page source's totals, last until the pool is disposed and its last block is
// back: a block that is still being sent while the server winds down is released like any other.

namespace Cinnabar.Memory;

/// <summary>A thread-safe pool of <see cref="SharedBlock"/>s.</summary>
public sealed unsafe class SharedBlockPool : IDisposable, IPageOwner
{
    private const int MappedExactly = -1;

    private readonly PageSource _pages;
    private readonly SharedBlockBin[] _bins;
    private GCHandle _handle;
    private long _exactBytes;
    private long _exactCount;
    private long _holdCount = 1; // blocks that are out, and one for the pool until it is disposed
    private int _isDisposed;

    /// <param name="pages">Where memory comes from; outlives the pool and its blocks.</param>
    public SharedBlockPool(PageSource pages)
    {
        _pages = pages;
        _bins =
        [
            new SharedBlockBin(pages, 128, SharedBlock.HeaderBytes),
            new SharedBlockBin(pages, 256, SharedBlock.HeaderBytes),
            new SharedBlockBin(pages, 512, SharedBlock.HeaderBytes),
            new SharedBlockBin(pages, 1024, SharedBlock.HeaderBytes),
            new SharedBlockBin(pages, 2 * 1024, SharedBlock.HeaderBytes),
            new SharedBlockBin(pages, 4 * 1024, SharedBlock.HeaderBytes),
            new SharedBlockBin(pages, 16 * 1024, SharedBlock.HeaderBytes),
            new SharedBlockBin(pages, 64 * 1024, SharedBlock.HeaderBytes),
            new SharedBlockBin(pages, 256 * 1024, SharedBlock.HeaderBytes),
            new SharedBlockBin(pages, 1024 * 1024, SharedBlock.HeaderBytes),
        ];
        _handle = GCHandle.Alloc(this);
        pages.Owners.Register(this);
    }

    /// <summary>Bytes of the blocks in use, headers included.</summary>
    public long UsedBytes
    {
        get
        {
            long sum = Volatile.Read(ref _exactBytes);
            foreach (SharedBlockBin bin in _bins)
                sum += bin.UsedBytes;
            return sum;
        }
    }

    PageUse IPageOwner.PageUse
    {
        get
        {
            PageUse sum = default;
            foreach (SharedBlockBin bin in _bins)
                sum += bin.PageUse;
            return sum;
        }
    }

    internal nint Handle => GCHandle.ToIntPtr(_handle);

    /// <summary>Returns reserves to the system; in checked mode also checks freed blocks.</summary>
    public void Trim()
    {
        foreach (SharedBlockBin bin in _bins)
            bin.Trim();
    }

    /// <summary>Returns to the system what of the reserves was not needed since the last call.</summary>
    public void GiveBackIdle()
    {
        foreach (SharedBlockBin bin in _bins)
            bin.GiveBackIdle();
    }

    /// <summary>Frees all unused memory; blocks still held follow when they are released.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
            return;
        Trim();
        DropHold();
    }

    void IPageOwner.AppendLeaks(List<string> lines)
    {
        foreach (SharedBlockBin bin in _bins)
            bin.AppendLeaks(lines);
        if (_exactCount != 0)
            lines.Add($"shared blocks mapped exactly: {_exactCount} held, {_exactBytes} bytes in all");
    }

    internal byte* Take(int capacity, out int binIndex, out int realCapacity)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(capacity);
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed) != 0, this);
        Interlocked.Increment(ref _holdCount);
        nuint wanted = (nuint)capacity + SharedBlock.HeaderBytes;
        for (binIndex = 0; binIndex < _bins.Length; binIndex++)
        {
            SharedBlockBin bin = _bins[binIndex];
            if (wanted > bin.BlockSize)
                continue;
            realCapacity = (int)bin.BlockSize - SharedBlock.HeaderBytes;
            return bin.Take();
        }
        binIndex = MappedExactly;
        nuint size = PageSource.RoundToPages(wanted);
        realCapacity = (int)nuint.Min(size - SharedBlock.HeaderBytes, int.MaxValue);
        byte* block = _pages.TakePages(size);
        Interlocked.Add(ref _exactBytes, (long)size);
        _pages.Owners.Report((long)size);
        Interlocked.Increment(ref _exactCount);
        return block;
    }

    internal void GiveBack(byte* block, int binIndex, int capacity)
    {
        if (binIndex == MappedExactly)
        {
            nuint size = PageSource.RoundToPages((nuint)capacity + SharedBlock.HeaderBytes);
            _pages.GivePagesBack(block, size);
            Interlocked.Add(ref _exactBytes, -(long)size);
            _pages.Owners.Report(-(long)size);
            Interlocked.Decrement(ref _exactCount);
        }
        else
        {
            _bins[binIndex].GiveBack(block);
        }
        DropHold();
    }

    private void DropHold()
    {
        long holdCount = Interlocked.Decrement(ref _holdCount);
        Debug.Assert(holdCount >= 0, "a pool is released more often than held");
        if (holdCount != 0)
            return;
        // Disposed, and the last block is back.
        Trim();
        _pages.Owners.Unregister(this);
        _handle.Free();
    }
}
