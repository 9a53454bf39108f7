using System;
using System.Buffers.Binary;
using System.Numerics;
using Cinnabar.Structures.Hashing;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures;

public class SipHashTests
{
    private const ulong K0 = 0x0706050403020100;
    private const ulong K1 = 0x0F0E0D0C0B0A0908;

    /// <summary>The byte-wise algorithm of the paper, rounds as parameters.</summary>
    private static ulong Reference(ReadOnlySpan<byte> data, int roundsPerWord, int finalRounds)
    {
        ulong[] v =
        [
            K0 ^ 0x736f6d6570736575, K1 ^ 0x646f72616e646f6d,
            K0 ^ 0x6c7967656e657261, K1 ^ 0x7465646279746573,
        ];
        var padded = new byte[data.Length / 8 * 8 + 8];
        data.CopyTo(padded);
        padded[^1] = (byte)data.Length;
        for (int offset = 0; offset < padded.Length; offset += 8)
        {
            ulong word = BinaryPrimitives.ReadUInt64LittleEndian(padded.AsSpan(offset));
            v[3] ^= word;
            Rounds(v, roundsPerWord);
            v[0] ^= word;
        }

        v[2] ^= 0xFF;
        Rounds(v, finalRounds);
        return v[0] ^ v[1] ^ v[2] ^ v[3];
    }

    private static void Rounds(ulong[] v, int count)
    {
        for (int round = 0; round < count; round++)
        {
            v[0] += v[1];
            v[1] = BitOperations.RotateLeft(v[1], 13) ^ v[0];
            v[0] = BitOperations.RotateLeft(v[0], 32);
            v[2] += v[3];
            v[3] = BitOperations.RotateLeft(v[3], 16) ^ v[2];
            v[0] += v[3];
            v[3] = BitOperations.RotateLeft(v[3], 21) ^ v[0];
            v[2] += v[1];
            v[1] = BitOperations.RotateLeft(v[1], 17) ^ v[2];
            v[2] = BitOperations.RotateLeft(v[2], 32);
        }
    }

    private static byte[] Counting(int length)
    {
        var data = new byte[length];
        for (int index = 0; index < length; index++)
            data[index] = (byte)index;
        return data;
    }

    [Fact]
    public void ReferenceAgreesWithThePaper()
    {
        // Appendix A of the paper: SipHash-2-4 of 00..0E under key 00..0F.
        Assert.Equal(0xA129CA6149BE45E5, Reference(Counting(15), 2, 4));
    }

    [Fact]
    public void EmptyInputGivesThePublishedValue()
    {
        Assert.Equal(0xABAC0158050FC4DC, SipHash.Hash([], new HashSeed(K0, K1)));
    }

    [Fact]
    public void EveryLengthAgreesWithTheReference()
    {
        for (int length = 0; length <= 300; length++)
        {
            byte[] data = Counting(length);
            Assert.Equal(Reference(data, 1, 3), SipHash.Hash(data, new HashSeed(K0, K1)));
        }
    }

    [Fact]
    public void ReadsNothingAroundTheInput()
    {
        for (int length = 0; length <= 40; length++)
        {
            byte[] first = Counting(length + 16);
            byte[] second = Counting(length + 16);
            second.AsSpan(0, 8).Fill(0xEE);
            second.AsSpan(length + 8).Fill(0xEE);
            var seed = new HashSeed(1, 2);
            Assert.Equal(
                SipHash.Hash(first.AsSpan(8, length), seed), SipHash.Hash(second.AsSpan(8, length), seed));
        }
    }

    [Fact]
    public void SeedsDiffer()
    {
        HashSeed first = HashSeed.Random();
        HashSeed second = HashSeed.Random();
        Assert.NotEqual((first.K0, first.K1), (second.K0, second.K1));
        Assert.NotEqual(SipHash.Hash([1], first), SipHash.Hash([1], second));
    }
}
