// Positions in one block after the other share one table, which is never cleared between them: each block
// counts its positions from an origin so far above the last block's end that what is left of that one looks
// too far away to be copied from. Once in some hundred thousand blocks the numbers begin again. Short blocks
// use only the first slots: no more of them are cleared than blocks have needed.

namespace Cinnabar.Structures.Compression;

/// <summary>The memory of a compressor of many blocks. One thread at a time.</summary>
public sealed unsafe class LzfTable : IDisposable
{
    private uint _next = Lzf.DistanceMax + 1;
    private int _clearCount;

    /// <summary>A table of 32 KiB.</summary>
    public LzfTable() => Slots = (uint*)NativeMemory.Alloc(Lzf.SlotCountMax, sizeof(uint));

    internal uint* Slots { get; private set; }

    /// <summary>Begins a block; returns what its positions count from.</summary>
    internal uint Begin(int length)
    {
        Debug.Assert(Slots != null, "the table was freed");
        if (_next >= uint.MaxValue - Lzf.DistanceMax - (uint)length)
            (_next, _clearCount) = (Lzf.DistanceMax + 1, 0);
        int count = Lzf.SlotCountFor(length);
        if (count > _clearCount)
        {
            new Span<uint>(Slots + _clearCount, count - _clearCount).Clear();
            _clearCount = count;
        }

        uint origin = _next;
        _next += (uint)length + Lzf.DistanceMax + 1;
        return origin;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.Free(Slots);
        Slots = null;
    }
}
