using System;
using System.Diagnostics;
using System.Numerics;
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>A mapping from which runs of pages are taken, and which of its pages are taken: a bit for each;
/// guarded by its page source's lock.</summary>
internal sealed unsafe class LargeRegion
{
    private readonly ulong[] _taken;
    private int _takenCount;
    private int _firstFreeMin; // no page before it is free

    /// <param name="address">Where it is mapped.</param>
    /// <param name="size">Bytes, whole pages.</param>
    internal LargeRegion(byte* address, nuint size)
    {
        Address = address;
        PageCount = (int)(size / NativePages.PageSize);
        _taken = new ulong[(PageCount + 63) / 64];
    }

    /// <summary>Its first byte.</summary>
    internal byte* Address { get; }

    /// <summary>How many pages it has.</summary>
    internal int PageCount { get; }

    /// <summary>Its bytes.</summary>
    internal nuint Size => (nuint)PageCount * NativePages.PageSize;

    /// <summary>Whether no page is taken.</summary>
    internal bool IsEmpty => _takenCount == 0;

    /// <summary>Takes the first run of free pages that is long enough.</summary>
    /// <param name="count">Pages, at least 1.</param>
    /// <param name="longest">Where there is no such run: the length of the longest one.</param>
    /// <returns>Its address; null: there is none.</returns>
    internal byte* TryTake(int count, out int longest)
    {
        longest = 0;
        int start = Next(_firstFreeMin, PageCount, isTaken: false);
        _firstFreeMin = start;
        while (start < PageCount)
        {
            int end = Next(start, Math.Min(start + count, PageCount), isTaken: true);
            if (end - start == count)
            {
                Mark(start, count, isTaken: true);
                return Address + ((nuint)start * NativePages.PageSize);
            }

            longest = Math.Max(longest, end - start);
            start = Next(end, PageCount, isTaken: false);
        }

        return null;
    }

    /// <summary>Takes a run of pages back.</summary>
    /// <param name="address">Its first byte.</param>
    /// <param name="count">How many pages; they may be a part of what was taken at once.</param>
    /// <returns>How long the run of free pages is now that holds them.</returns>
    /// <exception cref="MemoryFaultException">One of them is free already.</exception>
    internal int GiveBack(byte* address, int count)
    {
        int start = (int)((nuint)(address - Address) / NativePages.PageSize);
        Debug.Assert(count > 0 && start + count <= PageCount, "a run reaches past its region");
        if (Next(start, start + count, isTaken: false) != start + count)
            throw new MemoryFaultException($"pages at 0x{(nuint)address:x} are free already: freed twice?");
        Mark(start, count, isTaken: false);
        _firstFreeMin = Math.Min(_firstFreeMin, start);
        return Next(start + count, PageCount, isTaken: true) - LastTakenBefore(start) - 1;
    }

    // The first page from one on, and before another, that is taken or free; that other one if there is none.
    private int Next(int from, int limit, bool isTaken)
    {
        ulong flip = isTaken ? 0 : ulong.MaxValue;
        while (from < limit)
        {
            ulong rest = (_taken[from >> 6] ^ flip) >> (from & 63);
            if (rest != 0)
                return Math.Min(from + BitOperations.TrailingZeroCount(rest), limit);
            from = (from | 63) + 1;
        }

        return limit;
    }

    private int LastTakenBefore(int page)
    {
        while (page > 0)
        {
            ulong rest = _taken[(page - 1) >> 6] << (63 - ((page - 1) & 63));
            if (rest != 0)
                return page - 1 - BitOperations.LeadingZeroCount(rest);
            page = (page - 1) & ~63;
        }

        return -1;
    }

    private void Mark(int start, int count, bool isTaken)
    {
        _takenCount += isTaken ? count : -count;
        for (int end = start + count; start < end; start = (start | 63) + 1)
        {
            int length = Math.Min(end - start, 64 - (start & 63));
            ulong bits = ulong.MaxValue >> (64 - length) << (start & 63);
            ulong before = isTaken ? 0 : bits;
            Debug.Assert((_taken[start >> 6] & bits) == before, "a page changes its state twice");
            _taken[start >> 6] ^= bits;
        }

        Debug.Assert(_takenCount >= 0 && _takenCount <= PageCount, "more pages are taken than there are");
    }
}
