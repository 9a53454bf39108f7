using System.Numerics;

namespace Cinnabar.Structures.Hashing;

/// <summary>
/// A hash for the tables of one command, which have few texts: of a text's length and its first, middle and
/// last 8 bytes. Texts that agree in all of these get the same one, so a table that a client may fill is
/// bounded.
/// </summary>
public static class SampledHash
{
    private const ulong Factor = 0x9E37_79B9_7F4A_7C15;

    /// <summary>The hash of a text; its highest bits are the best.</summary>
    public static ulong Of(ReadOnlySpan<byte> text)
    {
        ulong sum = (ulong)text.Length;
        if (text.Length >= sizeof(ulong))
        {
            sum += BitOperations.RotateLeft(BitConverter.ToUInt64(text), 29);
            sum = (sum * Factor) ^ BitConverter.ToUInt64(text[(text.Length / 2 - sizeof(uint))..]);
            sum = BitOperations.RotateLeft(sum, 17) ^ BitConverter.ToUInt64(text[^sizeof(ulong)..]);
        }
        else
        {
            foreach (byte value in text) sum = sum << 8 | value;
        }

        sum *= Factor;
        return (sum ^ sum >> 32) * Factor;
    }
}
