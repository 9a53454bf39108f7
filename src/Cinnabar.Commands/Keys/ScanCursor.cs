namespace Cinnabar.Commands.Keys;

/// <summary>The cursors of SCAN as text, read as Redis 8 reads them.</summary>
internal static class ScanCursor
{
    /// <summary>
    /// Reads 64 bits in decimal. What 64 bits with a sign can express must not be negative; the rest is read
    /// as the C library does it: white space and a sign may stand before it (minus negates modulo 2^64).
    /// </summary>
    public static bool TryParse(ReadOnlySpan<byte> text, out ulong cursor)
    {
        cursor = 0;
        if (RedisNumber.TryParseInt64(text, out long number) && number < 0)
            return false;
        text = text.TrimStart(" \t\n\v\f\r"u8);
        if (text.IsEmpty)
            return false;
        bool isNegative = text[0] == '-';
        ReadOnlySpan<byte> digits = text[0] is (byte)'-' or (byte)'+' ? text[1..] : text;
        if (!ulong.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out cursor))
            return false;
        if (isNegative)
            cursor = 0 - cursor;
        return true;
    }
}
