// Shrinking follows removals, one segment at a time as growth does: while the table as a whole is below 5/8
// of its slots, every 32nd removal looks at the segment it happened in. It moves to the smallest size where
// it is at most 70 % full, and once it has come down to the size after a split it merges with its buddy (the
// other half of the split it came from) if both together are at most 70 % of the largest size. So growth
// (near 90 %) and shrinking never chase each other. No key is read: where a merge goes back behind a boundary
// of four directory bits, the four bits before it are those which all entries of the segment have in common,
// that is, its place in the directory. An emptied table keeps one small segment: a key that comes and goes
// would otherwise take and return it each time.
//
// Getting smaller takes memory before it gives any back. Where there is none, the step is left to a later
// removal: the entry has been removed, and correctness never depends on a step.

namespace Cinnabar.Structures.Tables;

/// <summary>How a table gets smaller.</summary>
internal static unsafe class TableShrink
{
    private const int RemovalsBetweenSteps = 32;
    private const int SegmentsFreedAtOnceMax = 64;

    /// <summary>Whether a table is so empty that its segments should be looked at.</summary>
    public static bool IsDue(ref TableCore core) =>
        core.Count * 8 < core.SlotCount * 5 && --core.ShrinkCredit <= 0;

    /// <summary>Looks at the segment of a position and makes it smaller if it should be.</summary>
    public static void Step(ref TableCore core, uint position)
    {
        core.ShrinkCredit = (int)long.Min(RemovalsBetweenSteps, 1 + core.Count / 8);
        Segment segment = TableDirectory.Find(core.Directory, position);
        if (core.Count == 0 && segment.Depth != 0 && SegmentCountOf(ref core) <= SegmentsFreedAtOnceMax)
        {
            Reset(ref core);
            return;
        }

        try
        {
            Fit(ref core, position, segment);
        }
        catch (OutOfMemoryException)
        {
            // Every part of a step changes the table only after it has got what it needs (see above).
        }
    }

    private static void Fit(ref TableCore core, uint position, Segment segment)
    {
        int stepNow = SegmentSize.Step(segment.BucketCount);
        int entryCount = segment.CountEntries();
        int step = SegmentSize.StepFor(entryCount, segment.Depth == 0 ? 0 : SegmentSize.SplitStep);
        if (step < stepNow)
            SegmentCopy.TryResize(ref core, position, segment, step);
        else if (segment.Depth != 0 && stepNow == SegmentSize.SplitStep)
            TryMerge(ref core, position, segment, entryCount);
    }

    /// <summary>Gives all segments and the directory back. The entries are not the table's.</summary>
    public static void Reset(ref TableCore core)
    {
        if (core.SlotCount == 0)
            return;
        byte* directory = core.Directory;
        core.Publish(core.Pool.EmptyDirectory);
        long end = 1L << TableDirectory.Depth(directory);
        for (long index = 0; index < end;)
        {
            Segment segment = TableDirectory.At(directory, index);
            index += TableDirectory.SpanOf(directory, segment);
            core.ReturnSegment(segment);
        }

        core.Pool.ReturnDirectory(directory);
        core.Count = 0;
        core.DeepestCount = 0;
        core.ShrinkCredit = 0;
    }

    private static long SegmentCountOf(ref TableCore core)
    {
        long count = 0;
        for (int step = 0; step < SegmentSize.StepCount; step++)
            count += core.SegmentCounts[step];
        return count;
    }

    private static void TryMerge(ref TableCore core, uint position, Segment segment, int entryCount)
    {
        byte* directory = core.Directory;
        long span = TableDirectory.SpanOf(directory, segment);
        long first = TableDirectory.FirstIndex(directory, position, segment);
        Segment buddy = TableDirectory.At(directory, first ^ span);
        if (buddy.Depth != segment.Depth)
            return;
        int step = SegmentSize.StepFor(entryCount + buddy.CountEntries(), SegmentSize.SplitStep);
        if (step == SegmentSize.StepCount)
            return;

        Segment merged = core.TakeSegment(step, segment.Depth - 1);
        if (!TryCopyUp(segment, merged, first / span) || !TryCopyUp(buddy, merged, (first ^ span) / span))
        {
            core.ReturnSegment(merged);
            return;
        }

        TableDirectory.Fill(directory, first & ~span, 2 * span, merged);
        if (span == 1)
            core.DeepestCount -= 2;
        core.ReturnSegment(segment);
        core.ReturnSegment(buddy);
        while (core.DeepestCount == 0)
            Halve(ref core);
    }

    /// <summary>Copies into a segment of one depth less. The prefix is what the source's entries
    /// share.</summary>
    private static bool TryCopyUp(Segment source, Segment target, long prefix) =>
        (source.Depth & 3) == 0
            ? SegmentCopy.TryCopy(source, target, (uint)prefix & 15)
            : SegmentCopy.TryCopy(source, target);

    private static void Halve(ref TableCore core)
    {
        byte* old = core.Directory;
        int depth = TableDirectory.Depth(old) - 1;
        byte* directory = core.Pool.TakeDirectory(depth);
        int deepestCount = 0;
        for (long index = 0; index < 1L << depth; index++)
        {
            Segment segment = TableDirectory.At(old, 2 * index);
            TableDirectory.Fill(directory, index, 1, segment);
            deepestCount += segment.Depth == depth ? 1 : 0;
        }

        core.DeepestCount = deepestCount;
        core.Publish(directory);
        core.Pool.ReturnDirectory(old);
    }
}
