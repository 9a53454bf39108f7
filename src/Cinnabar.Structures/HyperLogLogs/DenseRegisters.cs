// 16,384 registers of 6 bits: register i has the bits 6 i to 6 i + 5, counted from the low bit of byte 0.
//
// One register at a time, they are part of two neighbouring bytes. All at a time they are unpacked to a byte
// each: 12 bytes are spread over four words of 32 bits, three bytes a word, and in each word four registers
// are moved to their bytes by shifts and masks. Packing goes the other way.
using System.Runtime.Intrinsics;

namespace Cinnabar.Structures.HyperLogLogs;

/// <summary>Registers of 6 bits, packed.</summary>
internal static class DenseRegisters
{
    /// <summary>Bytes of all registers.</summary>
    internal const int Size = HyperLogLog.RegisterCount * Bits / 8;

    private const int Bits = 6;
    private const int Mask = (1 << Bits) - 1;
    private const int PackedPerVector = 12;
    private const int RegistersPerVector = 16;
    private const int RegistersPerChunk = 4096;

    /// <summary>The value of a register.</summary>
    internal static int Get(ReadOnlySpan<byte> packed, int register)
    {
        int bit = register * Bits;
        int at = bit >> 3;
        // The last register lies in the last byte alone.
        int word = packed[at] | (at + 1 < packed.Length ? packed[at + 1] << 8 : 0);
        return word >> (bit & 7) & Mask;
    }

    /// <summary>Changes a register.</summary>
    internal static void Set(Span<byte> packed, int register, int value)
    {
        int bit = register * Bits;
        int at = bit >> 3;
        int shift = bit & 7;
        packed[at] = (byte)(packed[at] & ~(Mask << shift) | value << shift);
        if (shift > 8 - Bits)
            packed[at + 1] = (byte)(packed[at + 1] & ~(Mask >> (8 - shift)) | value >> (8 - shift));
    }

    /// <summary>Adds to a histogram of the values.</summary>
    internal static void CountInto(ReadOnlySpan<byte> packed, Span<int> histogram)
    {
        Span<byte> registers = stackalloc byte[RegistersPerChunk];
        for (int start = 0; start < HyperLogLog.RegisterCount; start += RegistersPerChunk)
        {
            registers.Clear();
            MergeInto(packed.Slice(start * Bits / 8, RegistersPerChunk * Bits / 8), registers);
            RegisterHistogram.CountInto(registers, histogram);
        }
    }

    /// <summary>Raises registers of a byte each to the values of packed ones.</summary>
    /// <param name="packed">6 bits for each of the registers; a multiple of 12 bytes.</param>
    /// <param name="registers">A multiple of 16.</param>
    internal static void MergeInto(ReadOnlySpan<byte> packed, Span<byte> registers)
    {
        Debug.Assert(packed.Length * 8 == registers.Length * Bits && packed.Length % PackedPerVector == 0);
        Span<byte> last = stackalloc byte[Vector128<byte>.Count];
        while (registers.Length > 0)
        {
            // A vector reads four bytes more than it needs: the last ones from a copy.
            scoped ReadOnlySpan<byte> source = packed;
            if (packed.Length < Vector128<byte>.Count)
            {
                last.Clear();
                packed.CopyTo(last);
                source = last;
            }
            Vector128<byte> values = Unpack(Vector128.Create(source));
            Vector128.Max(values, Vector128.Create<byte>(registers)).CopyTo(registers);
            packed = packed[PackedPerVector..];
            registers = registers[RegistersPerVector..];
        }
    }

    /// <summary>Packs registers of a byte each.</summary>
    /// <param name="registers">A multiple of 16.</param>
    /// <param name="packed">6 bits for each of the registers.</param>
    internal static void Pack(ReadOnlySpan<byte> registers, Span<byte> packed)
    {
        Span<byte> vector = stackalloc byte[Vector128<byte>.Count];
        for (; registers.Length > 0; registers = registers[RegistersPerVector..])
        {
            Pack(Vector128.Create(registers)).CopyTo(vector);
            vector[..PackedPerVector].CopyTo(packed);
            packed = packed[PackedPerVector..];
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<byte> Unpack(Vector128<byte> packed)
    {
        Vector128<uint> words = Vector128.Shuffle(
            packed,
            Vector128.Create((byte)0, 1, 2, 255, 3, 4, 5, 255, 6, 7, 8, 255, 9, 10, 11, 255)).AsUInt32();
        return (words & Vector128.Create((uint)Mask)
            | words << 2 & Vector128.Create((uint)Mask << 8)
            | words << 4 & Vector128.Create((uint)Mask << 16)
            | words << 6 & Vector128.Create((uint)Mask << 24)).AsByte();
    }

    private static Vector128<byte> Pack(Vector128<byte> registers)
    {
        Vector128<uint> words = registers.AsUInt32();
        Vector128<uint> packed = words & Vector128.Create((uint)Mask)
            | words >> 2 & Vector128.Create((uint)Mask << 6)
            | words >> 4 & Vector128.Create((uint)Mask << 12)
            | words >> 6 & Vector128.Create((uint)Mask << 18);
        return Vector128.Shuffle(
            packed.AsByte(),
            Vector128.Create((byte)0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 255, 255, 255, 255));
    }
}
