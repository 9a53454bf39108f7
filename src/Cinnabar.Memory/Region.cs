using System;
using System.Numerics;
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>4 MiB of slabs and which of them are free; guarded by its page source's lock.</summary>
internal sealed unsafe class Region
{
    /// <summary>The bytes of a huge page, of which a region has two.</summary>
    internal const int HalfBytes = Slab.RegionBytes / 2;

    /// <summary>Slabs of half a region.</summary>
    internal const int HalfCount = Slab.PerRegion / 2;

    private const ulong First = 1;
    private const ulong LowerHalf = ulong.MaxValue >> HalfCount;
    private ulong _free = ulong.MaxValue;
    private ulong _kept;
    private ulong _untouched;
    private ulong _prepared;
    private ulong _whole; // slabs that have all their memory: it came with a huge page, or was prepared
    private long _keptBytes; // memory of kept slabs that are not whole

    /// <param name="address">Where it is.</param>
    /// <param name="isHuge">Whether the system was asked to back it with huge pages.</param>
    /// <param name="isUntouched">Whether its halves are to be touched before they are used.</param>
    internal Region(byte* address, bool isHuge, bool isUntouched)
    {
        Address = address;
        IsHuge = isHuge;
        _untouched = isUntouched ? ulong.MaxValue : 0;
    }

    /// <summary>Maps an empty one, and tells the system which pages are wanted: there are systems that give
    /// huge ones where nobody asks.</summary>
    /// <param name="isEarly">Whether there is so little memory that pages are touched one by one.</param>
    /// <param name="mayBeHuge">Whether it may have huge pages otherwise.</param>
    /// <exception cref="OutOfMemoryException">The system has no memory or address space
    /// left.</exception>
    internal static Region Map(bool isEarly, bool mayBeHuge)
    {
        byte* address = NativePages.Map(Slab.RegionBytes, Slab.RegionBytes);
        bool isHuge = !isEarly && mayBeHuge && NativePages.AdviseHuge(address, Slab.RegionBytes);
        if (!isHuge)
            NativePages.AdviseSmall(address, Slab.RegionBytes);
        return new Region(address, isHuge, isUntouched: isHuge || (!isEarly && !mayBeHuge));
    }

    internal byte* Address { get; }

    /// <summary>Whether the system was asked to back it with huge pages.</summary>
    internal bool IsHuge { get; }

    /// <summary>How many free slabs were given back and still have their memory.</summary>
    internal int KeptCount => BitOperations.PopCount(_kept);

    /// <summary>What has memory of whole slabs, of free ones that were kept, and of the headers.</summary>
    internal long ResidentBytes =>
        ((long)BitOperations.PopCount(_whole) << Slab.Shift) + _keptBytes + HeadersResidentBytes;

    // A whole first slab's memory includes them.
    private long HeadersResidentBytes =>
        (_whole & First) != 0 || (_whole == 0 && IsEmpty) ? 0 : Slab.HeadersBytes;

    internal bool IsEmpty => _free == ulong.MaxValue;

    /// <summary>Whether the first slab, the one shortened by the headers, is free and ready.</summary>
    internal bool HasFirst => (_free & ~_untouched & First) != 0;

    /// <summary>How many slabs are free whose first use does not have the system find memory for half a
    /// region.</summary>
    internal int ReadyCount => BitOperations.PopCount(_free & ~_untouched);

    /// <summary>Whether such a slab of full length is free.</summary>
    internal bool HasReady => (_free & ~_untouched & ~First) != 0;

    /// <summary>Whether a half of it has not been touched yet: all its slabs are free then.</summary>
    internal bool HasUntouched => _untouched != 0;

    /// <summary>How many slabs are in such halves.</summary>
    internal int UntouchedCount => BitOperations.PopCount(_untouched);

    /// <summary>Whether the page source lists it among those with a ready slab.</summary>
    internal bool IsListedReady { get; set; }

    /// <summary>Whether the page source lists it among those with an untouched half.</summary>
    internal bool IsListedUntouched { get; set; }

    /// <summary>Takes the first slab.</summary>
    /// <param name="wasKept">Whether it was given back and still has its memory.</param>
    internal Slab* TakeFirst(out bool wasKept)
    {
        wasKept = Take(0);
        return (Slab*)Address;
    }

    /// <summary>Takes another slab, if possible one that was kept, else one that is ready.</summary>
    internal Slab* TakeWhole(out bool wasKept)
    {
        ulong choice = _kept & ~First;
        if (choice == 0)
            choice = _free & ~_untouched & ~First;
        int index = BitOperations.TrailingZeroCount(choice != 0 ? choice : _free & ~First);
        wasKept = Take(index);
        return (Slab*)(Address + index * Slab.SizeBytes);
    }

    /// <summary>Takes all slabs of an untouched half, the lower one first: it has the headers.</summary>
    /// <returns>Its address.</returns>
    internal byte* TakeHalf()
    {
        ulong half = (_untouched & LowerHalf) != 0 ? LowerHalf : ~LowerHalf;
        _untouched &= ~half;
        _free &= ~half;
        return Address + (half == LowerHalf ? 0 : HalfBytes);
    }

    /// <summary>Takes such a half back, which has its memory now.</summary>
    /// <param name="address">From <see cref="TakeHalf"/> or <see cref="TakePrepared"/>.</param>
    /// <param name="isPrepared">False where it has lost its memory.</param>
    internal void GiveHalfBack(byte* address, bool isPrepared)
    {
        ulong half = address == Address ? LowerHalf : ~LowerHalf;
        _free |= half;
        if (isPrepared)
        {
            _prepared |= half;
            _whole |= half;
        }
        else
        {
            _untouched |= half;
            _whole &= ~half;
        }
    }

    /// <summary>Takes all slabs of a half that was given back prepared and of which none was taken since. Not
    /// the lower one alone: it has the headers.</summary>
    /// <returns>Its address; null where there is none.</returns>
    internal byte* TakePrepared()
    {
        ulong half = ~LowerHalf;
        if ((_prepared & half) == 0)
            half = IsEmpty ? LowerHalf : 0;
        if ((_prepared & half) == 0)
            return null;
        _prepared &= ~half;
        _free &= ~half;
        return Address + (half == LowerHalf ? 0 : HalfBytes);
    }

    /// <summary>Whether a slab has all its memory.</summary>
    internal bool IsWhole(int index) => (_whole & (1UL << index)) != 0;

    internal void GiveBack(int index, bool isKept)
    {
        ulong bit = 1UL << index;
        if ((_free & bit) != 0)
            throw new MemoryFaultException($"slab {index} of 0x{(nuint)Address:x} was given back twice");
        _free |= bit;
        if (!isKept)
        {
            _whole &= ~bit;
            return;
        }
        _kept |= bit;
        if ((_whole & bit) == 0)
            _keptBytes += ((Slab*)Address + index)->TouchedBytes;
    }

    /// <summary>Looks at each slab: what <see cref="ResidentBytes"/> and its owners must have counted. While
    /// these allocate nothing.</summary>
    internal PageUse Count()
    {
        var use = new PageUse(0, HeadersResidentBytes);
        // SAFETY: the page source's lock is held, and the region is mapped: so are its headers.
        var slab = (Slab*)Address;
        for (ulong bit = First; bit != 0; bit <<= 1, slab++)
        {
            bool isFree = (_free & bit) != 0;
            long touched = isFree ? 0 : Slab.TouchedNow(slab);
            long resident = isFree && (_kept & bit) == 0 ? 0 : Math.Max(touched, slab->TouchedBytes);
            use += new PageUse(isFree || slab->UsedCount == 0 ? 0 : touched,
                (_whole & bit) != 0 ? Slab.Bytes : resident);
        }

        return use;
    }

    private bool Take(int index)
    {
        ulong bit = 1UL << index;
        bool wasKept = (_kept & bit) != 0;
        ulong half = LowerHalf << (index & HalfCount);
        if (wasKept && !IsWhole(index))
            _keptBytes -= ((Slab*)Address + index)->TouchedBytes;
        _free &= ~bit;
        _kept &= ~bit;
        // The first use of an untouched huge page has the system find memory for all of it.
        if (IsHuge)
            _whole |= _untouched & half;
        _untouched &= ~half;
        _prepared &= ~half;
        return wasKept;
    }
}
