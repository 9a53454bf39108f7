namespace Cinnabar.Structures.Tables;

/// <summary>Frees a whole table in slices, so that a FLUSHALL of millions of entries pauses no
/// client.</summary>
internal static unsafe class TableDrop
{
    /// <summary>Hands out about <paramref name="entryCountMax"/> entries (at most a bucket more) and gives
    /// back the segments it comes past. True when the table is empty.</summary>
    public static bool Slice<TVisitor>(ref TableCore core, int entryCountMax, ref TVisitor visitor)
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        if (core.SlotCount == 0)
            return true;

        byte* directory = core.Directory;
        long end = 1L << TableDirectory.Depth(directory);
        int entryCount = 0;
        while (core.DropIndex < end)
        {
            Segment segment = TableDirectory.At(directory, core.DropIndex);
            for (; core.DropBucket < segment.TotalCount; core.DropBucket++)
            {
                if (entryCount >= entryCountMax)
                    return false;
                int visitedCount = Visit(segment.At(core.DropBucket), ref visitor);
                entryCount += visitedCount;
                core.Count -= visitedCount;
            }

            // The directory must not lead to what is given back, for the sake of a late prefetch.
            long span = TableDirectory.SpanOf(directory, segment);
            TableDirectory.Fill(directory, core.DropIndex, span, core.Pool.EmptySegment);
            core.DropIndex += span;
            core.DropBucket = 0;
            core.ReturnSegment(segment);
        }

        core.Publish(core.Pool.EmptyDirectory);
        core.Pool.ReturnDirectory(directory);
        core.DropIndex = 0;
        core.DeepestCount = 0;
        return true;
    }

    private static int Visit<TVisitor>(byte* bucket, ref TVisitor visitor)
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        uint used = Bucket.Used(bucket);
        int count = BitOperations.PopCount(used);
        for (; used != 0; used &= used - 1)
            visitor.Visit(TableHash.SlotEntry(Bucket.Slot(bucket, BitOperations.TrailingZeroCount(used))));
        return count;
    }
}
