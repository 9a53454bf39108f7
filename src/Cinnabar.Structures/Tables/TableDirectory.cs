// A directory block: what leads from a position to its segment.
//
//      0           8                                    8 + 8 * 2^depth
//      +-----------+-----------+-- ... --+--------------+
//      | 32-depth  | segment 0 |         | segment      |      entries: see Segment
//      +-----------+-----------+-- ... --+--------------+
//
// The depth is in the block and not beside the pointer to it: a prefetch without the lock reads the pointer
// once and then finds depth and entries that belong together. All blocks of a pool have one depth, so even a
// block that meanwhile serves another table leads to some segment, and an index never leads out of it.

namespace Cinnabar.Structures.Tables;

// SAFETY: every directory passed in is a block of SegmentPool, which stays mapped, and a directory of its
// depth, while any loop may read it; an index derived from a position lies within the depth it states.
/// <summary>Operations on directory blocks.</summary>
internal static unsafe class TableDirectory
{
    /// <summary>More would mean 2^26 segments: either 70 billion entries or a hash that does not
    /// spread.</summary>
    public const int DepthMax = 26;

    public static nuint ByteSize(int depth) => 8 + ((nuint)8 << depth);

    public static void Initialize(byte* directory, int depth) => *(long*)directory = 32 - depth;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Depth(byte* directory) => 32 - (int)*(long*)directory;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Segment Find(byte* directory, uint position)
    {
        int shift = (int)*(long*)directory;
        return new Segment(((ulong*)directory)[1 + ((ulong)position >> shift)]);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Segment At(byte* directory, long index) => new(((ulong*)directory)[1 + index]);

    /// <summary>How many entries in a row lead to a segment of this depth.</summary>
    public static long SpanOf(byte* directory, Segment segment) => 1L << (Depth(directory) - segment.Depth);

    /// <summary>The first of the entries that lead to a segment.</summary>
    public static long FirstIndex(byte* directory, uint position, Segment segment)
    {
        long index = (long)((ulong)position >> (32 - Depth(directory)));
        return index & -SpanOf(directory, segment);
    }

    /// <summary>Lets <paramref name="count"/> entries lead to a segment.</summary>
    public static void Fill(byte* directory, long first, long count, Segment segment)
    {
        // ORDER: readers without the lock see the old or the new entry, each whole (aligned 8 bytes), and
        // never an entry before the segment's cleared tags: stores are released.
        for (long index = first; index < first + count; index++)
            System.Threading.Volatile.Write(ref ((ulong*)directory)[1 + index], segment.Bits);
    }
}
