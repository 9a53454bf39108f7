// A random entry, each with exactly the same probability. Pick a directory entry, and reject it unless it is
// the first of those which lead to its segment: so every segment has the chance 1 / 2^depth, however many
// entries lead to it. Pick one of as many slots as the table's largest segment has, and reject it unless the
// segment has such a slot and it is in use: so every entry has the same chance, and what is rejected changes
// nothing about it. About three attempts are needed in a table of usual load.
//
// After 32 failures (a table nearly empty, one in 10^5 otherwise) a rank is drawn and counted off: exact as
// well, so the mixture is, but its cost is that of walking all tags.

using Cinnabar.Platform;

namespace Cinnabar.Structures.Tables;

/// <summary>Draws uniformly distributed entries.</summary>
internal static unsafe class TableSampler
{
    private const int AttemptsMax = 32;

    /// <summary>An entry, or null when the table is empty.</summary>
    public static byte* Sample(ref TableCore core, ref RandomSource random)
    {
        if (core.Count == 0)
            return null;

        byte* directory = core.Directory;
        int depth = TableDirectory.Depth(directory);
        ulong slotCount = LargestSlotCount(ref core);
        for (int attempt = 0; attempt < AttemptsMax; attempt++)
        {
            long directoryIndex = depth == 0 ? 0 : (long)(random.Next() >> (64 - depth));
            Segment segment = TableDirectory.At(directory, directoryIndex);
            int index = (int)random.NextBelow(slotCount);
            if ((directoryIndex & (TableDirectory.SpanOf(directory, segment) - 1)) != 0)
                continue;
            if (index >= segment.TotalCount * Bucket.SlotCount)
                continue;
            byte* bucket = segment.At(index / Bucket.SlotCount);
            index %= Bucket.SlotCount;
            if (bucket[index] != 0)
                return TableHash.SlotEntry(Bucket.Slot(bucket, index));
        }

        return AtRank(directory, (long)random.NextBelow((ulong)core.Count));
    }

    private static ulong LargestSlotCount(ref TableCore core)
    {
        int step = SegmentSize.LastStep;
        while (core.SegmentCounts[step] == 0)
            step--;
        return (ulong)(SegmentSize.ByteSize(SegmentSize.BucketCount(step)) / Bucket.Size * Bucket.SlotCount);
    }

    private static byte* AtRank(byte* directory, long rank)
    {
        long end = 1L << TableDirectory.Depth(directory);
        for (long index = 0; index < end;)
        {
            Segment segment = TableDirectory.At(directory, index);
            index += TableDirectory.SpanOf(directory, segment);
            for (int bucketIndex = 0; bucketIndex < segment.TotalCount; bucketIndex++)
            {
                byte* bucket = segment.At(bucketIndex);
                int usedCount = Bucket.UsedCount(bucket);
                if (rank < usedCount)
                    return InBucket(bucket, (int)rank);
                rank -= usedCount;
            }
        }

        return null;
    }

    private static byte* InBucket(byte* bucket, int rank)
    {
        uint used = Bucket.Used(bucket);
        for (; rank > 0; rank--)
            used &= used - 1;
        return TableHash.SlotEntry(Bucket.Slot(bucket, BitOperations.TrailingZeroCount(used)));
    }
}
