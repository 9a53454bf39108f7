using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>Ranges from one rank to another, where negative ones count from the end.</summary>
internal static class RankEnds
{
    /// <summary>The range, as far as it is there; ranks count from the highest down if
    /// <paramref name="isReverse"/>.</summary>
    public static RankRange Find(long start, long stop, long count, bool isReverse)
    {
        start = Math.Max(start < 0 ? start + count : start, 0);
        stop = Math.Min(stop < 0 ? stop + count : stop, count - 1);
        return start > stop
            ? default
            : new RankRange(isReverse ? count - 1 - stop : start, stop - start + 1);
    }
}
