// Counts bits that are set, as BITCOUNT does.
//
// x86 with AVX2: each byte's halves index a table of 16 counts that lies in a register (vpshufb). Byte counts
// are added up for 31 vectors, the most that cannot overflow a byte (31 * 8 = 248), before they are widened;
// the popcnt instruction, which takes 8 bytes, is kept for what is left and for small strings. Arm: its
// byte-wise count instruction, added up the same way. Elsewhere BitOperations counts 8 bytes at a time.
// Source: W. Mula, N. Kurz, D. Lemire, "Faster Population Counts Using AVX2 Instructions", 2018.
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;

namespace Cinnabar.Structures.Bits;

/// <summary>BITCOUNT on spans. Bit 0 is the highest bit of byte 0.</summary>
public static class BitCount
{
    private const int VectorsPerWideningMax = 31;

    /// <summary>How many bits are set.</summary>
    public static long Count(ReadOnlySpan<byte> bytes)
    {
        long count = 0;
        if (Avx2.IsSupported && bytes.Length >= 8 * Vector256<byte>.Count)
        {
            count = CountAvx2(ref bytes);
        }
        else if (AdvSimd.Arm64.IsSupported && bytes.Length >= 4 * Vector128<byte>.Count)
        {
            count = CountArm(ref bytes);
        }
        return count + CountWords(bytes);
    }

    /// <summary>How many bits are set from one bit up to, but without, another.</summary>
    /// <param name="bytes">What to look at.</param>
    /// <param name="startBit">0 to 8 * length.</param>
    /// <param name="endBit">0 to 8 * length; not above the start counts 0.</param>
    public static long CountRange(ReadOnlySpan<byte> bytes, long startBit, long endBit)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(startBit);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(endBit, 8L * bytes.Length);
        if (endBit <= startBit) return 0;
        int first = (int)(startBit / 8);
        int last = (int)((endBit - 1) / 8);
        int firstMask = 0xFF >> (int)(startBit % 8);
        int lastMask = 0xFF << (7 - (int)((endBit - 1) % 8));
        if (first == last) return BitOperations.PopCount((uint)(bytes[first] & firstMask & lastMask));
        return BitOperations.PopCount((uint)(bytes[first] & firstMask))
            + Count(bytes[(first + 1)..last])
            + BitOperations.PopCount((uint)(bytes[last] & lastMask & 0xFF));
    }

    private static long CountWords(ReadOnlySpan<byte> bytes)
    {
        long count = 0;
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes);
        int index = 0;
        for (; index + 3 < words.Length; index += 4)
        {
            count += BitOperations.PopCount(words[index]) + BitOperations.PopCount(words[index + 1])
                + BitOperations.PopCount(words[index + 2]) + BitOperations.PopCount(words[index + 3]);
        }
        for (; index < words.Length; index++)
        {
            count += BitOperations.PopCount(words[index]);
        }
        foreach (byte single in bytes[(words.Length * sizeof(ulong))..])
        {
            count += BitOperations.PopCount(single);
        }
        return count;
    }

    // Counts the whole vectors and leaves the rest in the span.
    private static long CountAvx2(ref ReadOnlySpan<byte> bytes)
    {
        Vector256<byte> table = Vector256.Create(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, (byte)4);
        Vector256<byte> lowHalf = Vector256.Create((byte)0x0F);
        Vector256<ulong> total = Vector256<ulong>.Zero;
        ReadOnlySpan<Vector256<byte>> vectors = MemoryMarshal.Cast<byte, Vector256<byte>>(bytes);
        int index = 0;
        while (index < vectors.Length)
        {
            int end = Math.Min(index + VectorsPerWideningMax, vectors.Length);
            Vector256<byte> counts = Vector256<byte>.Zero;
            for (; index < end; index++)
            {
                Vector256<byte> vector = vectors[index];
                Vector256<byte> high = (vector.AsUInt16() >>> 4).AsByte() & lowHalf;
                counts += Avx2.Shuffle(table, vector & lowHalf) + Avx2.Shuffle(table, high);
            }
            total += Avx2.SumAbsoluteDifferences(counts, Vector256<byte>.Zero).AsUInt64();
        }
        bytes = bytes[(vectors.Length * Vector256<byte>.Count)..];
        return (long)Vector256.Sum(total);
    }

    private static long CountArm(ref ReadOnlySpan<byte> bytes)
    {
        long total = 0;
        ReadOnlySpan<Vector128<byte>> vectors = MemoryMarshal.Cast<byte, Vector128<byte>>(bytes);
        int index = 0;
        while (index < vectors.Length)
        {
            int end = Math.Min(index + VectorsPerWideningMax, vectors.Length);
            Vector128<byte> counts = Vector128<byte>.Zero;
            for (; index < end; index++)
            {
                counts += AdvSimd.PopCount(vectors[index]);
            }
            total += AdvSimd.Arm64.AddAcrossWidening(counts).ToScalar();
        }
        bytes = bytes[(vectors.Length * Vector128<byte>.Count)..];
        return total;
    }
}
