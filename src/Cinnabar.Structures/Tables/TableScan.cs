// The stateless walk behind SCAN.
//
//      cursor:  | 37..32 slice | 31..0 position |
//
// Every hash has a fraction (12 bits) and a position (32 bits); neither depends on the table's shape. The
// slices cut the fractions into 64 equal parts. One call visits all entries of one slice in one segment,
// wherever in the segment they live, and the next cursor is the first position behind the segment; after the
// last segment comes the next slice. (A table of one segment takes all slices of a home bucket at once.)
//
// Why nothing that stays in the table is missed, whatever grows, splits, merges or doubles between two calls:
// order the pairs (slice, position) lexicographically. A call with cursor c finds the segment that covers c's
// position and returns c' > c. It has visited every entry whose pair lies in [c, c'), because the segment
// covers all positions from c's to its end, and an entry is in the segment that covers its position, at that
// moment and at any. The intervals of a whole walk, from 0 to 0, adjoin and cover all pairs. An entry's pair
// never changes; so there is one call in whose interval it lies, and if it is in the table then, it is
// visited. A merge may move the segment's beginning before c's position: then those of its entries are left
// out (by their hashes, for once) whose positions lie before that. So none is visited twice in a walk either,
// not even one that is removed and added again.
//
// Why slices at all, and not segment by segment: a call would then return 1,500 entries. Why fractions and
// not bucket numbers: these change their meaning with the segment's size.

using Cinnabar.Structures.Hashing;

namespace Cinnabar.Structures.Tables;

/// <summary>Visits a table in small steps without remembering anything between them.</summary>
internal static unsafe class TableScan<TEntry> where TEntry : struct, ITableEntry
{
    private const int SliceCount = 64;
    private const int SliceFractionBits = TableHash.FractionBits - 6;

    /// <summary>One step: visits, and returns the next cursor, or 0 at the end.</summary>
    public static ulong Step<TVisitor>(in TableCore core, ulong cursor, ref TVisitor visitor)
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        uint position = (uint)cursor;
        int slice = (int)(cursor >> 32) & (SliceCount - 1);
        Segment segment = TableDirectory.Find(core.Directory, position);
        int sliceEnd = slice + 1;
        if (segment.Depth == 0 && position == 0)
            sliceEnd = int.Max(sliceEnd, SliceEndOfHome(segment, slice));
        int freeBits = 32 - segment.Depth;
        bool isMerged = (position & ((1UL << freeBits) - 1)) != 0;
        var part = new Part
        {
            First = (uint)slice << SliceFractionBits,
            End = (uint)sliceEnd << SliceFractionBits,
            PositionMin = isMerged ? position : 0,
            Seed = core.Seed,
        };
        VisitFractions(segment, in part, ref visitor);

        ulong next = (((ulong)position >> freeBits) + 1) << freeBits;
        if (next >> 32 == 0)
            return (ulong)slice << 32 | next;
        return sliceEnd == SliceCount ? 0 : (ulong)sliceEnd << 32;
    }

    /// <summary>The first slice none of which has the same home bucket as the beginning of this
    /// one.</summary>
    private static int SliceEndOfHome(Segment segment, int slice)
    {
        int home = segment.HomeIndex((uint)slice << SliceFractionBits);
        return (home + 1) * SliceCount / segment.BucketCount;
    }

    private static void VisitFractions<TVisitor>(Segment segment, in Part part, ref TVisitor visitor)
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        int homeFirst = segment.HomeIndex(part.First);
        int homeCount = segment.HomeIndex(part.End - 1) - homeFirst + 1;
        int inNeighbour = 0;
        int inStash = 0;
        byte* bucket = segment.At(homeFirst);
        for (int index = 0; index < homeCount; index++, bucket = segment.NextOf(bucket))
        {
            VisitBucket(bucket, in part, ref visitor);
            inNeighbour = Bucket.InNeighbour(bucket);
            inStash += Bucket.InStash(bucket);
        }

        if (inNeighbour != 0)
            VisitBucket(bucket, in part, ref visitor);
        if (inStash == 0)
            return;
        for (int index = segment.BucketCount; index < segment.TotalCount; index++)
            VisitBucket(segment.At(index), in part, ref visitor);
    }

    // The entries are usually in no cache: all of a bucket are prefetched before the first is read.
    private static void VisitBucket<TVisitor>(byte* bucket, in Part part, ref TVisitor visitor)
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        uint wanted = 0;
        for (uint used = Bucket.Used(bucket); used != 0; used &= used - 1)
        {
            int index = BitOperations.TrailingZeroCount(used);
            ulong slot = Bucket.Slot(bucket, index);
            uint fraction = TableHash.SlotFraction(slot);
            if (fraction < part.First || fraction >= part.End)
                continue;
            wanted |= 1u << index;
            CacheLine.Prefetch(TableHash.SlotEntry(slot));
        }

        for (; wanted != 0; wanted &= wanted - 1)
        {
            byte* entry = TableHash.SlotEntry(Bucket.Slot(bucket, BitOperations.TrailingZeroCount(wanted)));
            if (part.PositionMin == 0
                || TableHash.Position(TEntry.Hash(entry, in part.Seed)) >= part.PositionMin)
                visitor.Visit(entry);
        }
    }

    // What of a segment is visited.
    private struct Part
    {
        public uint First;
        public uint End;
        public uint PositionMin;
        public HashSeed Seed;
    }
}
