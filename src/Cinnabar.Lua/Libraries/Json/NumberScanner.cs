using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Json;

/// <summary>The number that a text begins with, as C's <c>strtod</c> finds it.</summary>
internal static class NumberScanner
{
    /// <summary>Reads a number.</summary>
    /// <param name="text">What begins with it; no spaces in front.</param>
    /// <param name="value">The number.</param>
    /// <returns>How many bytes it has; 0 when there is none.</returns>
    internal static int Scan(ReadOnlySpan<byte> text, out double value)
    {
        const int fewDigits = 15;
        long whole = 0;
        int at = 0;
        while (at < text.Length && at < fewDigits && char.IsAsciiDigit((char)text[at]))
            whole = whole * 10 + (text[at++] - '0');
        value = whole;
        if (at > 0 && (at == text.Length || text[at] is (byte)',' or (byte)']' or (byte)'}')) return at;
        int length = LengthOf(text);
        return length > 0 && NumberText.TryParse(text[..length], out value) ? length : 0;
    }

    private static int LengthOf(ReadOnlySpan<byte> text)
    {
        int at = !text.IsEmpty && text[0] is (byte)'+' or (byte)'-' ? 1 : 0;
        ReadOnlySpan<byte> rest = text[at..];
        if (rest.Length >= 3 && Ascii.EqualsIgnoreCase(rest[..3], "inf"u8))
            return at + (rest.Length >= 8 && Ascii.EqualsIgnoreCase(rest[..8], "infinity"u8) ? 8 : 3);
        if (rest.Length >= 3 && Ascii.EqualsIgnoreCase(rest[..3], "nan"u8)) return at + 3
            + Payload(rest[3..]);
        if (rest.Length >= 2 && rest[0] == '0' && (rest[1] | 0x20) == 'x')
        {
            int digits = Digits(rest[2..], isHex: true, out bool any);
            if (any) return at + 2 + digits + Exponent(rest[(2 + digits)..], 'p');
        }
        int length = Digits(rest, isHex: false, out bool hasDigits);
        return hasDigits ? at + length + Exponent(rest[length..], 'e') : 0;
    }

    // Digits with at most one point.
    private static int Digits(ReadOnlySpan<byte> text, bool isHex, out bool any)
    {
        bool hasPoint = false;
        any = false;
        int at = 0;
        for (; at < text.Length; at++)
        {
            if (isHex ? char.IsAsciiHexDigit((char)text[at]) : char.IsAsciiDigit((char)text[at])) any = true;
            else if (text[at] == '.' && !hasPoint) hasPoint = true;
            else break;
        }
        return at;
    }

    // The letter, a sign and digits; nothing without digits.
    private static int Exponent(ReadOnlySpan<byte> text, char letter)
    {
        if (text.IsEmpty || (text[0] | 0x20) != letter) return 0;
        int start = text.Length > 1 && text[1] is (byte)'+' or (byte)'-' ? 2 : 1;
        int at = start;
        while (at < text.Length && char.IsAsciiDigit((char)text[at])) at++;
        return at > start ? at : 0;
    }

    // Letters, digits and underscores in parentheses.
    private static int Payload(ReadOnlySpan<byte> text)
    {
        if (text.IsEmpty || text[0] != '(') return 0;
        int at = 1;
        while (at < text.Length && (char.IsAsciiLetterOrDigit((char)text[at]) || text[at] == '_')) at++;
        return at < text.Length && text[at] == ')' ? at + 1 : 0;
    }
}
