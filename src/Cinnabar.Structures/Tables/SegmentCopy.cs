namespace Cinnabar.Structures.Tables;

/// <summary>Copies the slots of a segment into another one. No key is read.</summary>
internal static unsafe class SegmentCopy
{
    private const ulong NibbleMask = 0xFUL << 48;

    /// <summary>False when an entry found no room; the target's contents are then invalid.</summary>
    public static bool TryCopy(Segment source, Segment target)
    {
        byte* end = source.At(source.TotalCount);
        for (byte* bucket = source.Buckets; bucket < end; bucket += Bucket.Size)
        {
            for (uint used = Bucket.Used(bucket); used != 0; used &= used - 1)
            {
                int index = BitOperations.TrailingZeroCount(used);
                if (!target.TryPlace(bucket[index], Bucket.Slot(bucket, index)))
                    return false;
            }
        }

        return true;
    }

    /// <summary>The same, giving every slot this nibble.</summary>
    public static bool TryCopy(Segment source, Segment target, uint nibble)
    {
        byte* end = source.At(source.TotalCount);
        for (byte* bucket = source.Buckets; bucket < end; bucket += Bucket.Size)
        {
            for (uint used = Bucket.Used(bucket); used != 0; used &= used - 1)
            {
                int index = BitOperations.TrailingZeroCount(used);
                ulong slot = Bucket.Slot(bucket, index) & ~NibbleMask | (ulong)nibble << 48;
                if (!target.TryPlace(bucket[index], slot))
                    return false;
            }
        }

        return true;
    }

    /// <summary>Puts a segment of another size in a segment's place. False, and nothing changed, when the
    /// entries do not fit.</summary>
    public static bool TryResize(ref TableCore core, uint position, Segment source, int step)
    {
        Segment target = core.TakeSegment(step, source.Depth);
        if (!TryCopy(source, target))
        {
            core.ReturnSegment(target);
            return false;
        }

        byte* directory = core.Directory;
        long first = TableDirectory.FirstIndex(directory, position, source);
        TableDirectory.Fill(directory, first, TableDirectory.SpanOf(directory, source), target);
        core.ReturnSegment(source);
        return true;
    }
}
