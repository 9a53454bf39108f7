namespace Cinnabar.Resp;

// Numbers as text; floating-point ones are in RedisDouble.
//
// Integers follow Redis's rules, which are stricter than any library's: only text that formatting could have
// written parses. So "7" is a number, and " 7", "+7", "07", "-0", "" and
// "9223372036854775808" are not; a string that parses may be stored as an integer and will read back the
// same bytes.
//
// Up to eight digits are computed side by side in one register: split by 10,000, by 100 and by 10, each half
// in its own part of the word, with multiplications in place of divisions; the leading zeros are shifted out
// and always eight bytes are stored. For longer numbers the number of digits is computed first (from the bit
// length, with one correction by a table), and the digits are written from the end, four at a time.

/// <summary>Numbers as Redis reads and writes them.</summary>
public static unsafe class RedisNumber
{
    /// <summary>The longest text of a 64-bit integer, bytes.</summary>
    public const int Int64BytesMax = 20;

    /// <summary>The longest text of a floating-point number, bytes.</summary>
    public const int DoubleBytesMax = RedisDouble.BytesMax;

    private const ulong EightDigitsEnd = 100_000_000;

    private static ReadOnlySpan<ulong> PowersOfTen =>
    [
        0, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000,
        10_000_000_000_000_000_000,
    ];

    private static ReadOnlySpan<byte> DigitPairs =>
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"u8
        + "40414243444546474849505152535455565758596061626364656667686970717273747576777879"u8
        + "8081828384858687888990919293949596979899"u8;

    /// <summary>Parses what <see cref="FormatInt64(long, Span{byte})"/> writes, and nothing else.</summary>
    public static bool TryParseInt64(ReadOnlySpan<byte> text, out long value)
    {
        value = 0;
        int length = text.Length;
        if ((uint)(length - 1) >= Int64BytesMax)
        {
            return false;
        }

        int index = text[0] == '-' ? 1 : 0;
        if (index == length)
        {
            return false;
        }

        uint digit = (uint)(text[index] - '0');
        if (digit - 1 > 8)
        {
            return digit == 0 && length == 1;
        }

        ulong magnitude = digit;
        int checkedFrom = index + 18;
        while (++index < length)
        {
            digit = (uint)(text[index] - '0');
            if (digit > 9)
            {
                return false;
            }

            if (index > checkedFrom && magnitude > (ulong.MaxValue - digit) / 10)
            {
                return false;
            }

            magnitude = magnitude * 10 + digit;
        }

        bool isNegative = text[0] == '-';
        if (magnitude > long.MaxValue + (isNegative ? 1UL : 0))
        {
            return false;
        }

        value = isNegative ? (long)(0 - magnitude) : (long)magnitude;
        return true;
    }

    /// <summary>Writes an integer; returns the number of bytes.</summary>
    /// <param name="value">any value</param>
    /// <param name="output">at least <see cref="Int64BytesMax"/> bytes</param>
    public static int FormatInt64(long value, Span<byte> output)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(output.Length, Int64BytesMax);
        fixed (byte* start = output)
        {
            return (int)(WriteInt64(start, value) - start);
        }
    }

    /// <summary>Number of bytes that <see cref="FormatInt64(long, Span{byte})"/> writes.</summary>
    public static int LengthOfInt64(long value)
        => value >= 0 ? DigitCount((ulong)value) : DigitCount(0 - (ulong)value) + 1;

    /// <summary>Parses a floating-point argument; false where Redis says "not a valid float".</summary>
    /// <remarks>As C's strtod, infinities and hexadecimal numbers included, but without leading white space,
    /// NaN, overflow, or anything after the number.</remarks>
    public static bool TryParseDouble(ReadOnlySpan<byte> text, out double value)
        => RedisDouble.TryParse(text, out value);

    /// <summary>
    /// Parses a bound of a range of scores: a decimal number up to a NUL. Empty text is zero; too large or
    /// too small a number becomes infinite or zero. Not NaN.
    /// </summary>
    public static bool TryParseDoubleLenient(ReadOnlySpan<byte> text, out double value)
        => RedisDouble.TryParseLenient(text, isSizeFree: true, out value);

    /// <summary>Parses a weight of SORT: as <see cref="TryParseDoubleLenient"/>, but too large and too small
    /// numbers are refused.</summary>
    public static bool TryParseWeight(ReadOnlySpan<byte> text, out double value)
        => RedisDouble.TryParseLenient(text, isSizeFree: false, out value);

    /// <summary>Writes the shortest text that reads back as the same number; returns its length.</summary>
    /// <param name="value">any value; infinities are inf and -inf</param>
    /// <param name="output">at least <see cref="DoubleBytesMax"/> bytes</param>
    public static int FormatDouble(double value, Span<byte> output) => RedisDouble.Format(value, output);

    /// <summary>Writes 17 significant digits as C's <c>%.17g</c>; returns the text's length.</summary>
    /// <remarks>What Redis replied before 7.2.</remarks>
    /// <param name="value">any value</param>
    /// <param name="output">at least <see cref="DoubleBytesMax"/> bytes</param>
    public static int FormatDoubleSeventeen(double value, Span<byte> output)
        => RedisDouble.FormatSeventeen(value, output);

    /// <summary>Writes an integer; returns the end. Up to 20 bytes may be overwritten, whatever its
    /// length.</summary>
    internal static byte* WriteInt64(byte* output, long value)
    {
        if (value >= 0)
        {
            return WriteUInt64(output, (ulong)value);
        }

        *output = (byte)'-';
        return WriteUInt64(output + 1, 0 - (ulong)value);
    }

    /// <summary>Writes an unsigned integer; returns the end. The space has at least 8 bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* WriteUInt64(byte* output, ulong value) =>
        value < EightDigitsEnd ? WriteEight(output, (uint)value) : WriteLong(output, value);

    // SAFETY: the caller has room for eight bytes.
    private static byte* WriteEight(byte* output, uint value)
    {
        const ulong zeros = 0x3030_3030_3030_3030;
        uint high = value / 10_000;
        // Two numbers below 10,000, then four below 100, then eight below 10, the first ones lowest.
        ulong fours = high | (ulong)(value - high * 10_000) << 32;
        ulong hundreds = fours * 10_486 >> 20 & 0x0000_007F_0000_007F;
        ulong pairs = hundreds | fours - hundreds * 100 << 16;
        ulong tens = pairs * 103 >> 10 & 0x000F_000F_000F_000F;
        ulong digits = tens | pairs - tens * 10 << 8;
        // The last digit is written even if it is a zero.
        int leadingBits = BitOperations.TrailingZeroCount(digits | 1UL << 56) & ~7;
        *(ulong*)output = digits + zeros >> leadingBits;
        return output + sizeof(ulong) - (leadingBits >> 3);
    }

    private static byte* WriteLong(byte* output, ulong value)
    {
        // SAFETY: the caller has room for 20 digits; the table has 100 pairs and is indexed below 100.
        byte* end = output + DigitCount(value);
        byte* p = end;
        ref byte pairs = ref MemoryMarshal.GetReference(DigitPairs);
        while (value >= 10_000)
        {
            ulong rest = value / 10_000;
            uint four = (uint)(value - rest * 10_000);
            uint high = four / 100;
            p -= 4;
            *(ushort*)p = PairAt(ref pairs, high);
            *(ushort*)(p + 2) = PairAt(ref pairs, four - high * 100);
            value = rest;
        }

        if (value >= 100)
        {
            ulong rest = value / 100;
            p -= 2;
            *(ushort*)p = PairAt(ref pairs, value - rest * 100);
            value = rest;
        }

        if (value >= 10)
        {
            *(ushort*)(p - 2) = PairAt(ref pairs, value);
        }
        else
        {
            *(p - 1) = (byte)('0' + value);
        }

        return end;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ushort PairAt(ref byte pairs, ulong number) =>
        Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref pairs, (nint)(number * 2)));

    /// <summary>Number of decimal digits; 1 for zero.</summary>
    internal static int DigitCount(ulong value)
    {
        // 1233 / 4096 is log10(2) closely enough for 64 bits.
        int guess = (BitOperations.Log2(value | 1) + 1) * 1233 >> 12;
        return guess + (value >= PowersOfTen[guess] ? 1 : 0);
    }
}
