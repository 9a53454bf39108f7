using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>A mapping from which runs of pages are taken, with a bit for each taken page; guarded by its page
/// source's lock.</summary>
internal sealed unsafe class LargeRegion
{
    private readonly ulong[] _taken;
    private int _takenCount;

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
        int start = 0;
        if (!BitRuns.TryFind(_taken, ref start, PageCount, count, out longest))
            return null;
        BitRuns.Take(_taken, start, count);
        _takenCount += count;
        return Address + ((nuint)start * NativePages.PageSize);
    }

    /// <summary>Returns a run of pages.</summary>
    /// <param name="address">Its first byte.</param>
    /// <param name="count">How many pages; may be part of a taken run.</param>
    /// <returns>The length of the free run that now holds them.</returns>
    /// <exception cref="MemoryFaultException">One of them is free already.</exception>
    internal int GiveBack(byte* address, int count)
    {
        int start = (int)((nuint)(address - Address) / NativePages.PageSize);
        int hole = BitRuns.Free(_taken, start, count, PageCount);
        if (hole == 0)
            throw new MemoryFaultException($"pages at 0x{(nuint)address:x} are free already: freed twice?");
        _takenCount -= count;
        Debug.Assert(_takenCount >= 0, "more pages came back than were taken");
        return hole;
    }
}
