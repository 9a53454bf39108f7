using System;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures;

public sealed class Crc64Tests
{
    // The polynomial of Jones, reflected.
    private const ulong Polynomial = 0x95AC9329AC4BC9B5;

    [Fact]
    public void TheCheckValueIsThatOfRedis()
    {
        Assert.Equal(0xE9C6D914C4B8D9CAUL, Crc64.Append(0, "123456789"u8));
        Assert.Equal(0UL, Crc64.Append(0, default));
        Assert.Equal(5UL, Crc64.Append(5, default));
    }

    [Fact]
    public void AllLengthsAgreeWithTheDefinition()
    {
        var random = new RandomSource(Seeded.Seed());
        byte[] bytes = new byte[1000];
        foreach (ref byte part in bytes.AsSpan())
            part = (byte)random.Next();
        ulong start = random.Next();
        ulong expected = start;
        for (int length = 0; length <= bytes.Length; length++)
        {
            Assert.Equal(expected, Crc64.Append(start, bytes.AsSpan(0, length)));
            Assert.Equal(expected, Crc64.AppendByTable(start, bytes.AsSpan(0, length)));
            if (length < bytes.Length)
                expected = Next(expected, bytes[length]);
        }
    }

    [Fact]
    public void TheTableAndFoldingAgreeOnAnyPieces() => Seeded.Run(200, seed =>
    {
        var random = new RandomSource(seed);
        byte[] bytes = new byte[random.NextBelow(20_000)];
        foreach (ref byte part in bytes.AsSpan())
            part = (byte)random.Next();
        ulong crc = 0;
        for (int offset = 0; offset < bytes.Length;)
        {
            int length = Math.Min(1 + (int)random.NextBelow(3_000), bytes.Length - offset);
            crc = Crc64.Append(crc, bytes.AsSpan(offset, length));
            offset += length;
        }

        Assert.Equal(Crc64.AppendByTable(0, bytes), crc);
    });

    private static ulong Next(ulong crc, byte value)
    {
        crc ^= value;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? Polynomial : 0);
        return crc;
    }
}
