using System;
using System.Security.Cryptography;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

/// <summary>Hashes are the framework's, in whatever pieces the text comes.</summary>
public class BlockHashProperties
{
    private const int LengthMax = 300;

    [Fact]
    public void HashesAreThoseOfTheFramework() => Seeded.Run(2_000, seed =>
    {
        var random = new RandomSource(seed);
        byte[] text = new byte[random.NextBelow(LengthMax + 1)];
        for (int index = 0; index < text.Length; index++)
            text[index] = (byte)random.Next();
        BlockHash sha1 = BlockHash.Sha1();
        BlockHash sha256 = BlockHash.Sha256();
        for (int offset = 0; offset < text.Length;)
        {
            int length = 1 + (int)random.NextBelow((ulong)(text.Length - offset));
            sha1.Append(text.AsSpan(offset, length));
            sha256.Append(text.AsSpan(offset, length));
            offset += length;
        }

        byte[] actual1 = new byte[BlockHash.Sha1Size];
        byte[] actual256 = new byte[BlockHash.Sha256Size];
        sha1.Finish(actual1);
        sha256.Finish(actual256);
        Assert.Equal(SHA1.HashData(text), actual1);
        Assert.Equal(SHA256.HashData(text), actual256);
    });
}
