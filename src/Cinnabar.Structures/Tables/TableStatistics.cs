namespace Cinnabar.Structures.Tables;

/// <summary>The shape of a table, for DEBUG HTSTATS and for people who tune it.</summary>
public sealed class TableStatistics
{
    /// <summary>Entries in the table.</summary>
    public required long EntryCount { get; init; }

    /// <summary>The directory has two to the power of this many entries.</summary>
    public required int DirectoryDepth { get; init; }

    /// <summary>Segments of all sizes.</summary>
    public required int SegmentCount { get; init; }

    /// <summary>How many segments have <see cref="BucketCounts"/>[i] buckets.</summary>
    public required int[] SegmentCounts { get; init; }

    /// <summary>The sizes a segment may have, in buckets without stash.</summary>
    public required int[] BucketCounts { get; init; }

    /// <summary>Slots of all buckets, stashes not counted.</summary>
    public required long SlotCount { get; init; }

    /// <summary>Entries that live in the bucket after their home.</summary>
    public required long NeighbourCount { get; init; }

    /// <summary>Entries that live in a stash.</summary>
    public required long StashCount { get; init; }

    /// <summary>Native bytes of directory and segments.</summary>
    public required long OverheadBytes { get; init; }

    /// <summary>Entries per slot.</summary>
    public double Load => SlotCount == 0 ? 0 : (double)EntryCount / SlotCount;

    internal static unsafe TableStatistics Of(ref TableCore core)
    {
        byte* directory = core.Directory;
        long neighbourCount = 0;
        long stashCount = 0;
        long end = core.SlotCount == 0 ? 0 : 1L << TableDirectory.Depth(directory);
        for (long index = 0; index < end;)
        {
            Segment segment = TableDirectory.At(directory, index);
            index += TableDirectory.SpanOf(directory, segment);
            for (int bucketIndex = 0; bucketIndex < segment.BucketCount; bucketIndex++)
            {
                neighbourCount += Bucket.InNeighbour(segment.At(bucketIndex));
                stashCount += Bucket.InStash(segment.At(bucketIndex));
            }
        }

        var segmentCounts = new int[SegmentSize.StepCount];
        var bucketCounts = new int[SegmentSize.StepCount];
        int segmentCount = 0;
        for (int step = 0; step < SegmentSize.StepCount; step++)
        {
            bucketCounts[step] = SegmentSize.BucketCount(step);
            segmentCounts[step] = core.SegmentCounts[step];
            segmentCount += segmentCounts[step];
        }

        return new TableStatistics
        {
            EntryCount = core.Count,
            DirectoryDepth = TableDirectory.Depth(directory),
            SegmentCount = segmentCount,
            SegmentCounts = segmentCounts,
            BucketCounts = bucketCounts,
            SlotCount = core.SlotCount,
            NeighbourCount = neighbourCount,
            StashCount = stashCount,
            OverheadBytes = core.OverheadBytes,
        };
    }
}
