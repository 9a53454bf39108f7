using System.Buffers.Binary;

namespace Cinnabar.Engine.Specs;

/// <summary>Arithmetic on names in lower case: A-Z become a-z, every other byte stays what it is.</summary>
internal static class NameFold
{
    /// <summary>The bytes that a head holds.</summary>
    public const int HeadSize = 8;

    private const ulong EveryHighBit = 0x8080_8080_8080_8080;
    private const ulong EveryByte = 0x0101_0101_0101_0101;

    /// <summary>One byte in lower case.</summary>
    public static byte Fold(byte c) => (uint)(c - 'A') <= 'Z' - 'A' ? (byte)(c | 0x20) : c;

    /// <summary>The first eight bytes in lower case, little-endian, filled up with zeros.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Head(ReadOnlySpan<byte> name)
    {
        if (name.Length >= HeadSize) return Fold(BinaryPrimitives.ReadUInt64LittleEndian(name));
        if (name.Length >= 4)
        {
            // Two halves that overlap give the same bits twice.
            ulong low = BinaryPrimitives.ReadUInt32LittleEndian(name);
            ulong high = BinaryPrimitives.ReadUInt32LittleEndian(name[^4..]);
            return Fold(low | (high << ((name.Length - 4) * 8)));
        }

        ulong head = 0;
        for (int i = 0; i < name.Length; i++) head |= (ulong)name[i] << (i * 8);
        return Fold(head);
    }

    /// <summary>Where a search starts in a table of 2^(64 - shift) slots.</summary>
    public static int Bucket(ulong head, int length, int shift) =>
        (int)(((head + (uint)length) * 0x9E37_79B9_7F4A_7C15) >> shift);

    /// <summary>Whether a name equals a folded one of its length behind the head.</summary>
    public static bool EqualRest(ReadOnlySpan<byte> name, ReadOnlySpan<byte> folded)
    {
        for (int i = HeadSize; i < name.Length; i++)
        {
            if (Fold(name[i]) != folded[i]) return false;
        }

        return true;
    }

    /// <summary>Eight bytes at once: bit 5 is set in each byte from A to Z.</summary>
    private static ulong Fold(ulong word)
    {
        ulong low = word & ~EveryHighBit;
        ulong fromA = low + (EveryByte * (0x80 - 'A'));
        ulong beyondZ = low + (EveryByte * (0x7F - 'Z'));
        return word | (((fromA ^ beyondZ) & ~word & EveryHighBit) >> 2);
    }
}
