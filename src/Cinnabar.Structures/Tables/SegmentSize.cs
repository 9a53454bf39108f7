namespace Cinnabar.Structures.Tables;

/// <summary>
/// The sizes a segment may have, as steps 0..7, and what follows from them. The large ones are such that with
/// their stash 7, 6, 5 or 4 of them fill a slab of 64 KiB (512 buckets) of the pools, and no step grows by
/// more than a quarter: neither slabs nor steps leave much unused.
/// </summary>
internal static class SegmentSize
{
    public const int StepCount = 8;

    /// <summary>The size after a split, and the smallest in a table of several segments.</summary>
    public const int SplitStep = 4;

    public const int LastStep = StepCount - 1;

    private static ReadOnlySpan<byte> BucketCounts => [4, 8, 16, 32, 71, 83, 100, 126];

    public static int BucketCount(int step) => BucketCounts[step];

    public static int Step(int bucketCount) => BucketCounts.IndexOf((byte)bucketCount);

    /// <summary>Buckets at the end of the segment for entries that fit neither into their home bucket nor
    /// into the next one.</summary>
    public static int StashCount(int bucketCount) => bucketCount >= 16 ? 2 : 1;

    /// <summary>Bytes of a segment with this many buckets, stash included.</summary>
    public static int ByteSize(int bucketCount) => (bucketCount + StashCount(bucketCount)) * Bucket.Size;

    /// <summary>The smallest step, from <paramref name="first"/> on, which holds a number of entries at 70 %
    /// load; <see cref="StepCount"/> when none does.</summary>
    public static int StepFor(int entryCount, int first)
    {
        int step = first;
        while (step < StepCount && entryCount * 10 > BucketCounts[step] * Bucket.SlotCount * 7)
            step++;
        return step;
    }
}
