using System;
using System.Buffers.Binary;
using Cinnabar.Resp;

namespace Cinnabar.Commands.Sorting;

/// <summary>Numbers of 64 bits that stand for what is compared: in the same order, as far as they
/// go.</summary>
internal static class SortKeys
{
    /// <summary>The key of a number that is not NaN; both zeroes have the same.</summary>
    internal static ulong Of(double number)
    {
        // The bits of a positive number are in its order; those of a negative one the other way round.
        long bits = BitConverter.DoubleToInt64Bits(number + 0.0);
        return bits < 0 ? ~(ulong)bits : (ulong)bits | 1UL << 63;
    }

    /// <summary>The key of a text: its first eight bytes. Texts with the same key have to be
    /// compared.</summary>
    internal static ulong Of(ReadOnlySpan<byte> text)
    {
        if (text.Length >= sizeof(ulong))
            return BinaryPrimitives.ReadUInt64BigEndian(text);
        Span<byte> padded = stackalloc byte[sizeof(ulong)];
        padded.Clear();
        text.CopyTo(padded);
        return BinaryPrimitives.ReadUInt64BigEndian(padded);
    }

    /// <summary>
    /// Reads a number as SORT does, which is less strict than other commands: an empty text is 0, and white
    /// space may come first. It goes by C's strtod, so a zero byte ends the text.
    /// </summary>
    internal static bool TryParse(ReadOnlySpan<byte> text, out double number)
    {
        if (RedisNumber.TryParseInt64(text, out long integer))
        {
            number = integer;
            return true;
        }

        int end = text.IndexOf((byte)0);
        if (end >= 0)
            text = text[..end];
        number = 0;
        return text.IsEmpty || RedisNumber.TryParseDouble(text.TrimStart(" \t\n\v\f\r"u8), out number);
    }
}
