using Cinnabar.Structures.Bits;

namespace Cinnabar.Commands.Bitmaps;

/// <summary>Counts and finds bits in a range of a string's bits, both ends included.</summary>
internal static class BitRange
{
    // Estimated time to look at one byte, in thousandths of a nanosecond.
    private const long CostPerBytePs = 60;

    /// <summary>Estimate of the time to look at that many bytes.</summary>
    public static long CostNs(long byteCount) => byteCount * CostPerBytePs / 1000;

    /// <summary>
    /// Turns offsets that may count from the end into a range within a string of <paramref name="length"/>
    /// units.
    /// </summary>
    /// <returns>False where the range is empty.</returns>
    public static bool TryClip(ref long start, ref long end, long length)
    {
        if (start < 0)
            start = Math.Max(0, start + length);
        if (end < 0)
            end = Math.Max(0, end + length);
        end = Math.Min(end, length - 1);
        Debug.Assert(start >= 0 && end < length, "a place outside the string");
        return start <= end;
    }

    /// <summary>The number of bits set from <paramref name="first"/> to <paramref name="last"/>.</summary>
    public static long Count(in StringView text, long first, long last)
    {
        Debug.Assert(first >= 0 && last < text.Length << 3, "a bit outside the string");
        long count = 0;
        for (long bit = first; bit <= last;)
        {
            ReadOnlySpan<byte> piece = text.SpanAt(bit >> 3);
            long pieceStart = bit & ~7L;
            long pieceEnd = Math.Min(last + 1, pieceStart + (8L * piece.Length));
            count += BitCount.CountRange(piece, bit - pieceStart, pieceEnd - pieceStart);
            bit = pieceEnd;
        }

        return count;
    }

    /// <summary>The first such bit from <paramref name="first"/> to <paramref name="last"/>, or −1.</summary>
    public static long Find(in StringView text, long first, long last, bool isSet)
    {
        Debug.Assert(first >= 0 && last < text.Length << 3, "a bit outside the string");
        for (long bit = first; bit <= last;)
        {
            ReadOnlySpan<byte> piece = text.SpanAt(bit >> 3);
            long pieceStart = bit & ~7L;
            long pieceEnd = Math.Min(last + 1, pieceStart + (8L * piece.Length));
            long found = BitSearch.FindFirst(piece, isSet, bit - pieceStart, pieceEnd - pieceStart);
            if (found >= 0)
                return pieceStart + found;
            bit = pieceEnd;
        }

        return -1;
    }
}
