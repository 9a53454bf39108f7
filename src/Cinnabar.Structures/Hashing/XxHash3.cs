// XXH3 with 64 bits and no seed, as DIGEST replies it: clients compute the same digest of what they wrote and
// compare.
//
// Short inputs (up to 240 bytes) have formulas of their own by length, all made of 64 x 64 -> 128 bit
// products folded to 64 bits. Long ones go in stripes of 64 bytes through eight accumulators, see
// XxHash3Stripes. The secret is the algorithm's default one; every formula reads it at fixed places.
//
// Why not the runtime's own: it is no part of the runtime, but of a package; and a big string lies in pieces.
//
// Limits: little-endian machines. Source: Y. Collet's specification of xxHash, version 0.8, with its test
// vectors.
using System.Buffers.Binary;

namespace Cinnabar.Structures.Hashing;

/// <summary>XXH3, 64 bits, seed 0.</summary>
public static class XxHash3
{
    /// <summary>The longest input that is not hashed in stripes, in bytes.</summary>
    public const int ShortLengthMax = 240;

    internal const uint Prime32First = 0x9E3779B1;
    internal const uint Prime32Second = 0x85EBCA77;
    internal const uint Prime32Third = 0xC2B2AE3D;
    internal const ulong Prime64First = 0x9E3779B185EBCA87;
    internal const ulong Prime64Second = 0xC2B2AE3D27D4EB4F;
    internal const ulong Prime64Third = 0x165667B19E3779F9;
    internal const ulong Prime64Fourth = 0x85EBCA77C2B2AE63;
    internal const ulong Prime64Fifth = 0x27D4EB2F165667C5;

    private const ulong MixPrimeFirst = 0x165667919E3779F9;
    private const ulong MixPrimeSecond = 0x9FB21C651E98DF25;
    private const int MixSize = 16;

    internal static ReadOnlySpan<byte> Secret =>
    [
        0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
        0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
        0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
        0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
        0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
        0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
        0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
        0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
        0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
        0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
        0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
        0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
    ];

    /// <summary>The hash of bytes that lie together.</summary>
    public static ulong Hash(ReadOnlySpan<byte> data)
    {
        switch (data.Length)
        {
            case 0:
                return FinalAvalanche(SecretAt(56) ^ SecretAt(64));
            case <= 3:
                uint word = ((uint)data[0] << 16) | ((uint)data[data.Length >> 1] << 24) | data[^1]
                    | ((uint)data.Length << 8);
                return FinalAvalanche(word ^ (ulong)((uint)SecretAt(0) ^ (uint)SecretAt(4)));
            case <= 8:
                return HashUpTo8(data);
            case <= 16:
                return HashUpTo16(data);
            case <= 128:
                return HashUpTo128(data);
            case <= ShortLengthMax:
                return HashUpTo240(data);
            default:
                var stripes = new XxHash3Stripes(data.Length);
                stripes.Add(data[..(int)(stripes.CountLeft * XxHash3Stripes.StripeSize)]);
                return stripes.Finish(data[^XxHash3Stripes.StripeSize..]);
        }
    }

    /// <summary>The last step of all but the shortest inputs: spreads every bit over all.</summary>
    internal static ulong Avalanche(ulong hash)
    {
        hash = (hash ^ (hash >> 37)) * MixPrimeFirst;
        return hash ^ (hash >> 32);
    }

    /// <summary>The exclusive or of the halves of a product.</summary>
    internal static ulong Fold(ulong left, ulong right)
    {
        ulong high = Math.BigMul(left, right, out ulong low);
        return high ^ low;
    }

    /// <summary>Eight bytes of the secret.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong SecretAt(int offset) => WordAt(Secret, offset);

    private static ulong WordAt(ReadOnlySpan<byte> bytes, int offset) =>
        MemoryMarshal.Read<ulong>(bytes.Slice(offset, sizeof(ulong)));

    private static ulong FinalAvalanche(ulong hash)
    {
        hash = (hash ^ (hash >> 33)) * Prime64Second;
        hash = (hash ^ (hash >> 29)) * Prime64Third;
        return hash ^ (hash >> 32);
    }

    private static ulong HashUpTo8(ReadOnlySpan<byte> data)
    {
        ulong first = MemoryMarshal.Read<uint>(data);
        ulong last = MemoryMarshal.Read<uint>(data[^sizeof(uint)..]);
        ulong hash = (last + (first << 32)) ^ SecretAt(8) ^ SecretAt(16);
        hash ^= BitOperations.RotateLeft(hash, 49) ^ BitOperations.RotateLeft(hash, 24);
        hash *= MixPrimeSecond;
        hash ^= (hash >> 35) + (ulong)data.Length;
        hash *= MixPrimeSecond;
        return hash ^ (hash >> 28);
    }

    private static ulong HashUpTo16(ReadOnlySpan<byte> data)
    {
        ulong first = WordAt(data, 0) ^ SecretAt(24) ^ SecretAt(32);
        ulong last = WordAt(data, data.Length - sizeof(ulong)) ^ SecretAt(40) ^ SecretAt(48);
        ulong sum = (ulong)data.Length + BinaryPrimitives.ReverseEndianness(first) + last + Fold(first, last);
        return Avalanche(sum);
    }

    private static ulong HashUpTo128(ReadOnlySpan<byte> data)
    {
        ulong sum = (ulong)data.Length * Prime64First;
        int pairCount = (data.Length + 31) / 32;
        for (int pair = 0; pair < pairCount; pair++)
        {
            sum += Mix(data, pair * MixSize, pair * 2 * MixSize);
            sum += Mix(data, data.Length - ((pair + 1) * MixSize), ((pair * 2) + 1) * MixSize);
        }

        return Avalanche(sum);
    }

    private static ulong HashUpTo240(ReadOnlySpan<byte> data)
    {
        const int firstCount = 8;
        const int laterSecretOffset = 3;
        const int lastSecretOffset = 119;
        ulong sum = (ulong)data.Length * Prime64First;
        for (int index = 0; index < firstCount; index++)
            sum += Mix(data, index * MixSize, index * MixSize);
        sum = Avalanche(sum);
        for (int index = firstCount; index < data.Length / MixSize; index++)
            sum += Mix(data, index * MixSize, ((index - firstCount) * MixSize) + laterSecretOffset);
        return Avalanche(sum + Mix(data, data.Length - MixSize, lastSecretOffset));
    }

    private static ulong Mix(ReadOnlySpan<byte> data, int offset, int secretOffset) =>
        Fold(
            WordAt(data, offset) ^ SecretAt(secretOffset),
            WordAt(data, offset + sizeof(ulong)) ^ SecretAt(secretOffset + sizeof(ulong)));
}
