using System.Numerics;

namespace Cinnabar.Memory;

/// <summary>4 MiB of slabs and which of them are free; guarded by its page source's lock.</summary>
internal sealed unsafe class Region
{
    private const ulong First = 1;
    private ulong _free = ulong.MaxValue;
    private ulong _kept;

    internal Region(byte* address, bool isHuge)
    {
        Address = address;
        IsHuge = isHuge;
    }

    internal byte* Address { get; }

    /// <summary>Whether the system was asked to back it with huge pages.</summary>
    internal bool IsHuge { get; }

    /// <summary>How many free slabs still have their memory.</summary>
    internal int KeptCount => BitOperations.PopCount(_kept);

    internal bool IsEmpty => _free == ulong.MaxValue;

    /// <summary>Whether the first slab is free, the one shortened by the headers.</summary>
    internal bool HasFirst => (_free & First) != 0;

    /// <summary>Whether a slab of full length is free.</summary>
    internal bool HasWhole => (_free & ~First) != 0;

    /// <summary>Takes the first slab.</summary>
    /// <param name="wasKept">Whether it still has its memory.</param>
    internal Slab* TakeFirst(out bool wasKept)
    {
        wasKept = Take(First);
        return (Slab*)Address;
    }

    /// <summary>Takes another slab, if possible one that still has its memory.</summary>
    internal Slab* TakeWhole(out bool wasKept)
    {
        ulong choice = _kept & ~First;
        int index = BitOperations.TrailingZeroCount(choice != 0 ? choice : _free & ~First);
        wasKept = Take(1UL << index);
        return (Slab*)(Address + index * Slab.SizeBytes);
    }

    internal void GiveBack(int index, bool isKept)
    {
        ulong bit = 1UL << index;
        if ((_free & bit) != 0)
            throw new MemoryFaultException($"slab {index} of 0x{(nuint)Address:x} was given back twice");
        _free |= bit;
        if (isKept)
            _kept |= bit;
    }

    private bool Take(ulong bit)
    {
        bool wasKept = (_kept & bit) != 0;
        _free &= ~bit;
        _kept &= ~bit;
        return wasKept;
    }
}
