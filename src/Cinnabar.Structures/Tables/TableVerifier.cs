namespace Cinnabar.Structures.Tables;

/// <summary>Checks the invariants that the essay of <see cref="SegmentTable{TEntry}"/> states. For
/// tests.</summary>
internal static unsafe class TableVerifier<TEntry> where TEntry : struct, ITableEntry
{
    /// <summary>The first invariant found broken, in words, or null.</summary>
    public static string? FindFault(ref TableCore core)
    {
        byte* directory = core.Directory;
        int depth = TableDirectory.Depth(directory);
        long entryCount = 0;
        long slotCount = 0;
        int deepestCount = 0;
        for (long index = 0; core.SlotCount != 0 && index < 1L << depth;)
        {
            Segment segment = TableDirectory.At(directory, index);
            long span = TableDirectory.SpanOf(directory, segment);
            if ((index & (span - 1)) != 0)
                return $"segment at {index} is not aligned to its span {span}";
            for (long other = index; other < index + span; other++)
            {
                if (TableDirectory.At(directory, other).Bits != segment.Bits)
                    return $"directory entries {index} and {other} differ within one segment";
            }

            string? fault = FaultIn(ref core, segment, index / span);
            if (fault != null)
                return $"segment at {index}, depth {segment.Depth} of {depth}: {fault}";
            entryCount += segment.CountEntries();
            slotCount += segment.BucketCount * Bucket.SlotCount;
            deepestCount += segment.Depth == depth ? 1 : 0;
            index += span;
        }

        if (entryCount != core.Count)
            return $"{entryCount} entries found, {core.Count} counted";
        if (slotCount != core.SlotCount)
            return $"{slotCount} slots found, {core.SlotCount} counted";
        return deepestCount == core.DeepestCount
            ? null
            : $"{deepestCount} deepest segments found, {core.DeepestCount} counted";
    }

    private static string? FaultIn(ref TableCore core, Segment segment, long prefix)
    {
        int* inNeighbour = stackalloc int[segment.BucketCount];
        int* inStash = stackalloc int[segment.BucketCount];
        for (int index = 0; index < segment.BucketCount; index++)
            inNeighbour[index] = inStash[index] = 0;

        for (int index = 0; index < segment.TotalCount; index++)
        {
            byte* bucket = segment.At(index);
            for (uint used = Bucket.Used(bucket); used != 0; used &= used - 1)
            {
                int slotIndex = BitOperations.TrailingZeroCount(used);
                ulong slot = Bucket.Slot(bucket, slotIndex);
                string? fault = FaultIn(ref core, segment, prefix, slot, bucket[slotIndex]);
                if (fault != null)
                    return $"bucket {index}, slot {slotIndex}: {fault}";
                int home = segment.HomeIndex(TableHash.SlotFraction(slot));
                if (index >= segment.BucketCount)
                    inStash[home]++;
                else if (index == segment.Next(home))
                    inNeighbour[home]++;
                else if (index != home)
                    return $"an entry of home {home} is in bucket {index}";
            }
        }

        for (int index = 0; index < segment.BucketCount; index++)
        {
            byte* bucket = segment.At(index);
            if (inNeighbour[index] != Bucket.InNeighbour(bucket) || inStash[index] != Bucket.InStash(bucket))
                return $"counts of bucket {index} are wrong";
            if (Bucket.Away(bucket) != 0 && Bucket.Free(bucket) != 0)
                return $"entries are away from bucket {index}, which has room";
        }

        return null;
    }

    private static string? FaultIn(ref TableCore core, Segment segment, long prefix, ulong slot, byte tag)
    {
        byte* entry = TableHash.SlotEntry(slot);
        ulong hash = TEntry.Hash(entry, core.Seed);
        if (TableHash.Tag(hash) != tag)
            return "wrong tag";
        if (TableHash.Slot(hash, segment.Depth, entry) != slot)
            return "wrong fraction or position bits";
        return (long)((ulong)TableHash.Position(hash) >> (32 - segment.Depth)) == prefix
            ? null
            : "belongs to another segment";
    }
}
