// A bucket: 128 bytes, two cache lines.
//
//      0            14            15           16                            64                        128
//      +------------+-------------+------------+-----------------------------+--------------------------+
//      | 14 tags    | in the      | in the     | slots 0..5                  | slots 6..13              |
//      | (0 = free) | neighbour   | stash      | (8 bytes each)              |                          |
//      +------------+-------------+------------+-----------------------------+--------------------------+
//
// Bytes 14 and 15 count the entries whose home this bucket is and which are in the next bucket or in the
// stash. Both counts are exact, so a miss ends here unless an entry really is elsewhere. Invariant: an entry
// is outside its home bucket only while that is full; so a miss in a bucket with a free slot ends there.

using System.Runtime.Intrinsics;

namespace Cinnabar.Structures.Tables;

// SAFETY: every bucket passed in lies in a segment that the caller owns, or, for prefetches, may be stale but
// is mapped; slot indexes come from the masks, so they are below 14.
/// <summary>Operations on one 128-byte bucket.</summary>
internal static unsafe class Bucket
{
    public const int Size = 128;
    public const int SizeBits = 7;
    public const int SlotCount = 14;
    private const uint AllSlots = (1u << SlotCount) - 1;

    /// <summary>A bit for every slot with this tag.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Matches(byte* bucket, byte tag) => Equal(bucket, Vector128.Create(tag));

    /// <summary>A bit for every free slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Free(byte* bucket) => Equal(bucket, Vector128<byte>.Zero);

    /// <summary>A bit for every slot in use.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Used(byte* bucket) => Free(bucket) ^ AllSlots;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int UsedCount(byte* bucket) => BitOperations.PopCount(Used(bucket));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ref ulong Slot(byte* bucket, int index) => ref ((ulong*)(bucket + 16))[index];

    /// <summary>The bucket of a slot. SAFETY: buckets are aligned to their size (see
    /// TypeStablePool).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Of(ulong* slot) => (byte*)((nuint)slot & ~(nuint)(Size - 1));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int IndexOf(ulong* slot) => ((int)(nuint)slot & (Size - 1)) / 8 - 2;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ref byte InNeighbour(byte* bucket) => ref bucket[14];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ref byte InStash(byte* bucket) => ref bucket[15];

    /// <summary>Not 0 when an entry whose home this is lives elsewhere.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ushort Away(byte* bucket) => *(ushort*)(bucket + 14);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Put(byte* bucket, int index, byte tag, ulong slot)
    {
        Debug.Assert((uint)index < SlotCount && bucket[index] == 0, "the slot is in use");
        Debug.Assert(tag != 0, "0 is the tag of a free slot");
        Slot(bucket, index) = slot;
        bucket[index] = tag;
    }

    /// <summary>Moves an entry into the first free slot of another bucket, which must have one.</summary>
    public static void Move(byte* from, int index, byte* to)
    {
        Debug.Assert((uint)index < SlotCount && from[index] != 0, "an entry is moved that is not there");
        Debug.Assert(Free(to) != 0, "the bucket has no free slot");
        Put(to, BitOperations.TrailingZeroCount(Free(to)), from[index], Slot(from, index));
        from[index] = 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Equal(byte* bucket, Vector128<byte> tags) =>
        Vector128.Equals(Vector128.Load(bucket), tags).ExtractMostSignificantBits() & AllSlots;
}
