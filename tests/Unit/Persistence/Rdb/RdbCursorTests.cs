using System;
using System.Linq;
using System.Text;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Reading;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Rdb;

/// <summary>The elements of the format.</summary>
public sealed class RdbCursorTests
{
    [Theory]
    [InlineData("00", 0)]
    [InlineData("3f", 63)]
    [InlineData("4040", 64)]
    [InlineData("7fff", 16383)]
    [InlineData("8000004000", 16384)]
    [InlineData("80ffffffff", uint.MaxValue)]
    [InlineData("810000000100000000", 1UL << 32)]
    [InlineData("81ffffffffffffffff", ulong.MaxValue)]
    public void LengthsHaveFourForms(string bytes, ulong expected)
    {
        var cursor = new RdbCursor(Convert.FromHexString(bytes));
        Assert.Equal(expected, cursor.ReadLength());
        Assert.Equal(0, cursor.Left);
    }

    [Theory]
    [InlineData("00", "")]
    [InlineData("03616263", "abc")]
    [InlineData("c085", "-123")]
    [InlineData("c13930", "12345")]
    [InlineData("c2d2029649", "1234567890")]
    [InlineData("c3051e0061e01400", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
    public void StringsAreRawIntegersOrCompressed(string bytes, string expected)
    {
        Assert.Equal(expected, TextOf(Convert.FromHexString(bytes)));
    }

    [Theory]
    [InlineData("ff", double.NegativeInfinity)]
    [InlineData("fe", double.PositiveInfinity)]
    [InlineData("fd", double.NaN)]
    [InlineData("03312e35", 1.5)]
    [InlineData("042d316537", -1e7)]
    public void ScoresWereTexts(string bytes, double expected)
    {
        var cursor = new RdbCursor(Convert.FromHexString(bytes));
        Assert.Equal(expected, cursor.ReadTextDouble());
    }

    [Theory]
    [InlineData("c4", "Unknown RDB string encoding type 4")]
    [InlineData("82", "Unknown length encoding 130")]
    [InlineData("c3018001000000" + "00", "Invalid LZF compressed string")]
    [InlineData("8180000000000000", "Unexpected end of the data")]
    [InlineData("05616263", "Unexpected end of the data")]
    [InlineData("", "Unexpected end of the data")]
    [InlineData("81" + "7fffffffffffffff", "A string that is too long")]
    public void WhatIsNoStringIsRefused(string bytes, string message)
    {
        byte[] data = Convert.FromHexString(bytes);
        var thrown = Assert.ThrowsAny<RdbFormatException>(() => TextOf(data));
        Assert.Equal(message, thrown.Message);
    }

    [Theory]
    [InlineData("REDIS0011", 11, RdbDialect.Redis)]
    [InlineData("REDIS0001", 1, RdbDialect.Redis)]
    [InlineData("VALKEY080", 80, RdbDialect.Valkey)]
    [InlineData("REDIS0080", 0, RdbDialect.Redis)]
    [InlineData("REDIS00x1", 0, RdbDialect.Redis)]
    [InlineData("VALKEY013", 0, RdbDialect.Redis)]
    [InlineData("*2\r\n$6\r\nS", 0, RdbDialect.Redis)]
    public void TheHeaderSaysVersionAndDialect(string header, int number, RdbDialect dialect)
    {
        bool isHeader = RdbVersion.TryParse(Encoding.ASCII.GetBytes(header), out RdbVersion version);
        Assert.Equal(number > 0, isHeader);
        if (isHeader)
            Assert.Equal((number, dialect), (version.Number, version.Dialect));
    }

    [Fact]
    public void TheByte22DependsOnTheDialect()
    {
        Assert.True(new RdbVersion(12).TryTypeOf(22, out RdbType redis));
        Assert.True(new RdbVersion(80).TryTypeOf(22, out RdbType valkey));
        Assert.Equal((RdbType.HashMetadataPreGa, RdbType.ValkeyHash2), (redis, valkey));
        Assert.False(new RdbVersion(80).TryTypeOf(24, out _));
        Assert.True(new RdbVersion(13).TryTypeOf(26, out _));
        Assert.False(new RdbVersion(13).TryTypeOf(27, out _));
        Assert.False(new RdbVersion(13).TryTypeOf(8, out _));
    }

    [Fact]
    public void AModulesIdIsNineCharactersAndAVersion()
    {
        const string Name = "vectorset";
        const string Characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        ulong value = Name.Aggregate(0UL, (sum, letter) => sum << 6 | (uint)Characters.IndexOf(letter));
        var id = new RdbModuleId(value << 10 | 3);
        Assert.Equal((Name, 3), (id.Name, id.Version));
    }

    // Values without type and footer.
    [Theory]
    [InlineData(RdbType.String, "0568656c6c6f")]
    [InlineData(RdbType.Set, "020161" + "0162")]
    [InlineData(RdbType.SortedSet2, "01" + "0161" + "000000000000f83f")]
    [InlineData(RdbType.SortedSet, "02" + "0161" + "03312e35" + "0162" + "ff")]
    [InlineData(RdbType.Hash, "01" + "0161" + "0162")]
    [InlineData(RdbType.ListQuicklist2, "01" + "02" + "0a" + "0a0000000100816102ff")]
    [InlineData(RdbType.HashMetadata, "e803000000000000" + "01" + "01" + "0161" + "0162")]
    [InlineData(RdbType.HashMetadataPreGa, "01" + "00" + "0161" + "0162")]
    [InlineData(RdbType.ValkeyHash2, "01" + "0161" + "0162" + "ffffffffffffffff")]
    [InlineData(RdbType.HashListpackEx, "e803000000000000" + "07" + "070000000000ff")]
    [InlineData(RdbType.Module2, "4001" + "02" + "05" + "05" + "0161" + "04" + "0000000000000000" + "00")]
    public void ValuesAreSkippedWhole(RdbType type, string bytes)
    {
        byte[] data = Convert.FromHexString(bytes);
        var cursor = new RdbCursor([.. data, 0xFF]);
        RdbValueSkipper.Skip(ref cursor, type);
        Assert.Equal(1, cursor.Left);
        for (int length = 0; length < data.Length; length++)
        {
            byte[] part = data[..length];
            Assert.Throws<RdbEndException>(() =>
            {
                var shortened = new RdbCursor(part);
                RdbValueSkipper.Skip(ref shortened, type);
            });
        }
    }

    private static string TextOf(byte[] data)
    {
        var cursor = new RdbCursor(data);
        RdbString text = cursor.ReadString();
        var target = new byte[text.Length];
        text.CopyTo(target);
        return Encoding.ASCII.GetString(target);
    }
}
