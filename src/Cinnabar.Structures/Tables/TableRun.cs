// A run: the entries of neighbouring buckets, from the one on that a hash leads to. The 14 slots of a bucket
// lie in two cache lines, so a run finds several entries for the price of one random draw (TableSampler), and
// their own lines are loaded together. What is lost is exactness: entries of a run are not drawn one by one,
// and those of thinly filled segments have a better chance. That suits a search for the best of a sample, not
// a reply that promises a uniform draw.
//
// The hash is random; no key needs to have it. A caller that chooses it ahead can have the run's memory
// loaded meanwhile, without the table's lock: first the bucket, a while later the entries that lie there.

namespace Cinnabar.Structures.Tables;

/// <summary>Visits entries that lie together.</summary>
public static unsafe class TableRun
{
    /// <summary>Visits bucket after bucket until the visitor has enough, or some more than
    /// <paramref name="countMax"/> entries, or all of the table, have been visited.</summary>
    internal static void Visit<TVisitor>(
        ref TableCore core, long countMax, ulong start, ref TVisitor visitor)
        where TVisitor : struct, IRunVisitor, allows ref struct
    {
        long left = Math.Min(countMax, core.Count);
        if (left <= 0)
            return;
        byte* directory = core.Directory;
        uint position = TableHash.Position(start);
        long end = 1L << TableDirectory.Depth(directory);
        Segment segment = TableDirectory.Find(directory, position);
        long index = TableDirectory.FirstIndex(directory, position, segment);
        int bucket = FirstBucket(segment, start);
        int firstSlot = (int)((uint)TableHash.Tag(start) * Bucket.SlotCount >> 8);
        while (true)
        {
            for (; bucket < segment.TotalCount; bucket++)
            {
                left -= VisitBucket(segment.At(bucket), firstSlot, ref visitor);
                if (left <= 0 || !visitor.WantsMore)
                    return;
            }

            // As many entries are left as the table has elsewhere: the walk around it meets them all.
            long span = TableDirectory.SpanOf(directory, segment);
            index = index + span == end ? 0 : index + span;
            segment = TableDirectory.At(directory, index);
            bucket = 0;
        }
    }

    /// <summary>Begins to load a run's first bucket. Needs no lock; the caller is between
    /// <c>Quiescence.Enter</c> and <c>Exit</c>.</summary>
    /// <param name="directory">The table's directory.</param>
    /// <param name="start">The hash that the run begins at.</param>
    public static void PrefetchBucket(byte* directory, ulong start)
    {
        byte* bucket = BucketOf(directory, start);
        CacheLine.Prefetch(bucket);
        CacheLine.Prefetch(bucket + CacheLine.Size);
    }

    /// <summary>Begins to load the entries in a run's first bucket; otherwise as
    /// <see cref="PrefetchBucket"/>.</summary>
    // SAFETY: the bucket may belong to another table meanwhile: addresses in it are only prefetched.
    public static void PrefetchEntries(byte* directory, ulong start)
    {
        byte* bucket = BucketOf(directory, start);
        for (uint used = Bucket.Used(bucket); used != 0; used &= used - 1)
            CacheLine.Prefetch(EntryAt(bucket, used));
    }

    private static byte* BucketOf(byte* directory, ulong start)
    {
        Segment segment = TableDirectory.Find(directory, TableHash.Position(start));
        return segment.At(FirstBucket(segment, start));
    }

    // Any bucket of the segment, the stash's too.
    private static int FirstBucket(Segment segment, ulong start) =>
        (int)(TableHash.Fraction(start) * (uint)segment.TotalCount >> TableHash.FractionBits);

    private static int VisitBucket<TVisitor>(byte* bucket, int firstSlot, ref TVisitor visitor)
        where TVisitor : struct, IRunVisitor, allows ref struct
    {
        uint used = Bucket.Used(bucket);
        int count = BitOperations.PopCount(used);
        for (uint left = used; left != 0; left &= left - 1)
            CacheLine.Prefetch(EntryAt(bucket, left));
        // From any slot on, around: a new entry takes the slot of the one that was removed last, so in any
        // fixed order a visitor that keeps the first of equals, or has enough of them, would meet the newest
        // ones alone.
        uint lower = used & ((1u << firstSlot) - 1);
        for (uint upper = used ^ lower; upper != 0 && visitor.WantsMore; upper &= upper - 1)
            visitor.Visit(EntryAt(bucket, upper));
        for (; lower != 0 && visitor.WantsMore; lower &= lower - 1)
            visitor.Visit(EntryAt(bucket, lower));
        return count;
    }

    private static byte* EntryAt(byte* bucket, uint used) =>
        TableHash.SlotEntry(Bucket.Slot(bucket, BitOperations.TrailingZeroCount(used)));
}
