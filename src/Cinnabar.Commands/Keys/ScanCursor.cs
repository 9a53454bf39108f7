using System;
using System.Globalization;

namespace Cinnabar.Commands.Keys;

/// <summary>The cursors of SCAN as text, read as the C library does it for Redis.</summary>
internal static class ScanCursor
{
    /// <summary>
    /// Reads 64 bits in decimal: a sign may stand before them (minus negates modulo 2^64), nothing at all is
    /// 0.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<byte> text, out ulong cursor)
    {
        cursor = 0;
        if (text.IsEmpty)
            return true;
        bool isNegative = text[0] == '-';
        ReadOnlySpan<byte> digits = text[0] is (byte)'-' or (byte)'+' ? text[1..] : text;
        if (!ulong.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out cursor))
            return false;
        if (isNegative)
            cursor = 0 - cursor;
        return true;
    }
}
