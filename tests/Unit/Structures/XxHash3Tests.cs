using System;
using Cinnabar.Structures.Hashing;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures;

/// <summary>XXH3 against the reference implementation's answers (xxhsum 0.8.1, -H3).</summary>
public sealed class XxHash3Tests
{
    [Theory]
    [InlineData(0, 0x2d06800538d394c2UL)]
    [InlineData(1, 0x4c5cca45d0f4811fUL)]
    [InlineData(2, 0x29c60963cbfa4e6eUL)]
    [InlineData(3, 0x6e3e2670e61106acUL)]
    [InlineData(4, 0x5c4c63133443d03fUL)]
    [InlineData(5, 0x49f5eb3111280b63UL)]
    [InlineData(8, 0xf9fd4dd0b04d78f5UL)]
    [InlineData(9, 0x7c20df9712c26edfUL)]
    [InlineData(12, 0x16d2dff54dc2ee45UL)]
    [InlineData(16, 0x86abf6baccea0858UL)]
    [InlineData(17, 0xb58bf5dc5022d071UL)]
    [InlineData(32, 0xe3712ed84c04a66eUL)]
    [InlineData(33, 0xa4dee99b093e1f73UL)]
    [InlineData(64, 0x1291d2d4042330ddUL)]
    [InlineData(65, 0x97c6bf83217e5ec9UL)]
    [InlineData(96, 0x81296929fc063365UL)]
    [InlineData(97, 0xf145a45b658ab9ddUL)]
    [InlineData(128, 0x10d17f72c0ccba41UL)]
    [InlineData(129, 0x1648bdc3db49d1a2UL)]
    [InlineData(144, 0xb46dbfc6d9e31abaUL)]
    [InlineData(145, 0x36411de335384cfbUL)]
    [InlineData(160, 0x655c8dc33b4b4c4aUL)]
    [InlineData(239, 0xf0d154819adb16cdUL)]
    [InlineData(240, 0xb6cfaf343fab81e6UL)]
    [InlineData(241, 0x956cae592c67279eUL)]
    [InlineData(255, 0x64a6073025eb7929UL)]
    [InlineData(256, 0xb15e550733c5dfacUL)]
    [InlineData(257, 0x67ce5a3104c5c55cUL)]
    [InlineData(319, 0xdf5e66b5db9e63e3UL)]
    [InlineData(320, 0x25973579962d89adUL)]
    [InlineData(321, 0x5ca85e64cda11adbUL)]
    [InlineData(1023, 0xdf6d4cdaf9acd422UL)]
    [InlineData(1024, 0x9fb9947417c15b80UL)]
    [InlineData(1025, 0xfe1b47100b1d79d8UL)]
    [InlineData(1088, 0xf8d459d5974f3cd7UL)]
    [InlineData(1089, 0x1cf5c52dc80ce87eUL)]
    [InlineData(2048, 0x650cf45cdde6160aUL)]
    [InlineData(2049, 0x8ea2bf53ff2e0a3aUL)]
    [InlineData(4096, 0x0daed5401db51994UL)]
    [InlineData(65536, 0x432e56eb81cf4602UL)]
    [InlineData(65537, 0x2a159d9c31958038UL)]
    [InlineData(131072, 0x022fc3113c59dc4fUL)]
    [InlineData(200001, 0x4b29dea81990e926UL)]
    public void AgreesWithTheReference(int length, ulong expected) =>
        Assert.Equal(expected, XxHash3.Hash(Input(length)));

    [Theory]
    [InlineData(241)]
    [InlineData(1024)]
    [InlineData(1089)]
    [InlineData(5000)]
    public void StripesMayBeAddedInAnyPortions(int length)
    {
        byte[] input = Input(length);
        ulong expected = XxHash3.Hash(input);
        for (int portion = 1; portion <= 17; portion++)
        {
            var stripes = new XxHash3Stripes(length);
            int offset = 0;
            while (stripes.CountLeft > 0)
            {
                int size = (int)Math.Min(portion, stripes.CountLeft) * XxHash3Stripes.StripeSize;
                stripes.Add(input.AsSpan(offset, size));
                offset += size;
            }

            Assert.Equal(expected, stripes.Finish(input.AsSpan()[^XxHash3Stripes.StripeSize..]));
        }
    }

    [Fact]
    public void StripesMustBeComplete()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new XxHash3Stripes(XxHash3.ShortLengthMax));
        Assert.Throws<InvalidOperationException>(() => new XxHash3Stripes(1000).Finish(new byte[64]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new XxHash3Stripes(300).Add(new byte[5 * 64]));
    }

    private static byte[] Input(int length)
    {
        var bytes = new byte[length];
        for (int index = 0; index < length; index++)
            bytes[index] = (byte)(((index * 131) + 7) ^ (index >> 8));
        return bytes;
    }
}
