namespace Cinnabar.Structures.Trees;

// SAFETY: a writer has made room for Size bytes; a reader reads what was written.
/// <summary>Numbers in seven bits a byte, the low ones first; the last byte's top bit is clear.</summary>
internal static unsafe class Varint
{
    /// <summary>Bytes of a number, 1 to 5.</summary>
    internal static int Size(uint value) => (BitOperations.Log2(value | 1) * 37 >> 8) + 1;

    /// <summary>Writes a number; returns where it ends.</summary>
    internal static byte* Write(byte* at, uint value)
    {
        for (; value >= 0x80; value >>= 7) *at++ = (byte)(value | 0x80);
        *at++ = (byte)value;
        return at;
    }

    /// <summary>Reads a number; returns where it ends.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* Read(byte* at, out uint value)
    {
        value = *at;
        return value < 0x80 ? at + 1 : ReadLong(at, out value);
    }

    private static byte* ReadLong(byte* at, out uint value)
    {
        value = 0;
        for (int shift = 0; ; shift += 7)
        {
            value |= (uint)(*at & 0x7F) << shift;
            if (*at++ < 0x80) return at;
        }
    }
}
