namespace Cinnabar.Resp;

// Hexadecimal floating-point text as C's strtod accepts it: 0x1.8p3 is 12. The digits become one integer of
// up to 128 bits, whose last bit is sticky for digits that did not fit. That is enough for correct rounding
// to 64 or fewer bits.

/// <summary>Reads hexadecimal floating-point numbers.</summary>
internal static class HexadecimalFloat
{
    private const int DoublePrecision = 53;
    private const int DoubleExponentMin = -1074;

    /// <summary>Whether unsigned text begins with 0x and goes on after it.</summary>
    internal static bool HasPrefix(ReadOnlySpan<byte> text)
        => text.Length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';

    /// <summary>Parses what follows 0x; false if it is not a number, or not zero but too small.</summary>
    internal static bool TryParseDouble(ReadOnlySpan<byte> text, out double value)
    {
        value = 0;
        if (!TryRead(text, out UInt128 mantissa, out int exponent))
        {
            return false;
        }

        if (mantissa == 0)
        {
            return true;
        }

        // Cut to the precision the number has at its size, rounding half to even; then scaling is exact.
        int bitCount = 128 - (int)UInt128.LeadingZeroCount(mantissa);
        int cut = Math.Max(bitCount - DoublePrecision, DoubleExponentMin - exponent);
        if (cut > 0)
        {
            mantissa = RoundShift(mantissa, cut);
            exponent += cut;
        }

        value = Math.ScaleB((double)(ulong)mantissa, exponent);
        return value != 0;
    }

    /// <summary>Parses the text: value = mantissa * 2^exponent, where the mantissa's last bit is
    /// sticky.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> text, out UInt128 mantissa, out int exponent)
    {
        mantissa = 0;
        exponent = 0;
        bool hasDigits = false;
        bool hasPoint = false;
        int index = 0;
        for (; index < text.Length; index++)
        {
            byte c = text[index];
            if (c == '.' && !hasPoint)
            {
                hasPoint = true;
                continue;
            }

            int digit = HexDigit(c);
            if (digit < 0)
            {
                break;
            }

            hasDigits = true;
            if (mantissa >> 124 == 0)
            {
                mantissa = mantissa << 4 | (uint)digit;
                exponent -= hasPoint ? 4 : 0;
            }
            else
            {
                mantissa |= digit != 0 ? 1u : 0u;
                exponent += hasPoint ? 0 : 4;
            }
        }

        if (!hasDigits || index == text.Length)
        {
            return hasDigits;
        }

        if ((text[index] | 0x20) != 'p' || !DecimalText.TryReadExponent(text[(index + 1)..], out int power))
        {
            return false;
        }

        exponent += power;
        return true;
    }

    /// <summary>Shifts right by any positive count, rounding half to even.</summary>
    internal static UInt128 RoundShift(UInt128 value, int count)
    {
        Debug.Assert(count > 0, "a shift has a positive count");
        if (count > 128)
        {
            return 0;
        }

        UInt128 kept = count == 128 ? 0 : value >> count;
        UInt128 rest = value - (count == 128 ? 0 : kept << count);
        UInt128 half = UInt128.One << (count - 1);
        return kept + (rest > half || (rest == half && !UInt128.IsEvenInteger(kept)) ? 1u : 0u);
    }

    private static int HexDigit(byte c) => c switch
    {
        >= (byte)'0' and <= (byte)'9' => c - '0',
        >= (byte)'a' and <= (byte)'f' => c - 'a' + 10,
        >= (byte)'A' and <= (byte)'F' => c - 'A' + 10,
        _ => -1,
    };
}
