namespace Cinnabar.Memory;

/// <summary>4 MiB of slabs and which of them are free; guarded by its page source's lock.</summary>
/// <param name="address">Where it is mapped: a multiple of its size.</param>
internal sealed unsafe class Region(byte* address)
{
    private const ulong First = 1;
    private ulong _free = ulong.MaxValue;

    /// <summary>Its first byte.</summary>
    internal byte* Address { get; } = address;

    /// <summary>Whether all slabs are free.</summary>
    internal bool IsEmpty => _free == ulong.MaxValue;

    /// <summary>Whether the first slab, the one shortened by the headers, is free.</summary>
    internal bool HasFirst => (_free & First) != 0;

    /// <summary>Whether a slab of full length is free.</summary>
    internal bool HasWhole => (_free & ~First) != 0;

    /// <summary>Its place in each list of <see cref="FreeRegions"/>; -1 where it is not listed.</summary>
    internal int[] Places { get; } = [-1, -1, -1];

    /// <summary>Takes a free slab.</summary>
    /// <param name="isFirst">Whether to take the first one, which must be free; else one of full length must
    /// be free.</param>
    internal Slab* Take(bool isFirst)
    {
        Debug.Assert(isFirst ? HasFirst : HasWhole, "a slab is taken from a region that has none");
        int index = isFirst ? 0 : BitOperations.TrailingZeroCount(_free & ~First);
        _free &= ~(1UL << index);
        return (Slab*)Address + index;
    }

    /// <summary>Returns a slab whose memory was already discarded.</summary>
    /// <exception cref="MemoryFaultException">It is free already.</exception>
    internal void GiveBack(int index)
    {
        ulong bit = 1UL << index;
        if ((_free & bit) != 0)
            throw new MemoryFaultException($"slab {index} of 0x{(nuint)Address:x} was given back twice");
        _free |= bit;
    }

    /// <summary>Counts slab by slab what its owners must have counted; they must not allocate
    /// meanwhile.</summary>
    internal PageUse Count()
    {
        PageUse use = default;
        // SAFETY: the page source's lock is held, and the region is mapped: so are its headers.
        var slab = (Slab*)Address;
        for (ulong bit = First; bit != 0; bit <<= 1, slab++)
        {
            if ((_free & bit) != 0)
                continue;
            long touched = Slab.TouchedNow(slab);
            use += new PageUse(slab->UsedCount == 0 ? 0 : touched, Math.Max(touched, slab->TouchedBytes));
        }

        return use;
    }
}
