namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>The digits of numbers that are finite and not negative, as C's <c>printf</c> writes them. The
/// framework rounds to any number of digits exactly, ties to even, as C does; here is what differs: exponents
/// of two digits, the point of the flag <c>#</c>, and the choice of <c>%g</c>.</summary>
internal static class RealText
{
    /// <summary><c>%f</c></summary>
    internal static int Fixed(double value, int precision, bool point, Span<byte> text)
    {
        int length = Write(value, 'F', precision, text);
        if (point && precision == 0) text[length++] = (byte)'.';
        return length;
    }

    /// <summary><c>%e</c></summary>
    internal static int Scientific(double value, int precision, bool point, Span<byte> text)
    {
        int length = Write(value, 'E', precision, text);
        int at = text[..length].LastIndexOf((byte)'E');
        int exponent = ReadExponent(text[..length], at);
        if (point && precision == 0) text[at++] = (byte)'.';
        text[at++] = (byte)'e';
        return at + WriteExponent(exponent, text[at..]);
    }

    /// <summary><c>%g</c></summary>
    internal static int General(double value, int precision, bool keepZeros, Span<byte> text)
    {
        int digits = Math.Max(1, precision);
        int length = Write(value, 'E', digits - 1, text);
        int at = text[..length].LastIndexOf((byte)'E');
        int exponent = ReadExponent(text[..length], at);
        bool isFixed = exponent >= -4 && exponent < digits;
        if (isFixed) at = length = Fixed(value, digits - 1 - exponent, keepZeros, text);
        else if (keepZeros && digits == 1) text[at++] = (byte)'.';
        if (!keepZeros && text[..at].Contains((byte)'.'))
        {
            while (text[at - 1] == '0') at--;
            if (text[at - 1] == '.') at--;
        }
        if (isFixed) return at;
        text[at++] = (byte)'e';
        return at + WriteExponent(exponent, text[at..]);
    }

    private static int Write(double value, char format, int precision, Span<byte> text)
    {
        Debug.Assert(double.IsFinite(value) && !double.IsNegative(value),
            "Signs and names are the caller's.");
        Span<char> picture = stackalloc char[8];
        picture[0] = format;
        precision.TryFormat(picture[1..], out int digits, default, CultureInfo.InvariantCulture);
        bool fits = value.TryFormat(text, out int length, picture[..(digits + 1)],
            CultureInfo.InvariantCulture);
        Debug.Assert(fits, "A number has at most 309 digits before its point and 99 behind.");
        return length;
    }

    // The exponent of a text in the framework's E format; the E stands at a place.
    private static int ReadExponent(ReadOnlySpan<byte> text, int at)
    {
        Debug.Assert(text[at] == 'E', "The exponent follows the digits.");
        int exponent = 0;
        for (int i = at + 2; i < text.Length; i++) exponent = exponent * 10 + (text[i] - '0');
        return text[at + 1] == '-' ? -exponent : exponent;
    }

    // A sign and at least two digits.
    private static int WriteExponent(int exponent, Span<byte> text)
    {
        text[0] = (byte)(exponent < 0 ? '-' : '+');
        int size = Math.Abs(exponent);
        int used = 1;
        if (size >= 100) text[used++] = (byte)('0' + size / 100);
        text[used++] = (byte)('0' + size / 10 % 10);
        text[used++] = (byte)('0' + size % 10);
        return used;
    }
}
