using System.Buffers.Text;

namespace Cinnabar.Resp;

// The x87's 80-bit floating-point numbers in software. Redis computes INCRBYFLOAT and HINCRBYFLOAT in C's
// long double, which on x86 is this format; to answer with the same digits on every machine, so do we.
//
//     value = (-1)^sign * mantissa * 2^exponent
//     normal numbers:  mantissa in [2^63, 2^64), exponent in [-16445, 16320]
//     subnormal, zero: mantissa in [0, 2^63),    exponent = -16445
//     infinity:        exponent = 16321
//
// Parsing, adding and formatting are each correctly rounded, half to even, from the exact result. Nearly
// all numbers take paths in 128-bit integers: up to 19 digits, 18 of them after the point, when parsing;
// exponents not more than 63 apart when adding; magnitudes below 2^64 when formatting. The rest goes
// through BigInteger.
//
// Limits: text of up to 5,119 bytes, as in Redis. NaN is not represented: it does not parse, and infinity
// minus infinity is reported by TryAdd.

/// <summary>A floating-point number with a mantissa of 64 bits and an exponent of 15.</summary>
public readonly struct ExtendedFloat
{
    /// <summary>The longest text that parses or is written, bytes.</summary>
    public const int BytesMax = 5 * 1024 - 1;

    private const int Precision = 64;
    private const int ExponentMin = -16445;
    private const int ExponentMax = 16320;
    private const int ExponentOfInfinity = ExponentMax + 1;
    private const int FractionDigits = 17;
    private const ulong FractionScale = 100_000_000_000_000_000;

    /// <summary>Numbers above 10^4933 are infinite, numbers below 10^-4970 are zero.</summary>
    private const int PowerOfTenMax = 4933;
    private const int PowerOfTenMin = -4970;

    private readonly ulong _mantissa;
    private readonly int _exponent;
    private readonly bool _isNegative;

    private ExtendedFloat(bool isNegative, ulong mantissa, int exponent)
    {
        _isNegative = isNegative;
        _mantissa = mantissa;
        _exponent = exponent;
    }

    /// <summary>False for infinities.</summary>
    public bool IsFinite => _exponent != ExponentOfInfinity;

    /// <summary>The same number, which is always exact.</summary>
    public static ExtendedFloat FromInt64(long value)
        => Round(value < 0, value < 0 ? 0 - (ulong)value : (ulong)value, 0);

    /// <summary>Parses a number; false where Redis says that it is not a valid float.</summary>
    /// <remarks>As C's strtold, without leading white space, NaN, overflow, underflow to zero, or anything
    /// after the number. Infinity may be spelt out.</remarks>
    public static bool TryParse(ReadOnlySpan<byte> text, out ExtendedFloat value)
    {
        value = Round(false, UInt128.Zero, 0);
        if (text.IsEmpty || text.Length > BytesMax)
        {
            return false;
        }

        bool isNegative = text[0] == '-';
        ReadOnlySpan<byte> rest = isNegative || text[0] == '+' ? text[1..] : text;
        if (RedisDouble.IsInfinity(rest))
        {
            value = Infinity(isNegative);
            return true;
        }

        if (HexadecimalFloat.HasPrefix(rest))
        {
            if (!HexadecimalFloat.TryRead(rest[2..], out UInt128 mantissa, out int exponent))
            {
                return false;
            }

            value = Round(isNegative, mantissa, exponent);
            return value.IsFinite && (value._mantissa != 0 || mantissa == 0);
        }

        if (!DecimalText.TryRead(rest, out DecimalText parts))
        {
            return false;
        }

        value = parts.IsZero ? Round(isNegative, UInt128.Zero, 0) : FromDecimal(isNegative, parts);
        return value.IsFinite && (value._mantissa != 0 || parts.IsZero);
    }

    /// <summary>Adds; false if the sum is infinite or not a number.</summary>
    public static bool TryAdd(in ExtendedFloat left, in ExtendedFloat right, out ExtendedFloat sum)
    {
        sum = left;
        if (!left.IsFinite || !right.IsFinite)
        {
            return false;
        }

        bool isLeftHigher = left._exponent >= right._exponent;
        ExtendedFloat high = isLeftHigher ? left : right;
        ExtendedFloat low = isLeftHigher ? right : left;
        int distance = high._exponent - low._exponent;
        if (distance < Precision && high._isNegative == low._isNegative)
        {
            // (2^64 - 1) * 2^63 + 2^64 - 1 is below 2^128.
            UInt128 exactSum = ((UInt128)high._mantissa << distance) + low._mantissa;
            sum = Round(high._isNegative, exactSum, low._exponent);
            return sum.IsFinite;
        }

        if (distance < Precision)
        {
            UInt128 shifted = (UInt128)high._mantissa << distance;
            sum = shifted >= low._mantissa
                ? Round(shifted != low._mantissa && high._isNegative, shifted - low._mantissa, low._exponent)
                : Round(low._isNegative, low._mantissa - shifted, low._exponent);
            return true;
        }

        BigInteger exact = (high.SignedMantissa() << distance) + low.SignedMantissa();
        sum = Round(exact.Sign < 0, BigInteger.Abs(exact), low._exponent);
        return sum.IsFinite;
    }

    /// <summary>Writes decimal digits, at most 17 after the point and no zeros at the end; returns the
    /// length.</summary>
    /// <param name="output">at least <see cref="BytesMax"/> bytes</param>
    public int Format(Span<byte> output)
    {
        if (!IsFinite)
        {
            ReadOnlySpan<byte> name = _isNegative ? "-inf"u8 : "inf"u8;
            name.CopyTo(output);
            return name.Length;
        }

        int length = 0;
        if (_isNegative)
        {
            output[length++] = (byte)'-';
        }

        if (_exponent > 0)
        {
            return length + FormatWhole((BigInteger)_mantissa << _exponent, output[length..]);
        }

        // The mantissa times 10^17 is below 2^121: rounding it is exact in 128 bits.
        UInt128 scaled = (UInt128)_mantissa * FractionScale;
        scaled = _exponent == 0 ? scaled : HexadecimalFloat.RoundShift(scaled, -_exponent);
        (UInt128 whole, UInt128 fraction) = UInt128.DivRem(scaled, FractionScale);
        if (scaled == 0)
        {
            output[0] = (byte)'0';
            return 1;
        }

        Utf8Formatter.TryFormat((ulong)whole, output[length..], out int wholeLength);
        return length + wholeLength + FormatFraction((ulong)fraction, output[(length + wholeLength)..]);
    }

    /// <summary>The nearest 64-bit number.</summary>
    public double ToDouble()
    {
        if (!IsFinite)
        {
            return _isNegative ? double.NegativeInfinity : double.PositiveInfinity;
        }

        // 53 bits, or fewer where the result is subnormal; then scaling is exact.
        int bitCount = Precision - BitOperations.LeadingZeroCount(_mantissa);
        int cut = Math.Max(bitCount - 53, -1074 - _exponent);
        double magnitude = cut > 0
            ? Math.ScaleB((double)(ulong)HexadecimalFloat.RoundShift(_mantissa, cut), _exponent + cut)
            : Math.ScaleB(_mantissa, _exponent);
        return _isNegative ? -magnitude : magnitude;
    }

    private static int FormatWhole(BigInteger value, Span<byte> output)
    {
        Span<char> digits = stackalloc char[BytesMax];
        bool fits = value.TryFormat(digits, out int length, default, CultureInfo.InvariantCulture);
        Debug.Assert(fits, "the greatest number has 4,933 digits");
        return Encoding.ASCII.GetBytes(digits[..length], output);
    }

    private static int FormatFraction(ulong fraction, Span<byte> output)
    {
        if (fraction == 0)
        {
            return 0;
        }

        output[0] = (byte)'.';
        for (int index = FractionDigits; index > 0; index--)
        {
            output[index] = (byte)('0' + fraction % 10);
            fraction /= 10;
        }

        return output[..(FractionDigits + 1)].TrimEnd((byte)'0').Length;
    }

    private static ExtendedFloat Infinity(bool isNegative) => new(isNegative, 0, ExponentOfInfinity);

    private static ExtendedFloat FromDecimal(bool isNegative, in DecimalText parts)
    {
        ReadOnlySpan<byte> whole = parts.Whole.TrimStart((byte)'0');
        ReadOnlySpan<byte> fraction = parts.Fraction.TrimEnd((byte)'0');
        int power = parts.Exponent - fraction.Length;
        int digitCount = whole.Length + fraction.Length;
        if (whole.IsEmpty)
        {
            digitCount = fraction.TrimStart((byte)'0').Length;
        }

        if (digitCount + power > PowerOfTenMax)
        {
            return Infinity(isNegative);
        }

        if (digitCount + power < PowerOfTenMin)
        {
            return Round(isNegative, UInt128.Zero, 0);
        }

        if (digitCount <= 19 && power is >= -18 and <= 18)
        {
            return FromShortDecimal(isNegative, Digits(whole, fraction), power);
        }

        BigInteger digits = BigDigits(whole, fraction);
        if (power >= 0)
        {
            return Round(isNegative, digits * BigInteger.Pow(10, power), 0);
        }

        // Enough bits that the quotient has at least 66, and its last bit says whether there was a
        // remainder.
        BigInteger divisor = BigInteger.Pow(10, -power);
        long missing = Precision + 3 - (digits.GetBitLength() - divisor.GetBitLength());
        int shift = (int)Math.Max(missing, 0);
        BigInteger quotient = BigInteger.DivRem(digits << shift, divisor, out BigInteger remainder);
        return Round(isNegative, (quotient << 1) + (remainder.IsZero ? 0 : 1), -shift - 1);
    }

    private static ExtendedFloat FromShortDecimal(bool isNegative, ulong digits, int power)
    {
        ulong scale = 1;
        for (int count = Math.Abs(power); count > 0; count--)
        {
            scale *= 10;
        }

        if (power >= 0)
        {
            return Round(isNegative, (UInt128)digits * scale, 0);
        }

        // 10^18 is below 2^60, so that a numerator of 126 bits leaves a quotient of at least 66; its last
        // bit is sticky.
        int shift = 62 + BitOperations.LeadingZeroCount(digits);
        (UInt128 quotient, UInt128 remainder) = UInt128.DivRem((UInt128)digits << shift, scale);
        return Round(isNegative, quotient << 1 | (remainder == 0 ? 0u : 1u), -shift - 1);
    }

    private static ulong Digits(ReadOnlySpan<byte> whole, ReadOnlySpan<byte> fraction)
    {
        ulong value = 0;
        foreach (byte c in whole)
        {
            value = value * 10 + (uint)(c - '0');
        }

        foreach (byte c in fraction)
        {
            value = value * 10 + (uint)(c - '0');
        }

        return value;
    }

    private static BigInteger BigDigits(ReadOnlySpan<byte> whole, ReadOnlySpan<byte> fraction)
    {
        Span<char> text = stackalloc char[BytesMax];
        int length = 0;
        foreach (byte c in whole)
        {
            text[length++] = (char)c;
        }

        foreach (byte c in fraction)
        {
            text[length++] = (char)c;
        }

        return BigInteger.Parse(text[..length], CultureInfo.InvariantCulture);
    }

    private static ExtendedFloat Round(bool isNegative, UInt128 magnitude, int exponent)
    {
        int bitCount = 128 - (int)UInt128.LeadingZeroCount(magnitude);
        int cut = Math.Max(bitCount - Precision, ExponentMin - exponent);
        return cut > 0
            ? Normalize(isNegative, HexadecimalFloat.RoundShift(magnitude, cut), exponent + cut)
            : Normalize(isNegative, magnitude, exponent);
    }

    private static ExtendedFloat Round(bool isNegative, BigInteger magnitude, int exponent)
    {
        // Shortened to 128 bits with a sticky last one, then rounded as any other.
        int cut = (int)Math.Max(magnitude.GetBitLength() - 127, 0);
        BigInteger kept = magnitude >> cut;
        bool isInexact = kept << cut != magnitude;
        return Round(isNegative, (UInt128)kept << 1 | (isInexact ? 1u : 0u), exponent + cut - 1);
    }

    /// <summary>Makes a number of at most 65 bits whose exponent is not too low.</summary>
    private static ExtendedFloat Normalize(bool isNegative, UInt128 magnitude, int exponent)
    {
        if (magnitude == 0)
        {
            return new ExtendedFloat(isNegative, 0, ExponentMin);
        }

        if (magnitude >> Precision != 0)
        {
            // Rounding up carried into a 65th bit, and left 64 zeros.
            Debug.Assert((ulong)magnitude == 0, "a carry leaves zeros");
            magnitude >>= 1;
            exponent++;
        }

        int shift = Math.Min(BitOperations.LeadingZeroCount((ulong)magnitude), exponent - ExponentMin);
        exponent -= shift;
        return exponent > ExponentMax
            ? Infinity(isNegative)
            : new ExtendedFloat(isNegative, (ulong)magnitude << shift, exponent);
    }

    private BigInteger SignedMantissa() => _isNegative ? -(BigInteger)_mantissa : _mantissa;
}
