using System;
using System.Text;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.Listpacks;

// The expected bytes are what redis-server 7.0.15 dumped for a hash with this value.
public sealed class ListpackFormatTests
{
    [Fact]
    public void AnEmptyListpackIsItsHeaderAndTheTerminator()
    {
        using var pack = new ListpackMemory();
        Assert.Equal("070000000000ff", Convert.ToHexStringLower(pack.Reader.Bytes));
        Assert.True(pack.Reader.IsEmpty);
        Assert.Equal(0, pack.Reader.Count);
        Assert.Equal(0, pack.Reader.First);
        Assert.Equal(0, pack.Reader.Last);
        Assert.Equal(0, pack.Reader.Seek(0));
        Assert.Equal(0, pack.Reader.Seek(-1));
        Assert.True(ListpackValidator.IsSound(pack.Reader.Bytes));
    }

    [Theory]
    [InlineData("0", "0001")]
    [InlineData("127", "7f01")]
    [InlineData("128", "c08002")]
    [InlineData("-1", "dfff02")]
    [InlineData("-4096", "d00002")]
    [InlineData("4095", "cfff02")]
    [InlineData("4096", "f1001003")]
    [InlineData("-4097", "f1ffef03")]
    [InlineData("32767", "f1ff7f03")]
    [InlineData("-32768", "f1008003")]
    [InlineData("32768", "f200800004")]
    [InlineData("-32769", "f2ff7fff04")]
    [InlineData("8388607", "f2ffff7f04")]
    [InlineData("-8388608", "f200008004")]
    [InlineData("8388608", "f30000800005")]
    [InlineData("-8388609", "f3ffff7fff05")]
    [InlineData("2147483647", "f3ffffff7f05")]
    [InlineData("2147483648", "f4000000800000000009")]
    [InlineData("9223372036854775807", "f4ffffffffffffff7f09")]
    [InlineData("-9223372036854775808", "f4000000000000008009")]
    [InlineData("9223372036854775808", "933932323333373230333638353437373538303814")]
    [InlineData("-0", "822d3003")]
    [InlineData("01", "82303103")]
    [InlineData("+1", "822b3103")]
    [InlineData("", "8001")]
    [InlineData(" 1", "82203103")]
    [InlineData("f", "816602")]
    public void EntriesAreTheBytesOfRedis(string text, string expected)
    {
        using var pack = new ListpackMemory(text);
        Assert.Equal(expected, Convert.ToHexStringLower(pack.Reader.Bytes[Listpack.HeaderSize..^1]));
        Assert.Equal(text, ListpackMemory.TextOf(pack.Reader[pack.Reader.First]));
        Assert.Equal(text.Length, pack.Reader[pack.Reader.First].Length);
        Assert.True(pack.Reader[pack.Reader.First].Equals(Encoding.Latin1.GetBytes(text)));
        Assert.Equal(pack.Reader.First, pack.Reader.Last);
        Assert.True(ListpackValidator.IsSound(pack.Reader.Bytes));
    }

    [Theory]
    [InlineData(63, "bf", "40")]
    [InlineData(64, "e040", "42")]
    [InlineData(124, "e07c", "7e")]
    [InlineData(125, "e07d", "7f")]
    [InlineData(126, "e07e", "0180")]
    [InlineData(4095, "efff", "2081")]
    [InlineData(4096, "f000100000", "2085")]
    [InlineData(16377, "f0f93f0000", "7ffe")]
    [InlineData(16378, "f0fa3f0000", "00ffff")]
    [InlineData(16379, "f0fb3f0000", "018080")]
    [InlineData(2097145, "f0f9ff1f00", "7ffffe")]
    [InlineData(2097146, "f0faff1f00", "00ffffff")]
    [InlineData(2097147, "f0fbff1f00", "01808080")]
    public void LengthsAreTheBytesOfRedis(int length, string prefix, string backLength)
    {
        byte[] text = new byte[length];
        Array.Fill(text, (byte)'x');
        using var pack = new ListpackMemory(length + 100);
        pack.Insert(pack.Reader.End, "before"u8);
        int position = pack.Reader.End;
        pack.Insert(position, text);
        pack.Insert(pack.Reader.End, "behind"u8);
        string hex = Convert.ToHexStringLower(pack.Reader.Entries(position, pack.Reader.Behind(position)));
        Assert.StartsWith(prefix + "78", hex);
        Assert.EndsWith("78" + backLength, hex);
        Assert.Equal(2 * length + prefix.Length + backLength.Length, hex.Length);
        Assert.Equal(position, pack.Reader.Previous(pack.Reader.Last));
        Assert.Equal(pack.Reader.Last, pack.Reader.Next(position));
        Assert.Equal(pack.Reader.First, pack.Reader.Previous(position));
        Assert.Equal(position, pack.Reader.Find(text, pack.Reader.First));
        Assert.True(ListpackValidator.IsSound(pack.Reader.Bytes));
    }

    [Fact]
    public void IntegersRoundTripAroundEveryPowerOfTwo()
    {
        using var pack = new ListpackMemory();
        for (int bit = 0; bit < 64; bit++)
        {
            for (long offset = -2; offset <= 2; offset++)
            {
                foreach (long value in (long[])[(1L << bit) + offset, -(1L << bit) + offset])
                {
                    var element = new ListpackElement(value);
                    pack.Edit(element.Size).Append(element);
                    Assert.Equal(value, pack.Reader[pack.Reader.Last].Integer);
                    Assert.True(ListpackValidator.IsSound(pack.Reader.Bytes));
                    pack.Edit().Clear();
                }
            }
        }
    }
}
