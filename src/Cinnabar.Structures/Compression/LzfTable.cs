// Positions in one block after the other share one table, which is never cleared between them: each block
// counts its positions from an origin so far above the last block's end that what is left of that one looks
// too far away to be copied from. Once in some hundred thousand blocks the numbers begin again.

namespace Cinnabar.Structures.Compression;

/// <summary>The memory of a compressor of many blocks. One thread at a time.</summary>
public sealed unsafe class LzfTable : IDisposable
{
    private uint _next;

    /// <summary>A table of 32 KiB.</summary>
    public LzfTable()
    {
        Slots = (uint*)NativeMemory.Alloc(Lzf.SlotCountMax, sizeof(uint));
        Clear();
    }

    internal uint* Slots { get; private set; }

    /// <summary>Begins a block; returns what its positions count from.</summary>
    internal uint Begin(int length)
    {
        Debug.Assert(Slots != null, "the table was freed");
        if (_next >= uint.MaxValue - Lzf.DistanceMax - (uint)length)
            Clear();
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

    private void Clear()
    {
        new Span<uint>(Slots, Lzf.SlotCountMax).Clear();
        _next = Lzf.DistanceMax + 1;
    }
}
