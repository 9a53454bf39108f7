using System.Numerics;

namespace Cinnabar.Memory;

/// <summary>4 MiB of slabs and which of them are free; guarded by its page source's lock.</summary>
internal sealed unsafe class Region
{
    private const ulong First = 1;
    private ulong _free = ulong.MaxValue;

    internal Region(byte* address)
    {
        Address = address;
    }

    internal byte* Address { get; }

    internal bool IsEmpty => _free == ulong.MaxValue;

    /// <summary>Whether the first slab is free, the one shortened by the headers.</summary>
    internal bool HasFirst => (_free & First) != 0;

    /// <summary>Whether a slab of full length is free.</summary>
    internal bool HasWhole => (_free & ~First) != 0;

    internal Slab* TakeFirst()
    {
        _free &= ~First;
        return (Slab*)Address;
    }

    internal Slab* TakeWhole()
    {
        int index = BitOperations.TrailingZeroCount(_free & ~First);
        _free &= ~(1UL << index);
        return (Slab*)(Address + index * Slab.SizeBytes);
    }

    internal void GiveBack(int index)
    {
        ulong bit = 1UL << index;
        if ((_free & bit) != 0)
            throw new MemoryFaultException($"slab {index} of 0x{(nuint)Address:x} was given back twice");
        _free |= bit;
    }
}
