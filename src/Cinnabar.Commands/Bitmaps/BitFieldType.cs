namespace Cinnabar.Commands.Bitmaps;

/// <summary>The type of a BITFIELD field: i1 to i64, u1 to u63.</summary>
internal readonly struct BitFieldType
{
    private const int SignedBitCountMax = 64;
    private const int UnsignedBitCountMax = 63;

    private BitFieldType(bool isSigned, int bitCount)
    {
        IsSigned = isSigned;
        BitCount = bitCount;
    }

    /// <summary>Whether the highest bit is the sign.</summary>
    public bool IsSigned { get; }

    /// <summary>The width in bits.</summary>
    public int BitCount { get; }

    /// <summary>The largest value.</summary>
    public long Max => IsSigned ? long.MaxValue >> (64 - BitCount) : (long)((1UL << BitCount) - 1);

    /// <summary>The smallest value.</summary>
    public long Min => IsSigned ? long.MinValue >> (64 - BitCount) : 0;

    public static bool TryParse(ReadOnlySpan<byte> text, out BitFieldType type)
    {
        type = default;
        if (text.IsEmpty || text[0] is not ((byte)'i' or (byte)'u')
            || !RedisNumber.TryParseInt64(text[1..], out long bitCount))
            return false;
        bool isSigned = text[0] == 'i';
        if (bitCount < 1 || bitCount > (isSigned ? SignedBitCountMax : UnsignedBitCountMax))
            return false;
        type = new BitFieldType(isSigned, (int)bitCount);
        return true;
    }

    /// <summary>The value that the lowest bits stand for: what is left of a number that does not
    /// fit.</summary>
    public long Wrap(long value)
    {
        Debug.Assert(BitCount > 0, "no type was read");
        int shift = 64 - BitCount;
        return IsSigned ? value << shift >> shift : (long)((ulong)value << shift >> shift);
    }
}
