using System;
using Cinnabar.Platform;
using Cinnabar.Structures.Bits;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

public class BitsTests
{
    [Fact]
    public void CountsLikeALoopOverBits() => Seeded.Run(300, seed =>
    {
        var random = new RandomSource(seed);
        byte[] bytes = RandomBytes(ref random, 3000);
        long expected = 0;
        for (long bit = 0; bit < 8L * bytes.Length; bit++) expected += Bit(bytes, bit);
        Assert.Equal(expected, BitCount.Count(bytes));

        long start = (long)random.NextBelow(8UL * (ulong)bytes.Length + 1);
        long end = (long)random.NextBelow(8UL * (ulong)bytes.Length + 1);
        long inRange = 0;
        for (long bit = start; bit < end; bit++) inRange += Bit(bytes, bit);
        Assert.Equal(inRange, BitCount.CountRange(bytes, start, end));
    });

    [Fact]
    public void FindsLikeALoopOverBits() => Seeded.Run(300, seed =>
    {
        var random = new RandomSource(seed);
        byte[] bytes = RandomBytes(ref random, 300);
        for (int round = 0; round < 20; round++)
        {
            long start = (long)random.NextBelow(8UL * (ulong)bytes.Length + 1);
            long end = (long)random.NextBelow(8UL * (ulong)bytes.Length + 1);
            bool isSet = random.NextBelow(2) == 0;
            long expected = start;
            while (expected < end && Bit(bytes, expected) != (isSet ? 1 : 0)) expected++;
            Assert.Equal(expected < end ? expected : -1, BitSearch.FindFirst(bytes, isSet, start, end));
        }
    });

    [Fact]
    public void CombinesLikeALoopOverBits() => Seeded.Run(150, seed =>
    {
        var random = new RandomSource(seed);
        foreach (BitOperator bitOperator in Enum.GetValues<BitOperator>())
        {
            int lengthMax = random.NextBelow(2) == 0 ? 100 : 10_000;
            byte[][] operands = new byte[bitOperator == BitOperator.Not ? 1 : 1 + (int)random.NextBelow(5)][];
            for (int i = 0; i < operands.Length; i++) operands[i] = RandomBytes(ref random, lengthMax);
            var sources = new Pieces(operands, 1 + (int)random.NextBelow((ulong)lengthMax));
            int offset = (int)random.NextBelow((ulong)lengthMax);
            byte[] result = new byte[(int)random.NextBelow((ulong)lengthMax * 2)];
            Array.Fill(result, (byte)0xA5);
            BitCombine.Combine(bitOperator, ref sources, offset, result);
            for (int i = 0; i < result.Length; i++)
            {
                Assert.Equal(Expected(bitOperator, operands, offset + i), result[i]);
            }
        }
    });

    private static int Bit(byte[] bytes, long bit) => (bytes[bit / 8] >> (7 - (int)(bit % 8))) & 1;

    private static byte[] RandomBytes(ref RandomSource random, int lengthMax)
    {
        byte[] bytes = new byte[random.NextBelow((ulong)lengthMax + 1)];
        ulong kind = random.NextBelow(4);
        for (int i = 0; i < bytes.Length; i++)
        {
            bytes[i] = kind switch
            {
                0 => (byte)random.Next(),
                1 => (byte)(random.NextBelow(100) == 0 ? 1 << (int)random.NextBelow(8) : 0),
                2 => (byte)(random.NextBelow(100) == 0 ? ~(1 << (int)random.NextBelow(8)) : 0xFF),
                _ => 0xFF,
            };
        }
        return bytes;
    }

    // By the documented meaning of each operator, a bit at a time.
    private static byte Expected(BitOperator bitOperator, byte[][] operands, int at)
    {
        int result = 0;
        for (int bit = 0; bit < 8; bit++)
        {
            int first = At(operands[0], at, bit);
            int others = 0;
            for (int i = 1; i < operands.Length; i++) others += At(operands[i], at, bit);
            bool isOn = bitOperator switch
            {
                BitOperator.And => first + others == operands.Length,
                BitOperator.Or => first + others > 0,
                BitOperator.Xor => (first + others) % 2 == 1,
                BitOperator.Not => first == 0,
                BitOperator.Diff => first == 1 && others == 0,
                BitOperator.Diff1 => first == 0 && others > 0,
                BitOperator.AndOr => first == 1 && others > 0,
                _ => first + others == 1,
            };
            if (isOn) result |= 1 << bit;
        }
        return (byte)result;
    }

    private static int At(byte[] operand, int at, int bit) =>
        at < operand.Length ? (operand[at] >> bit) & 1 : 0;

    private struct Pieces(byte[][] operands, int pieceSize) : IBitSources
    {
        public readonly int Count => operands.Length;

        public readonly ReadOnlySpan<byte> SpanAt(int sourceIndex, long offset)
        {
            byte[] operand = operands[sourceIndex];
            if (offset >= operand.Length) return default;
            int end = (int)Math.Min((offset / pieceSize + 1) * pieceSize, operand.Length);
            return operand.AsSpan((int)offset, end - (int)offset);
        }
    }
}
