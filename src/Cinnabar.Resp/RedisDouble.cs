using System.Buffers.Text;

namespace Cinnabar.Resp;

// Floating-point numbers as text.
//
// Format gives the fewest digits that read back as the same number, laid out as Redis does since 7.2: whole
// numbers of moderate size without a point; otherwise plain decimal notation where that needs few zeros,
// and scientific notation with an exponent of no padded zeros and always a sign ("1e+30", "1.5e-7").
// FormatSeventeen is what Redis replied before 7.2, C's "%.17g": 17 digits, trailing zeros cut off, an
// exponent of at least two digits.
//
// Parsing follows C's strtod in the "C" locale, without leading white space, NaN, or anything after the
// number. A number that overflows, or that is not zero and would become zero, is refused. Hexadecimal numbers
// (0x1.8p3) are accepted.

/// <summary>Floating-point numbers as Redis reads and writes them.</summary>
internal static class RedisDouble
{
    /// <summary>The longest text that formatting writes, bytes.</summary>
    internal const int BytesMax = 40;

    private const int DigitsMax = 17;
    private const int ExactDigitsMax = 15;
    private const double WholeMax = 1L << 62;

    /// <summary>Parses a number; false where Redis says that it is not a valid float.</summary>
    internal static bool TryParse(ReadOnlySpan<byte> text, out double value)
    {
        value = 0;
        if (text.IsEmpty)
        {
            return false;
        }

        if (text.Length <= ExactDigitsMax
            && (TryParseDigits(text, out long whole) || RedisNumber.TryParseInt64(text, out whole)))
        {
            value = whole;
            return true;
        }

        bool isNegative = text[0] == '-';
        ReadOnlySpan<byte> rest = isNegative || text[0] == '+' ? text[1..] : text;
        if (rest.IsEmpty)
        {
            return false;
        }

        if (IsInfinity(rest))
        {
            value = isNegative ? double.NegativeInfinity : double.PositiveInfinity;
            return true;
        }

        bool isValid = HexadecimalFloat.HasPrefix(rest)
            ? HexadecimalFloat.TryParseDouble(rest[2..], out value)
            : TryParseDecimal(rest, out value);
        if (isNegative)
        {
            value = -value;
        }

        return isValid && double.IsFinite(value);
    }

    /// <summary>
    /// Parses a decimal number up to a NUL: empty text is zero, too large a number is infinite and too small
    /// a one is zero. White space and hexadecimal digits, which Redis 7.0 still accepted here, are refused.
    /// </summary>
    /// <param name="text">The number.</param>
    /// <param name="isSizeFree">False: too large and too small numbers are refused.</param>
    /// <param name="value">Its value.</param>
    internal static bool TryParseLenient(ReadOnlySpan<byte> text, bool isSizeFree, out double value)
    {
        value = 0;
        int end = text.IndexOf((byte)0);
        text = end < 0 ? text : text[..end];
        if (text.IsEmpty)
        {
            return true;
        }

        ReadOnlySpan<byte> rest = text[0] is (byte)'-' or (byte)'+' ? text[1..] : text;
        if (HexadecimalFloat.HasPrefix(rest))
        {
            return false;
        }

        // A number of which only the size was out of range is still a number.
        return TryParse(text, out value) || (isSizeFree && DecimalText.TryRead(rest, out _));
    }

    /// <summary>Whether unsigned text is one of the two words for infinity.</summary>
    internal static bool IsInfinity(ReadOnlySpan<byte> text)
        => Ascii.EqualsIgnoreCase(text, "inf"u8) || Ascii.EqualsIgnoreCase(text, "infinity"u8);

    /// <summary>Writes the shortest text; returns its length.</summary>
    internal static int Format(double value, Span<byte> output)
    {
        if (TryFormatSpecial(value, output, out int length))
        {
            return length;
        }

        if (Math.Abs(value) <= WholeMax && value == Math.Truncate(value))
        {
            return RedisNumber.FormatInt64((long)value, output);
        }

        Span<byte> digits = stackalloc byte[DigitsMax];
        int digitCount = ShortestDigits(Math.Abs(value), digits, out int exponent);
        int sign = 0;
        if (value < 0)
        {
            output[0] = (byte)'-';
            sign = 1;
        }

        return sign + Layout(digits[..digitCount], exponent, output[sign..]);
    }

    // Only digits; leading zeros are allowed.
    private static bool TryParseDigits(ReadOnlySpan<byte> text, out long value)
    {
        value = 0;
        foreach (byte c in text)
        {
            uint digit = (uint)c - '0';
            if (digit > 9)
            {
                return false;
            }

            value = value * 10 + digit;
        }

        return true;
    }

    /// <summary>Writes the text of C's <c>%.17g</c>; returns its length.</summary>
    internal static int FormatSeventeen(double value, Span<byte> output)
    {
        if (TryFormatSpecial(value, output, out int length))
        {
            return length;
        }

        Span<byte> text = stackalloc byte[32];
        value.TryFormat(text, out int size, "E16", CultureInfo.InvariantCulture);
        int sign = text[0] == '-' ? 1 : 0;
        text[..sign].CopyTo(output);
        Span<byte> digits = stackalloc byte[DigitsMax];
        int digitCount = SplitDigits(text[sign..size], digits, out int exponent);
        Span<byte> target = output[sign..];
        if (exponent is >= -4 and < DigitsMax)
        {
            return sign + LayoutPlain(digits[..digitCount], exponent, target);
        }

        return sign + LayoutScientific(digits[..digitCount], exponent, target, exponentDigitsMin: 2);
    }

    private static bool TryFormatSpecial(double value, Span<byte> output, out int length)
    {
        ReadOnlySpan<byte> text;
        if (value == 0)
        {
            text = double.IsNegative(value) ? "-0"u8 : "0"u8;
        }
        else if (double.IsFinite(value))
        {
            length = 0;
            return false;
        }
        else
        {
            text = double.IsNaN(value) ? "nan"u8 : value > 0 ? "inf"u8 : "-inf"u8;
        }

        text.CopyTo(output);
        length = text.Length;
        return true;
    }

    private static bool TryParseDecimal(ReadOnlySpan<byte> text, out double value)
    {
        value = 0;
        if (!DecimalText.TryRead(text, out DecimalText parts))
        {
            return false;
        }

        if (parts.IsZero)
        {
            return true;
        }

        const NumberStyles styles = NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        return double.TryParse(text, styles, CultureInfo.InvariantCulture, out value) && value != 0;
    }

    private static int ShortestDigits(double value, Span<byte> digits, out int exponent)
    {
        Span<byte> text = stackalloc byte[32];
        value.TryFormat(text, out int size, "R", CultureInfo.InvariantCulture);
        return SplitDigits(text[..size], digits, out exponent);
    }

    /// <summary>
    /// Splits text like <c>0.0012</c> or <c>1.2E-03</c> into digits without zeros at either end, and the
    /// power of ten of the first digit.
    /// </summary>
    private static int SplitDigits(ReadOnlySpan<byte> text, Span<byte> digits, out int exponent)
    {
        int mark = text.IndexOf((byte)'E');
        exponent = 0;
        if (mark >= 0)
        {
            bool isNegative = text[mark + 1] == '-';
            Utf8Parser.TryParse(text[(mark + 2)..], out exponent, out _);
            exponent = isNegative ? -exponent : exponent;
            text = text[..mark];
        }

        int point = text.IndexOf((byte)'.');
        exponent += (point < 0 ? text.Length : point) - 1;
        int count = 0;
        foreach (byte c in text)
        {
            if (c == '0' && count == 0)
            {
                exponent--;
            }
            else if (c != '.')
            {
                // After the 17th digit the shortest text of a whole number has only zeros.
                if (count < DigitsMax)
                {
                    digits[count] = c;
                }

                count++;
            }
        }

        count = Math.Min(count, DigitsMax);
        while (count > 1 && digits[count - 1] == '0')
        {
            count--;
        }

        return count;
    }

    private static int Layout(ReadOnlySpan<byte> digits, int exponent, Span<byte> output)
    {
        int zerosBehind = exponent + 1 - digits.Length;
        int distance = Math.Abs(exponent);
        bool isPlain = zerosBehind >= 0
            ? distance < digits.Length + 7
            : zerosBehind > -7 || distance < 4;
        return isPlain
            ? LayoutPlain(digits, exponent, output)
            : LayoutScientific(digits, exponent, output, exponentDigitsMin: 1);
    }

    private static int LayoutPlain(ReadOnlySpan<byte> digits, int exponent, Span<byte> output)
    {
        int whole = exponent + 1;
        if (whole <= 0)
        {
            output[0] = (byte)'0';
            output[1] = (byte)'.';
            output.Slice(2, -whole).Fill((byte)'0');
            digits.CopyTo(output[(2 - whole)..]);
            return 2 - whole + digits.Length;
        }

        if (whole >= digits.Length)
        {
            digits.CopyTo(output);
            output[digits.Length..whole].Fill((byte)'0');
            return whole;
        }

        digits[..whole].CopyTo(output);
        output[whole] = (byte)'.';
        digits[whole..].CopyTo(output[(whole + 1)..]);
        return digits.Length + 1;
    }

    private static int LayoutScientific(
        ReadOnlySpan<byte> digits, int exponent, Span<byte> output, int exponentDigitsMin)
    {
        int length = 0;
        output[length++] = digits[0];
        if (digits.Length > 1)
        {
            output[length++] = (byte)'.';
            digits[1..].CopyTo(output[length..]);
            length += digits.Length - 1;
        }

        output[length++] = (byte)'e';
        output[length++] = exponent < 0 ? (byte)'-' : (byte)'+';
        int distance = Math.Abs(exponent);
        if (distance < 10 && exponentDigitsMin == 2)
        {
            output[length++] = (byte)'0';
        }

        Utf8Formatter.TryFormat(distance, output[length..], out int size);
        return length + size;
    }
}
