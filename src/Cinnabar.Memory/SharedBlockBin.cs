namespace Cinnabar.Memory;

/// <summary>
/// The blocks of one raw size in a <see cref="SharedBlockPool"/>: carved from slabs up to 64 KiB, mapped one
/// by one above. Thread-safe; keeps a bounded reserve of free memory.
/// </summary>
internal sealed unsafe class SharedBlockBin
{
    private const int SlabReserveBytesMax = 8 * Slab.Bytes;
    private const int MappedReserveCountMax = 4;

    private readonly PageSource _pages;
    private readonly Lock _lock = new();
    private readonly BlockGuard? _guard;
    private readonly nuint _blockSize;
    private readonly Stack<nint> _mappedReserve = [];
    private readonly SlabUse[] _use = SlabUse.New();
    private SlabClass _slabs;
    private SlabReserve _reserve;
    private long _takenCount;
    private int _idleCount; // the fewest mapped blocks in reserve since the last GiveBackIdle

    /// <param name="pages">Where memory comes from.</param>
    /// <param name="rawSize">Bytes of a block with header and guards: at most 64 KiB, or whole pages.</param>
    /// <param name="guardMargin">Bytes before each block in checked mode.</param>
    internal SharedBlockBin(PageSource pages, nuint rawSize, int guardMargin)
    {
        _pages = pages;
        RawSize = rawSize;
        _blockSize = rawSize;
        if (pages.IsChecked)
        {
            _guard = new BlockGuard($"shared blocks of {rawSize} bytes", guardMargin);
            _blockSize = rawSize - _guard.RawSize(0);
        }
        _slabs.BlockSize = (uint)rawSize;
        _slabs.Use = SlabUse.AddressOf(_use);
        _reserve = new SlabReserve(pages, _slabs.Use, SlabReserveBytesMax);
    }

    internal nuint RawSize { get; }

    /// <summary>The bytes that the pool may use of a block.</summary>
    internal nuint BlockSize => _blockSize;

    internal long UsedBytes => Volatile.Read(ref _takenCount) * (long)RawSize;

    /// <summary>The pages of its slabs.</summary>
    internal PageUse PageUse => _use[0].Now;

    internal byte* Take()
    {
        lock (_lock)
        {
            byte* raw = RawSize > SizeClass.SizeMax ? TakeMapped() : TakeFromSlab();
            _takenCount++;
            _pages.Owners.Report((long)RawSize);
            return _guard is null ? raw : _guard.Arm(raw, _blockSize);
        }
    }

    internal void GiveBack(byte* block)
    {
        lock (_lock)
        {
            if (_guard is null)
            {
                FreeRaw(block);
            }
            else
            {
                _guard.Disarm(block, _blockSize);
                DrainQuarantine(mustEmpty: false);
            }
            _takenCount--;
            Debug.Assert(_takenCount >= 0, "more blocks come back than were taken");
            _pages.Owners.Report(-(long)RawSize);
        }
    }

    internal void GiveBackIdle()
    {
        lock (_lock)
        {
            _reserve.GiveBackIdle();
            for (int idleCount = _idleCount; idleCount > 0; idleCount--)
                _pages.GivePagesBack(TakeMapped(), RawSize);
            _idleCount = _mappedReserve.Count;
        }
    }

    internal void Trim()
    {
        lock (_lock)
        {
            DrainQuarantine(mustEmpty: true);
            _reserve.Trim();
            while (_mappedReserve.TryPop(out nint mapped))
                _pages.GivePagesBack((byte*)mapped, RawSize);
            _idleCount = 0;
        }
    }

    internal void AppendLeaks(List<string> lines)
    {
        if (_takenCount != 0)
            lines.Add($"shared blocks of {RawSize} bytes: {_takenCount} held");
    }

    private byte* TakeFromSlab()
    {
        byte* raw = _slabs.TryAllocate();
        if (raw != null)
            return raw;
        _slabs.Add(_reserve.Take(RawSize));
        return _slabs.TryAllocate();
    }

    private byte* TakeMapped()
    {
        if (!_mappedReserve.TryPop(out nint mapped))
            return _pages.TakePages(RawSize);
        _idleCount = Math.Min(_idleCount, _mappedReserve.Count);
        return (byte*)mapped;
    }

    private void FreeRaw(byte* raw)
    {
        if (RawSize > SizeClass.SizeMax)
        {
            if (_mappedReserve.Count < MappedReserveCountMax)
                _mappedReserve.Push((nint)raw);
            else
                _pages.GivePagesBack(raw, RawSize);
            return;
        }
        Slab* emptied = _slabs.Free(raw);
        if (emptied != null)
            _reserve.Give(emptied);
    }

    private void DrainQuarantine(bool mustEmpty)
    {
        if (_guard is null)
            return;
        while (_guard.TryRelease(mustEmpty, out byte* raw, out _))
            FreeRaw(raw);
    }
}
