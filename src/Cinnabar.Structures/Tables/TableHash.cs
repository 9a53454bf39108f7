namespace Cinnabar.Structures.Tables;

/// <summary>
/// The meaning of the 64 bits of a hash. Picture and reasons: the essay of <see
/// cref="SegmentTable{TEntry}"/>.
/// </summary>
internal static class TableHash
{
    /// <summary>Bits of the fraction: where in its segment an entry has its home.</summary>
    public const int FractionBits = 12;

    /// <summary>The bits of a slot that are the entry's address.</summary>
    public const ulong PointerMask = 0x0000_FFFF_FFFF_FFFF;

    /// <summary>One byte of the hash, never 0: 0 marks a free slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte Tag(ulong hash)
    {
        uint tag = (byte)hash;
        return (byte)(tag + (tag == 0 ? 1u : 0u));
    }

    /// <summary>0..4095.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Fraction(ulong hash) => (uint)(hash >> 8) & 0xFFF;

    /// <summary>
    /// Where the hash stands on the line of 2^32 positions which the segments divide among themselves. The
    /// bend (a parabola close to log2(1 + p)) makes the line's beginning twice as dense as its end, so that
    /// at any time some segments are about to split and others have just split. It is strictly increasing.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Position(ulong hash)
    {
        ulong even = (uint)(hash >> 20);
        ulong bend = even * (even ^ 0xFFFF_FFFF) >> 32;
        return (uint)(even + (bend * 11 >> 5));
    }

    /// <summary>The four directory bits from which the next splits of a segment of this depth read
    /// theirs.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Nibble(uint position, int depth) => position >> (28 - (depth & ~3)) & 15;

    /// <summary>A slot: 12 bits fraction, 4 directory bits, 48 bits address, from the top.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe ulong Slot(ulong hash, int depth, byte* entry) =>
        (ulong)Fraction(hash) << 52 | (ulong)Nibble(Position(hash), depth) << 48 | (ulong)entry;

    /// <summary>The fraction of the entry in a slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint SlotFraction(ulong slot) => (uint)(slot >> 52);

    /// <summary>The address of the entry in a slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe byte* SlotEntry(ulong slot) => (byte*)(slot & PointerMask);
}
