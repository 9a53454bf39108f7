// Finds the first bit that is set, or clear, as BITPOS does: bytes in which no such bit can be are skipped by
// the runtime's vectorised search, the first other one is looked at bit by bit (by counting its leading
// zeroes).

namespace Cinnabar.Structures.Bits;

/// <summary>BITPOS on spans. Bit 0 is the highest bit of byte 0.</summary>
public static class BitSearch
{
    /// <summary>The first bit with a value, from one bit up to, but without, another.</summary>
    /// <param name="bytes">Where to look.</param>
    /// <param name="isSet">Which value.</param>
    /// <param name="startBit">0 to 8 * length.</param>
    /// <param name="endBit">0 to 8 * length; not above the start finds nothing.</param>
    /// <returns>Its position from the first bit of the span, or -1.</returns>
    public static long FindFirst(ReadOnlySpan<byte> bytes, bool isSet, long startBit, long endBit)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(startBit);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(endBit, 8L * bytes.Length);
        if (endBit <= startBit) return -1;
        // Turned so that the bit wanted is always a set one.
        int turned = isSet ? 0x00 : 0xFF;
        int index = (int)(startBit / 8);
        int candidates = (bytes[index] ^ turned) & (0xFF >> (int)(startBit % 8));
        if (candidates == 0)
        {
            ReadOnlySpan<byte> rest = bytes[(index + 1)..(int)((endBit + 7) / 8)];
            int skipped = rest.IndexOfAnyExcept((byte)turned);
            if (skipped < 0) return -1;
            index += 1 + skipped;
            candidates = bytes[index] ^ turned;
        }
        long found = 8L * index + BitOperations.LeadingZeroCount((uint)candidates) - 24;
        return found < endBit ? found : -1;
    }

    /// <summary>The first bit with a value at or after a bit, or -1.</summary>
    public static long FindFirst(ReadOnlySpan<byte> bytes, bool isSet, long startBit = 0) =>
        FindFirst(bytes, isSet, startBit, 8L * bytes.Length);
}
