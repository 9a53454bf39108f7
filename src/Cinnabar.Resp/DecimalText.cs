namespace Cinnabar.Resp;

// The parts of a decimal number as C's strtod reads them: digits before and after the point, and an exponent.
// There must be at least one digit before or after the point. The exponent is clamped to a value that no
// floating-point format reaches, whatever the digits.

/// <summary>The parts of an unsigned decimal number.</summary>
internal readonly ref struct DecimalText
{
    internal const int ExponentMax = 100_000_000;

    private DecimalText(ReadOnlySpan<byte> whole, ReadOnlySpan<byte> fraction, int exponent)
    {
        Whole = whole;
        Fraction = fraction;
        Exponent = exponent;
    }

    /// <summary>Digits before the point; may be empty.</summary>
    internal ReadOnlySpan<byte> Whole { get; }

    /// <summary>Digits after the point; may be empty.</summary>
    internal ReadOnlySpan<byte> Fraction { get; }

    /// <summary>Power of ten.</summary>
    internal int Exponent { get; }

    /// <summary>Whether all digits are zeros.</summary>
    internal bool IsZero => !Whole.ContainsAnyExcept((byte)'0') && !Fraction.ContainsAnyExcept((byte)'0');

    /// <summary>Parses the whole text; false if it is not a number.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> text, out DecimalText parts)
    {
        parts = default;
        int wholeLength = DigitsLength(text);
        ReadOnlySpan<byte> whole = text[..wholeLength];
        ReadOnlySpan<byte> rest = text[wholeLength..];
        ReadOnlySpan<byte> fraction = default;
        if (!rest.IsEmpty && rest[0] == '.')
        {
            int fractionLength = DigitsLength(rest[1..]);
            fraction = rest.Slice(1, fractionLength);
            rest = rest[(1 + fractionLength)..];
        }

        int exponent = 0;
        if ((whole.IsEmpty && fraction.IsEmpty)
            || (!rest.IsEmpty && (rest[0] | 0x20) != 'e')
            || (!rest.IsEmpty && !TryReadExponent(rest[1..], out exponent)))
        {
            return false;
        }

        parts = new DecimalText(whole, fraction, exponent);
        return true;
    }

    /// <summary>Reads digits with an optional sign; clamps too large a value.</summary>
    internal static bool TryReadExponent(ReadOnlySpan<byte> text, out int exponent)
    {
        exponent = 0;
        bool isNegative = !text.IsEmpty && text[0] == '-';
        ReadOnlySpan<byte> digits = isNegative || (!text.IsEmpty && text[0] == '+') ? text[1..] : text;
        if (digits.IsEmpty || DigitsLength(digits) != digits.Length)
        {
            return false;
        }

        foreach (byte c in digits)
        {
            exponent = Math.Min(exponent * 10 + (c - '0'), ExponentMax);
        }

        exponent = isNegative ? -exponent : exponent;
        return true;
    }

    private static int DigitsLength(ReadOnlySpan<byte> text)
    {
        int length = text.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        return length < 0 ? text.Length : length;
    }
}
