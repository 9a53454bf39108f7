namespace Cinnabar.Memory;

/// <summary>Runs of equal bits in a map in which each taken unit has its bit set.</summary>
internal static class BitRuns
{
    /// <summary>Finds the first run of free units that is long enough.</summary>
    /// <param name="taken">The map.</param>
    /// <param name="start">Where to begin; afterwards the run's first unit.</param>
    /// <param name="end">Where the units end.</param>
    /// <param name="count">Units, at least 1.</param>
    /// <param name="longest">Where there is no such run: the length of the longest one.</param>
    internal static bool TryFind(
        ReadOnlySpan<ulong> taken, ref int start, int end, int count, out int longest)
    {
        longest = 0;
        for (start = Next(taken, start, end, isTaken: false); start < end;)
        {
            int stop = Next(taken, start, Math.Min(start + count, end), isTaken: true);
            if (stop - start == count)
                return true;
            longest = Math.Max(longest, stop - start);
            start = Next(taken, stop, end, isTaken: false);
        }

        return false;
    }

    /// <summary>The first unit from a start on that is taken, or free; the end if there is none.</summary>
    internal static int Next(ReadOnlySpan<ulong> taken, int from, int end, bool isTaken)
    {
        ulong flip = isTaken ? 0 : ulong.MaxValue;
        while (from < end)
        {
            ulong rest = (taken[from >> 6] ^ flip) >> (from & 63);
            if (rest != 0)
                return Math.Min(from + BitOperations.TrailingZeroCount(rest), end);
            from = (from | 63) + 1;
        }

        return end;
    }

    /// <summary>Marks units that are taken as free.</summary>
    /// <param name="taken">The map.</param>
    /// <param name="start">The first one.</param>
    /// <param name="count">How many.</param>
    /// <param name="end">Where the units end.</param>
    /// <returns>The length of the run of free units that now holds them; 0 if one of them was free already:
    /// then nothing has changed.</returns>
    internal static int Free(Span<ulong> taken, int start, int count, int end)
    {
        Debug.Assert(start >= 0 && count > 0 && start + count <= end, "units outside of the map");
        if (Next(taken, start, start + count, isTaken: false) != start + count)
            return 0;
        Flip(taken, start, count);
        return Next(taken, start + count, end, isTaken: true) - LastTakenBefore(taken, start) - 1;
    }

    /// <summary>Marks free units as taken.</summary>
    internal static void Take(Span<ulong> taken, int start, int count)
    {
        Debug.Assert(Next(taken, start, start + count, isTaken: true) == start + count, "taken twice");
        Flip(taken, start, count);
    }

    private static int LastTakenBefore(ReadOnlySpan<ulong> taken, int unit)
    {
        while (unit > 0)
        {
            ulong rest = taken[(unit - 1) >> 6] << (63 - ((unit - 1) & 63));
            if (rest != 0)
                return unit - 1 - BitOperations.LeadingZeroCount(rest);
            unit = (unit - 1) & ~63;
        }

        return -1;
    }

    private static void Flip(Span<ulong> taken, int start, int count)
    {
        for (int end = start + count; start < end; start = (start | 63) + 1)
        {
            int length = Math.Min(end - start, 64 - (start & 63));
            taken[start >> 6] ^= ulong.MaxValue >> (64 - length) << (start & 63);
        }
    }
}
