// SipHash-1-3: a keyed hash of a short byte string (Aumasson and Bernstein, "SipHash: a fast short-input
// PRF", 2012). One round a word of input and three to finish, the variant that hash tables use (Rust, Python,
// Ruby): the published attacks on it are far from predicting collisions, and it costs half of SipHash-2-4.
//
// Why a keyed hash at all: keys come from strangers. With an unkeyed hash they could be chosen to fall into
// one segment, which would then split until memory ends. Why not something faster that is also keyed (AES
// rounds, wide multiplications): none of them is both portable and known to resist, and 16 bytes cost about 7
// ns here.
//
// Layout of the input: little-endian words of 8 bytes; the last word holds the remaining 0..7 bytes and, in
// its top byte, the length modulo 256. The tail is read with overlapping loads instead of a loop over bytes.
//
// Limits: byte order of the machine must be little-endian (every platform of .NET 10 that we serve is).

using System.Runtime.Intrinsics;

namespace Cinnabar.Structures.Hashing;

/// <summary>SipHash-1-3 over byte strings.</summary>
public static class SipHash
{
    /// <summary>How many strings <see cref="HashLanes"/> hashes.</summary>
    public const int LaneCount = 4;

    private const int WordSize = sizeof(ulong);

    /// <summary>The 64-bit hash of <paramref name="data"/> under <paramref name="seed"/>.</summary>
    public static ulong Hash(ReadOnlySpan<byte> data, in HashSeed seed)
    {
        ulong v0 = seed.K0 ^ 0x736f6d6570736575UL;
        ulong v1 = seed.K1 ^ 0x646f72616e646f6dUL;
        ulong v2 = seed.K0 ^ 0x6c7967656e657261UL;
        ulong v3 = seed.K1 ^ 0x7465646279746573UL;

        ref byte start = ref MemoryMarshal.GetReference(data);
        nuint wordsEnd = (nuint)(uint)data.Length & ~(nuint)7;
        for (nuint offset = 0; offset < wordsEnd; offset += 8)
        {
            ulong word = Unsafe.ReadUnaligned<ulong>(ref Unsafe.AddByteOffset(ref start, offset));
            v3 ^= word;
            Round(ref v0, ref v1, ref v2, ref v3);
            v0 ^= word;
        }

        ulong last = Tail(ref start, data.Length) | (ulong)(uint)data.Length << 56;
        v3 ^= last;
        Round(ref v0, ref v1, ref v2, ref v3);
        v0 ^= last;
        v2 ^= 0xFF;
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        return v0 ^ v1 ^ v2 ^ v3;
    }

    /// <summary>The hashes of <see cref="LaneCount"/> byte strings of one length, side by side where the
    /// processor has vectors of four words.</summary>
    /// <param name="data">Their first bytes.</param>
    /// <param name="length">The length of each.</param>
    /// <param name="seed">The seed.</param>
    /// <param name="hashes">Receives the hashes.</param>
    // SAFETY: as Hash; every load lies within a string.
    public static unsafe void HashLanes(byte** data, int length, in HashSeed seed, ulong* hashes)
    {
        if (!Vector256.IsHardwareAccelerated)
        {
            for (int index = 0; index < LaneCount; index++)
                hashes[index] = Hash(new ReadOnlySpan<byte>(data[index], length), in seed);
            return;
        }

        Vector256<ulong> v0 = Vector256.Create(seed.K0 ^ 0x736f6d6570736575UL);
        Vector256<ulong> v1 = Vector256.Create(seed.K1 ^ 0x646f72616e646f6dUL);
        Vector256<ulong> v2 = Vector256.Create(seed.K0 ^ 0x6c7967656e657261UL);
        Vector256<ulong> v3 = Vector256.Create(seed.K1 ^ 0x7465646279746573UL);
        int wordsEnd = length & -WordSize;
        for (int offset = 0; offset < wordsEnd; offset += WordSize)
        {
            Vector256<ulong> words = Words(data, offset);
            v3 ^= words;
            Round(ref v0, ref v1, ref v2, ref v3);
            v0 ^= words;
        }

        Vector256<ulong> last = Tails(data, length) | Vector256.Create((ulong)(uint)length << 56);
        v3 ^= last;
        Round(ref v0, ref v1, ref v2, ref v3);
        v0 ^= last;
        v2 ^= Vector256.Create(0xFFUL);
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        (v0 ^ v1 ^ v2 ^ v3).Store(hashes);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe Vector256<ulong> Words(byte** data, int offset) => Vector256.Create(
        Unsafe.ReadUnaligned<ulong>(data[0] + offset), Unsafe.ReadUnaligned<ulong>(data[1] + offset),
        Unsafe.ReadUnaligned<ulong>(data[2] + offset), Unsafe.ReadUnaligned<ulong>(data[3] + offset));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe Vector256<ulong> Tails(byte** data, int length)
    {
        int rest = length & (WordSize - 1);
        if (rest == 0)
            return Vector256<ulong>.Zero;
        if (length > WordSize)
            return Words(data, length - WordSize) >> (64 - (8 * rest));
        return Vector256.Create(Tail(ref *data[0], length), Tail(ref *data[1], length),
            Tail(ref *data[2], length), Tail(ref *data[3], length));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Round(ref Vector256<ulong> v0, ref Vector256<ulong> v1, ref Vector256<ulong> v2,
        ref Vector256<ulong> v3)
    {
        v0 += v1;
        v2 += v3;
        v1 = (v1 << 13 | v1 >> 51) ^ v0;
        v3 = (v3 << 16 | v3 >> 48) ^ v2;
        v0 = SwapHalves(v0);
        v2 += v1;
        v0 += v3;
        v1 = (v1 << 17 | v1 >> 47) ^ v2;
        v3 = (v3 << 21 | v3 >> 43) ^ v0;
        v2 = SwapHalves(v2);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector256<ulong> SwapHalves(Vector256<ulong> words) =>
        Vector256.Shuffle(words.AsUInt32(), Vector256.Create(1u, 0, 3, 2, 5, 4, 7, 6)).AsUInt64();

    /// <summary>The last 0..7 bytes as a little-endian number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Tail(ref byte start, int length)
    {
        // SAFETY: every load below lies within [start, start + length): the overlapping loads are only made
        // when that many bytes exist.
        int rest = length & 7;
        if (rest == 0)
            return 0;
        if (length > 8)
        {
            ulong word = Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref start, length - 8));
            return word >> (64 - 8 * rest);
        }

        if (rest >= 4)
        {
            ulong low = Unsafe.ReadUnaligned<uint>(ref start);
            ulong high = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref start, rest - 4));
            return low | high << (8 * (rest - 4));
        }

        ulong first = start;
        ulong middle = Unsafe.Add(ref start, rest >> 1);
        ulong final = Unsafe.Add(ref start, rest - 1);
        return first | middle << (8 * (rest >> 1)) | final << (8 * (rest - 1));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Round(ref ulong v0, ref ulong v1, ref ulong v2, ref ulong v3)
    {
        v0 += v1;
        v2 += v3;
        v1 = BitOperations.RotateLeft(v1, 13) ^ v0;
        v3 = BitOperations.RotateLeft(v3, 16) ^ v2;
        v0 = BitOperations.RotateLeft(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = BitOperations.RotateLeft(v1, 17) ^ v2;
        v3 = BitOperations.RotateLeft(v3, 21) ^ v0;
        v2 = BitOperations.RotateLeft(v2, 32);
    }
}
