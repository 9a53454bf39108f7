namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>One directive of <c>string.format</c> and what C's <c>printf</c> does with it.</summary>
internal struct CFormat
{
    /// <summary>No directive's text is longer, in bytes: a number of 309 digits with 99 behind the
    /// point.</summary>
    internal const int LengthMax = 512;

    private const int NoPrecision = -1;
    private const int FlagsMax = 5;

    internal bool Left, Plus, Space, Alternate, Zero;
    internal int Width, Precision;

    /// <summary>Whether a precision was given.</summary>
    internal readonly bool HasPrecision => Precision != NoPrecision;

    /// <summary>Reads flags, width and precision behind a percent sign.</summary>
    /// <param name="text">What follows the percent sign.</param>
    /// <param name="format">What was read.</param>
    /// <param name="mistake">What is wrong with it, else null.</param>
    /// <returns>The place of the conversion's letter.</returns>
    internal static int Read(ReadOnlySpan<byte> text, out CFormat format, out string? mistake)
    {
        format = new CFormat { Precision = NoPrecision };
        mistake = null;
        int at = 0;
        while (at < text.Length && format.TakeFlag(text[at])) at++;
        if (at > FlagsMax) mistake = "invalid format (repeated flags)";
        at += ReadNumber(text[at..], ref format.Width);
        if (at < text.Length && text[at] == '.')
        {
            format.Precision = 0;
            at++;
            at += ReadNumber(text[at..], ref format.Precision);
        }
        if (mistake is null && at < text.Length && char.IsAsciiDigit((char)text[at]))
            mistake = "invalid format (width or precision too long)";
        return at;
    }

    // At most two digits.
    private static int ReadNumber(ReadOnlySpan<byte> text, ref int number)
    {
        int at = 0;
        for (; at < 2 && at < text.Length && char.IsAsciiDigit((char)text[at]); at++)
            number = number * 10 + (text[at] - '0');
        return at;
    }

    private bool TakeFlag(byte letter)
    {
        switch (letter)
        {
            case (byte)'-': return Left = true;
            case (byte)'+': return Plus = true;
            case (byte)' ': return Space = true;
            case (byte)'#': return Alternate = true;
            case (byte)'0': return Zero = true;
            default: return false;
        }
    }

    /// <summary>Writes one byte with a width.</summary>
    internal readonly int WriteByte(byte value, Span<byte> target) =>
        Pad([], new ReadOnlySpan<byte>(in value), zeroAllowed: false, target);

    /// <summary>Writes text with a precision and a width.</summary>
    internal readonly int WriteText(ReadOnlySpan<byte> text, Span<byte> target)
    {
        if (HasPrecision && text.Length > Precision) text = text[..Precision];
        return Pad([], text, zeroAllowed: false, target);
    }

    /// <summary>Writes an integer: <c>%d</c> and <c>%i</c>.</summary>
    internal readonly int WriteSigned(long value, Span<byte> target)
    {
        Span<byte> digits = stackalloc byte[128];
        int count = WriteDigits(value < 0 ? 0UL - (ulong)value : (ulong)value, 10, upper: false, digits);
        return Pad(Sign(value < 0), digits[..count], !HasPrecision, target);
    }

    /// <summary>Writes an integer without a sign: <c>%u %o %x %X</c>.</summary>
    internal readonly int WriteUnsigned(ulong value, byte conversion, Span<byte> target)
    {
        Span<byte> digits = stackalloc byte[128];
        uint radix = conversion switch { (byte)'u' => 10, (byte)'o' => 8, _ => 16 };
        int count = WriteDigits(value, radix, conversion == 'X', digits);
        ReadOnlySpan<byte> prefix = default;
        if (Alternate && radix == 16 && value != 0) prefix = conversion == 'x' ? "0x"u8 : "0X"u8;
        if (Alternate && radix == 8 && (count == 0 || digits[0] != '0'))
        {
            digits[..count].CopyTo(digits[1..]);
            digits[0] = (byte)'0';
            count++;
        }
        return Pad(prefix, digits[..count], !HasPrecision, target);
    }

    private readonly ReadOnlySpan<byte> Sign(bool negative) =>
        negative ? "-"u8 : Plus ? "+"u8 : Space ? " "u8 : default;

    // The digits, with as many zeros in front as the precision asks for.
    private readonly int WriteDigits(ulong value, uint radix, bool upper, Span<byte> digits)
    {
        Span<byte> backwards = stackalloc byte[32];
        int count = 0;
        for (; value != 0; value /= radix)
        {
            int digit = (int)(value % radix);
            backwards[count++] = (byte)(digit < 10 ? '0' + digit : (upper ? 'A' : 'a') + digit - 10);
        }
        int zeros = Math.Max(0, (HasPrecision ? Precision : 1) - count);
        digits[..zeros].Fill((byte)'0');
        for (int i = 0; i < count; i++) digits[zeros + i] = backwards[count - 1 - i];
        return zeros + count;
    }

    /// <summary>Writes a number with a fraction: <c>%e %E %f %g %G</c>.</summary>
    internal readonly int WriteReal(double value, byte conversion, Span<byte> target)
    {
        bool negative = double.IsNegative(value);
        bool upper = conversion is (byte)'E' or (byte)'G';
        if (!double.IsFinite(value))
        {
            ReadOnlySpan<byte> name = double.IsNaN(value)
                ? upper ? "NAN"u8 : "nan"u8
                : upper ? "INF"u8 : "inf"u8;
            return Pad(Sign(negative), name, zeroAllowed: false, target);
        }
        Span<byte> body = stackalloc byte[LengthMax];
        int precision = HasPrecision ? Precision : 6;
        int length = (conversion | 0x20) switch
        {
            'f' => RealText.Fixed(Math.Abs(value), precision, Alternate, body),
            'e' => RealText.Scientific(Math.Abs(value), precision, Alternate, body),
            _ => RealText.General(Math.Abs(value), precision, Alternate, body),
        };
        if (upper)
        {
            int at = body[..length].IndexOf((byte)'e');
            if (at >= 0) body[at] = (byte)'E';
        }
        return Pad(Sign(negative), body[..length], zeroAllowed: true, target);
    }

    private readonly int Pad(
        ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> body, bool zeroAllowed, Span<byte> target)
    {
        int fill = Math.Max(0, Width - prefix.Length - body.Length);
        bool zeros = Zero && zeroAllowed && !Left;
        int used = 0;
        if (!Left && !zeros)
        {
            target[..fill].Fill((byte)' ');
            used = fill;
        }
        prefix.CopyTo(target[used..]);
        used += prefix.Length;
        if (zeros)
        {
            target.Slice(used, fill).Fill((byte)'0');
            used += fill;
        }
        body.CopyTo(target[used..]);
        used += body.Length;
        if (!Left) return used;
        target.Slice(used, fill).Fill((byte)' ');
        return used + fill;
    }
}
