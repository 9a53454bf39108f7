using System;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Structures.Compression;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

public class LzfProperties
{
    private const int GuardSize = 64;

    [Fact]
    public void CompressedBytesExpandToTheSame() => Seeded.Run(300, seed =>
    {
        var random = new RandomSource(seed);
        byte[] block = new byte[random.NextBelow(40_000)];
        int kinds = 1 + (int)random.NextBelow(255);
        int runMax = 1 + (int)random.NextBelow(600);
        for (int position = 0; position < block.Length;)
        {
            int run = Math.Min(1 + (int)random.NextBelow((ulong)runMax), block.Length - position);
            bool isCopy = position > 0 && random.NextBelow(3) == 0;
            int from = isCopy ? (int)random.NextBelow((ulong)position) : 0;
            for (; run > 0; run--, position++, from++)
                block[position] = isCopy ? block[from] : (byte)random.NextBelow((ulong)kinds);
        }

        byte[] compressed = new byte[block.Length + block.Length / 32 + 1];
        int size = Lzf.Compress(block, compressed);
        Assert.True(size > 0 || block.Length == 0);
        byte[] expanded = new byte[block.Length];
        Assert.True(Lzf.TryExpand(compressed.AsSpan(0, size), expanded));
        Assert.Equal(block, expanded);
        if (size == 0) return;
        Assert.Equal(size, Lzf.Compress(block, compressed.AsSpan(0, size)));
        Assert.Equal(0, Lzf.Compress(block, compressed.AsSpan(0, size - 1)));
    });

    [Fact]
    public void ACorruptBlockHarmsNothing() => Seeded.Run(2_000, seed =>
    {
        var random = new RandomSource(seed);
        byte[] block = new byte[random.NextBelow(60)];
        foreach (ref byte part in block.AsSpan()) part = (byte)random.Next();
        int size = (int)random.NextBelow(400);
        byte[] around = new byte[GuardSize + size + GuardSize];
        Lzf.TryExpand(block, around.AsSpan(GuardSize, size));
        Assert.Equal(-1, around.AsSpan(0, GuardSize).IndexOfAnyExcept((byte)0));
        Assert.Equal(-1, around.AsSpan(GuardSize + size).IndexOfAnyExcept((byte)0));
    });

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(40)]
    public void CopiesOfEveryDistanceAndLengthEndWhereTheyShould(int literalsBehind)
    {
        for (int distance = 1; distance <= 32; distance++)
        {
            for (int length = 3; length <= 264; length++)
            {
                byte[] text = new byte[32 + length + literalsBehind];
                for (int index = 0; index < text.Length; index++)
                {
                    bool isLiteral = index < 32 || index >= 32 + length;
                    text[index] = isLiteral ? (byte)(index + 1) : text[index - distance];
                }

                List<byte> block = [31, .. text.AsSpan(0, 32)];
                if (length <= 8) block.Add((byte)(length - 2 << 5));
                else block.AddRange([7 << 5, (byte)(length - 9)]);
                block.Add((byte)(distance - 1));
                for (int index = 0; index < literalsBehind; index++)
                    block.AddRange([0, text[32 + length + index]]);
                byte[] around = new byte[GuardSize + text.Length + GuardSize];
                Assert.True(Lzf.TryExpand(block.ToArray(), around.AsSpan(GuardSize, text.Length)));
                Assert.Equal([.. new byte[GuardSize], .. text, .. new byte[GuardSize]], around);
            }
        }
    }

    [Theory]
    [InlineData("02 61 62 63", "abc")]
    [InlineData("00 61 E0 00 00", "aaaaaaaaaa")]
    [InlineData("01 61 62 40 01 00 21", "abababX")]
    [InlineData("02 61 62 63 20 02", "abcabc")]
    public void TheFormatIsLzf(string bytes, string text)
    {
        byte[] expanded = new byte[text.Length];
        bool isSound = Lzf.TryExpand(Convert.FromHexString(bytes.Replace(" ", "", StringComparison.Ordinal)),
            expanded);
        string last = text[^1] == 'X' ? "!" : text[^1..];
        Assert.True(isSound);
        Assert.Equal(text[..^1] + last, Encoding.ASCII.GetString(expanded));
    }

    [Theory]
    [InlineData("05 61", 6)]
    [InlineData("00 61 20", 4)]
    [InlineData("00 61 E0", 4)]
    [InlineData("00 61 20 01", 4)]
    [InlineData("00 61", 2)]
    [InlineData("01 61 62", 1)]
    public void InvalidBlocksAreRefused(string bytes, int size) => Assert.False(Lzf.TryExpand(
        Convert.FromHexString(bytes.Replace(" ", "", StringComparison.Ordinal)), new byte[size]));
}
