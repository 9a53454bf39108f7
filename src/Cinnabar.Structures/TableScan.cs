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
// visited. A merge may move the segment's beginning before c: then some entries are visited twice, which SCAN
// allows.
//
// Why slices at all, and not segment by segment: a call would then return 1,500 entries. Why fractions and
// not bucket numbers: these change their meaning with the segment's size.

using System.Numerics;

namespace Cinnabar.Structures;

/// <summary>Visits a table in small steps without remembering anything between them.</summary>
internal static unsafe class TableScan
{
    private const int SliceCount = 64;
    private const int SliceFractionBits = TableHash.FractionBits - 6;

    /// <summary>One step: visits, and returns the next cursor, or 0 at the end.</summary>
    public static ulong Step<TVisitor>(byte* directory, ulong cursor, ref TVisitor visitor)
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        uint position = (uint)cursor;
        int slice = (int)(cursor >> 32) & (SliceCount - 1);
        Segment segment = TableDirectory.Find(directory, position);
        int sliceEnd = slice + 1;
        if (segment.Depth == 0 && position == 0)
            sliceEnd = int.Max(sliceEnd, SliceEndOfHome(segment, slice));
        uint first = (uint)slice << SliceFractionBits;
        VisitFractions(segment, first, (uint)sliceEnd << SliceFractionBits, ref visitor);

        int freeBits = 32 - segment.Depth;
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

    private static void VisitFractions<TVisitor>(Segment segment, uint first, uint end, ref TVisitor visitor)
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        int homeFirst = segment.HomeIndex(first);
        int homeCount = segment.HomeIndex(end - 1) - homeFirst + 1;
        int inNeighbour = 0;
        int inStash = 0;
        byte* bucket = segment.At(homeFirst);
        for (int index = 0; index < homeCount; index++, bucket = segment.NextOf(bucket))
        {
            VisitBucket(bucket, first, end, ref visitor);
            inNeighbour = Bucket.InNeighbour(bucket);
            inStash += Bucket.InStash(bucket);
        }

        if (inNeighbour != 0)
            VisitBucket(bucket, first, end, ref visitor);
        if (inStash == 0)
            return;
        for (int index = segment.BucketCount; index < segment.TotalCount; index++)
            VisitBucket(segment.At(index), first, end, ref visitor);
    }

    private static void VisitBucket<TVisitor>(byte* bucket, uint first, uint end, ref TVisitor visitor)
        where TVisitor : struct, IEntryVisitor, allows ref struct
    {
        for (uint used = Bucket.Used(bucket); used != 0; used &= used - 1)
        {
            ulong slot = Bucket.Slot(bucket, BitOperations.TrailingZeroCount(used));
            uint fraction = TableHash.SlotFraction(slot);
            if (fraction >= first && fraction < end)
                visitor.Visit(TableHash.SlotEntry(slot));
        }
    }
}
