using System.Buffers.Binary;

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

    /// <summary>Reads a number as SORT does; see <see cref="RedisNumber.TryParseWeight"/>.</summary>
    internal static bool TryParse(ReadOnlySpan<byte> text, out double number)
    {
        if (!RedisNumber.TryParseInt64(text, out long integer))
            return RedisNumber.TryParseWeight(text, out number);
        number = integer;
        return true;
    }
}
