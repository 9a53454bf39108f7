using System.Buffers.Text;

namespace Cinnabar.Lua.Values;

/// <summary>Numbers as text and back, as <c>printf("%.14g")</c> and <c>strtod</c> of glibc do.</summary>
public static class NumberText
{
    /// <summary>Bytes that the text of a number has at most.</summary>
    public const int LengthMax = 32;

    private const double ExactIntegerMax = 1e14;

    /// <summary>Writes a number with 14 significant digits.</summary>
    /// <param name="value">The number.</param>
    /// <param name="target">At least <see cref="LengthMax"/> bytes.</param>
    /// <returns>Bytes written.</returns>
    public static int Format(double value, Span<byte> target)
    {
        if (Math.Abs(value) < ExactIntegerMax && value == Math.Floor(value)
            && (value != 0 || !double.IsNegative(value)))
        {
            Utf8Formatter.TryFormat((long)value, target, out int written);
            return written;
        }

        return FormatGeneral(value, 14, target);
    }

    /// <summary>The text of a number.</summary>
    public static string Format(double value)
    {
        Span<byte> buffer = stackalloc byte[LengthMax];
        return Encoding.ASCII.GetString(buffer[..Format(value, buffer)]);
    }

    /// <summary>The number that a text stands for: decimal or hexadecimal, with blanks around it. A zero byte
    /// ends it, as for C.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, out double number)
    {
        number = 0;
        // As C's functions see it, the text ends at its first zero byte.
        int end = text.IndexOf((byte)0);
        if (end >= 0) text = text[..end];
        text = TrimBlanks(text);
        if (text.IsEmpty) return false;
        bool isNegative = text[0] == '-';
        if (text[0] is (byte)'-' or (byte)'+') text = text[1..];
        if (text.IsEmpty) return false;
        bool isNumber = text.Length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x'
            ? TryParseHexadecimal(text[2..], out number)
            : char.IsAsciiLetter((char)text[0])
                ? TryParseName(text, out number)
                : TryParseDecimal(text, out number);
        if (isNegative) number = -number;
        return isNumber;
    }

    /// <summary>Whether C's isspace takes a byte for a blank.</summary>
    public static bool IsBlank(byte value) => value is (byte)' ' or (>= 9 and <= 13);

    /// <summary>Writes a number as <c>%.{digits}g</c>: scientific where the exponent is below -4 or not below
    /// the number of digits.</summary>
    /// <param name="value">The number.</param>
    /// <param name="digits">Significant digits.</param>
    /// <param name="target">At least <see cref="LengthMax"/> bytes.</param>
    /// <returns>Bytes written.</returns>
    public static int FormatGeneral(double value, int digits, Span<byte> target)
    {
        int size = 0;
        if (double.IsNegative(value)) target[size++] = (byte)'-';
        if (!double.IsFinite(value))
        {
            (double.IsNaN(value) ? "nan"u8 : "inf"u8).CopyTo(target[size..]);
            return size + 3;
        }

        if (value == 0)
        {
            target[size++] = (byte)'0';
            return size;
        }

        Span<byte> scientific = stackalloc byte[LengthMax];
        Math.Abs(value).TryFormat(scientific, out int length, FormatOf(digits), CultureInfo.InvariantCulture);
        int mark = scientific[..length].IndexOf((byte)'E');
        Utf8Parser.TryParse(scientific[(mark + 2)..length], out int exponent, out _);
        if (scientific[mark + 1] == '-') exponent = -exponent;
        Span<byte> figures = stackalloc byte[LengthMax];
        int count = 0;
        foreach (byte figure in scientific[..mark])
            if (figure != '.') figures[count++] = figure;
        while (count > 1 && figures[count - 1] == '0') count--;
        return size + (exponent < -4 || exponent >= digits
            ? WriteScientific(figures[..count], exponent, target[size..])
            : WritePlain(figures[..count], exponent, target[size..]));
    }

    private static string FormatOf(int digits) =>
        digits == 14 ? "E13" : "E" + (digits - 1).ToString(CultureInfo.InvariantCulture);

    private static int WriteScientific(ReadOnlySpan<byte> figures, int exponent, Span<byte> target)
    {
        int size = 0;
        target[size++] = figures[0];
        if (figures.Length > 1)
        {
            target[size++] = (byte)'.';
            figures[1..].CopyTo(target[size..]);
            size += figures.Length - 1;
        }

        target[size++] = (byte)'e';
        target[size++] = exponent < 0 ? (byte)'-' : (byte)'+';
        exponent = Math.Abs(exponent);
        if (exponent < 10) target[size++] = (byte)'0';
        Utf8Formatter.TryFormat(exponent, target[size..], out int written);
        return size + written;
    }

    private static int WritePlain(ReadOnlySpan<byte> figures, int exponent, Span<byte> target)
    {
        int size = 0;
        if (exponent < 0)
        {
            target[size++] = (byte)'0';
            target[size++] = (byte)'.';
            for (int zeros = -1; zeros > exponent; zeros--) target[size++] = (byte)'0';
            figures.CopyTo(target[size..]);
            return size + figures.Length;
        }

        for (int index = 0; index <= exponent || index < figures.Length; index++)
        {
            if (index == exponent + 1) target[size++] = (byte)'.';
            target[size++] = index < figures.Length ? figures[index] : (byte)'0';
        }

        return size;
    }

    private static ReadOnlySpan<byte> TrimBlanks(ReadOnlySpan<byte> text)
    {
        while (text.Length > 0 && IsBlank(text[0])) text = text[1..];
        while (text.Length > 0 && IsBlank(text[^1])) text = text[..^1];
        return text;
    }

    private static bool TryParseDecimal(ReadOnlySpan<byte> text, out double number)
    {
        number = 0;
        bool hasDigits = char.IsAsciiDigit((char)text[0])
            || (text.Length > 1 && text[0] == '.' && char.IsAsciiDigit((char)text[1]));
        if (!hasDigits) return false;
        if (text.Length < 16 && Utf8Parser.TryParse(text, out long integer, out int used)
            && used == text.Length)
        {
            number = integer;
            return true;
        }

        const NumberStyles Styles = NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        return double.TryParse(text, Styles, CultureInfo.InvariantCulture, out number);
    }

    // inf, infinity, nan, nan(figures)
    private static bool TryParseName(ReadOnlySpan<byte> text, out double number)
    {
        number = double.PositiveInfinity;
        if (Ascii.EqualsIgnoreCase(text, "inf"u8) || Ascii.EqualsIgnoreCase(text, "infinity"u8)) return true;
        number = BitConverter.Int64BitsToDouble(0x7FF8L << 48);
        if (text.Length < 3 || !Ascii.EqualsIgnoreCase(text[..3], "nan"u8)) return false;
        text = text[3..];
        if (text.IsEmpty) return true;
        if (text.Length < 2 || text[0] != '(' || text[^1] != ')') return false;
        foreach (byte value in text[1..^1])
            if (!char.IsAsciiLetterOrDigit((char)value) && value != '_') return false;
        return true;
    }

    // Digits, a fraction, and an exponent of two after p, as C99 has it.
    private static bool TryParseHexadecimal(ReadOnlySpan<byte> text, out double number)
    {
        number = 0;
        int digits = 0;
        int scale = 0;
        bool isFraction = false;
        int index = 0;
        for (; index < text.Length; index++)
        {
            if (text[index] == '.' && !isFraction)
            {
                isFraction = true;
                continue;
            }

            if (!char.IsAsciiHexDigit((char)text[index])) break;
            number = number * 16 + Convert.ToInt32(((char)text[index]).ToString(), 16);
            digits++;
            if (isFraction) scale -= 4;
        }

        if (digits == 0) return false;
        if (index < text.Length)
        {
            if ((text[index] | 0x20) != 'p') return false;
            text = text[(index + 1)..];
            if (text.Length > 0 && text[0] == '+') text = text[1..];
            if (!Utf8Parser.TryParse(text, out int exponent, out int used) || used != text.Length)
                return false;
            scale += Math.Clamp(exponent, -100_000, 100_000);
        }

        number = Math.ScaleB(number, scale);
        return true;
    }
}
