namespace Cinnabar.Structures.SortedSets;

/// <summary>
/// Scores as unsigned numbers of the same order. Both zeroes are the same number; which of them it was is
/// kept elsewhere.
/// </summary>
internal static class ScoreBits
{
    private const ulong Sign = 1UL << 63;

    /// <summary>The number for a score, which is not NaN.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Of(double score)
    {
        ulong bits = score == 0 ? 0 : BitConverter.DoubleToUInt64Bits(score);
        return (bits & Sign) != 0 ? ~bits : bits | Sign;
    }

    /// <summary>The score of a number.</summary>
    internal static double ToScore(ulong bits, bool isNegativeZero) =>
        isNegativeZero ? -0.0 : BitConverter.UInt64BitsToDouble((bits & Sign) != 0 ? bits ^ Sign : ~bits);

    internal static bool IsNegativeZero(double score) =>
        BitConverter.DoubleToUInt64Bits(score) == Sign;
}
