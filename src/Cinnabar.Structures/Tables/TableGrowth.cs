// Growth concerns one segment at a time: the one that had no room. It moves to the next size, and at the last
// size it splits in two. Neither touches a key, but for every fourth split of a lineage, when the
// four directory bits in the slots are used up and are read anew from the entries' hashes; the entries of a
// bucket are prefetched while those of the bucket before it are hashed.
//
// The pause is that of one segment (some 1,600 entries at most), and for the directory a copy of 8 bytes a
// segment when it doubles.
//
// All that a step needs is taken before the first entry of the directory changes. So where there is no more
// memory, or no room because the hash does not spread, the step is given up: what it had taken goes back, and
// the table is as it was.

using Cinnabar.Structures.Hashing;

namespace Cinnabar.Structures.Tables;

/// <summary>How a table gets larger.</summary>
internal static unsafe class TableGrowth<TEntry> where TEntry : struct, ITableEntry
{
    private const int DirectoryEntriesFree = 64;

    /// <summary>Makes room around a position. Called when a segment had none.</summary>
    /// <exception cref="InvalidOperationException">The hash does not spread the entries.</exception>
    /// <exception cref="OutOfMemoryException">The system gives no more memory.</exception>
    public static void Grow(ref TableCore core, uint position)
    {
        if (core.SlotCount == 0)
        {
            Start(ref core);
            return;
        }

        Segment source = TableDirectory.Find(core.Directory, position);
        for (int step = SegmentSize.Step(source.BucketCount) + 1; step < SegmentSize.StepCount; step++)
        {
            if (SegmentCopy.TryResize(ref core, position, source, step))
                return;
        }

        Split(ref core, position, source);
    }

    private static void Start(ref TableCore core)
    {
        byte* directory = core.Pool.TakeDirectory(0);
        try
        {
            TableDirectory.Fill(directory, 0, 1, core.TakeSegment(0, 0));
        }
        catch
        {
            core.Pool.ReturnDirectory(directory);
            throw;
        }

        core.DeepestCount = 1;
        core.Publish(directory);
    }

    private static void Split(ref TableCore core, uint position, Segment source)
    {
        // A directory with more entries than the table has: some 400 times the usual number.
        int depth = source.Depth + 1;
        if (depth > TableDirectory.DepthMax || 1L << depth > DirectoryEntriesFree + core.Count)
            throw new InvalidOperationException("The table's hash does not spread its entries.");

        Segment low = default;
        Segment high = default;
        try
        {
            low = core.TakeSegment(SegmentSize.SplitStep, depth);
            high = core.TakeSegment(SegmentSize.SplitStep, depth);
            if (!TryDistribute(ref core, source, ref low, ref high))
                throw new InvalidOperationException("The table's hash does not spread its entries.");
            if (source.Depth == TableDirectory.Depth(core.Directory))
                Double(ref core);
        }
        catch
        {
            if (low.Buckets != null)
                core.ReturnSegment(low);
            if (high.Buckets != null)
                core.ReturnSegment(high);
            throw;
        }

        byte* directory = core.Directory;
        long first = TableDirectory.FirstIndex(directory, position, source);
        long half = TableDirectory.SpanOf(directory, low);
        TableDirectory.Fill(directory, first, half, low);
        TableDirectory.Fill(directory, first + half, half, high);
        if (depth == TableDirectory.Depth(directory))
            core.DeepestCount += 2;
        core.ReturnSegment(source);
    }

    private static bool TryDistribute(ref TableCore core, Segment source, ref Segment low, ref Segment high)
    {
        int depth = source.Depth;
        bool isNibbleUsedUp = (depth & 3) == 3;
        int bitIndex = 51 - (depth & 3);
        if (isNibbleUsedUp)
            PrefetchEntries(source.At(0));
        for (int index = 0; index < source.TotalCount; index++)
        {
            byte* bucket = source.At(index);
            if (isNibbleUsedUp && index + 1 < source.TotalCount)
                PrefetchEntries(source.At(index + 1));
            for (uint used = Bucket.Used(bucket); used != 0; used &= used - 1)
            {
                int slotIndex = BitOperations.TrailingZeroCount(used);
                ulong slot = Bucket.Slot(bucket, slotIndex);
                bool isHigh = (slot >> bitIndex & 1) != 0;
                if (isNibbleUsedUp)
                    slot = Reload(core.Seed, slot, depth + 1);
                if (!TryAdd(ref core, ref isHigh ? ref high : ref low, bucket[slotIndex], slot))
                    return false;
            }
        }

        return true;
    }

    private static bool TryAdd(ref TableCore core, ref Segment target, byte tag, ulong slot)
    {
        int step = SegmentSize.Step(target.BucketCount);
        while (!target.TryPlace(tag, slot))
        {
            if (++step == SegmentSize.StepCount)
                return false;
            Segment larger = core.TakeSegment(step, target.Depth);
            bool isCopied = SegmentCopy.TryCopy(target, larger);
            core.ReturnSegment(isCopied ? target : larger);
            if (isCopied)
                target = larger;
        }

        return true;
    }

    private static ulong Reload(in HashSeed seed, ulong slot, int depth)
    {
        byte* entry = TableHash.SlotEntry(slot);
        return TableHash.Slot(TEntry.Hash(entry, seed), depth, entry);
    }

    private static void PrefetchEntries(byte* bucket)
    {
        for (uint used = Bucket.Used(bucket); used != 0; used &= used - 1)
        {
            byte* entry = TableHash.SlotEntry(Bucket.Slot(bucket, BitOperations.TrailingZeroCount(used)));
            CacheLine.Prefetch(entry);
            CacheLine.Prefetch(entry + CacheLine.Size / 2);
        }
    }

    private static void Double(ref TableCore core)
    {
        byte* old = core.Directory;
        int depth = TableDirectory.Depth(old);
        byte* directory = core.Pool.TakeDirectory(depth + 1);
        for (long index = 0; index < 1L << depth; index++)
            TableDirectory.Fill(directory, 2 * index, 2, TableDirectory.At(old, index));
        core.DeepestCount = 0;
        core.Publish(directory);
        core.Pool.ReturnDirectory(old);
    }
}
