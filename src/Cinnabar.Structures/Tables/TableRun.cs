// A run: the entries of neighbouring buckets, from a random bucket on. The 14 slots of a bucket lie in two
// cache lines, so a run finds several entries for the price of one random draw (TableSampler), and their own
// lines are loaded together. What is lost is exactness: entries of a run are not drawn one by one, and those
// of thinly filled segments have a better chance. That suits a search for the best of a sample, not a reply
// that promises a uniform draw.

using Cinnabar.Platform;

namespace Cinnabar.Structures.Tables;

/// <summary>Visits entries that lie together.</summary>
internal static unsafe class TableRun
{
    /// <summary>Visits whole buckets until the visitor has enough, or <paramref name="countMax"/> entries, or
    /// all of the table, have been visited.</summary>
    public static void Visit<TVisitor>(
        ref TableCore core, long countMax, ref RandomSource random, ref TVisitor visitor)
        where TVisitor : struct, IRunVisitor, allows ref struct
    {
        long left = Math.Min(countMax, core.Count);
        if (left <= 0)
            return;
        byte* directory = core.Directory;
        int depth = TableDirectory.Depth(directory);
        long end = 1L << depth;
        long index = depth == 0 ? 0 : (long)(random.Next() >> (64 - depth));
        Segment segment = TableDirectory.At(directory, index);
        int bucket = (int)random.NextBelow((ulong)segment.TotalCount);
        while (true)
        {
            for (; bucket < segment.TotalCount; bucket++)
            {
                left -= VisitBucket(segment.At(bucket), ref visitor);
                if (left <= 0 || !visitor.WantsMore)
                    return;
            }

            // As many entries are left as the table has elsewhere: the walk around it meets them all.
            long span = TableDirectory.SpanOf(directory, segment);
            index = (index & -span) + span;
            index = index == end ? 0 : index;
            segment = TableDirectory.At(directory, index);
            bucket = 0;
        }
    }

    private static int VisitBucket<TVisitor>(byte* bucket, ref TVisitor visitor)
        where TVisitor : struct, IRunVisitor, allows ref struct
    {
        uint used = Bucket.Used(bucket);
        int count = BitOperations.PopCount(used);
        for (uint left = used; left != 0; left &= left - 1)
            CacheLine.Prefetch(EntryAt(bucket, left));
        for (; used != 0; used &= used - 1)
            visitor.Visit(EntryAt(bucket, used));
        return count;
    }

    private static byte* EntryAt(byte* bucket, uint used) =>
        TableHash.SlotEntry(Bucket.Slot(bucket, BitOperations.TrailingZeroCount(used)));
}
