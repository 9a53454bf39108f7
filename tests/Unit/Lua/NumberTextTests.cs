using System;
using System.Text;
using Cinnabar.Lua.Values;
using Xunit;

namespace Cinnabar.Tests.Unit.Lua;

public class NumberTextTests
{
    [Theory]
    [InlineData(0.0, "0")]
    [InlineData(-0.0, "-0")]
    [InlineData(1.0, "1")]
    [InlineData(-17.0, "-17")]
    [InlineData(99999999999999.0, "99999999999999")]
    [InlineData(100000000000000.0, "1e+14")]
    [InlineData(0.1, "0.1")]
    [InlineData(1.0 / 3, "0.33333333333333")]
    [InlineData(1e-4, "0.0001")]
    [InlineData(1e-5, "1e-05")]
    [InlineData(1.5e300, "1.5e+300")]
    [InlineData(123456.789, "123456.789")]
    [InlineData(double.PositiveInfinity, "inf")]
    [InlineData(double.NegativeInfinity, "-inf")]
    public void Number_prints_with_14_digits(double value, string text) =>
        Assert.Equal(text, NumberText.Format(value));

    [Fact]
    public void Sign_of_a_NaN_is_printed()
    {
        Assert.Equal("nan", NumberText.Format(BitConverter.Int64BitsToDouble(0x7FF8L << 48)));
        Assert.Equal("-nan", NumberText.Format(BitConverter.Int64BitsToDouble(0xFFF8L << 48)));
    }

    [Theory]
    [InlineData("10", 10)]
    [InlineData("  0x10 ", 16)]
    [InlineData("-0x1p4", -16)]
    [InlineData("0x.8", 0.5)]
    [InlineData("1e1", 10)]
    [InlineData(".5", 0.5)]
    [InlineData("5.", 5)]
    [InlineData("\t1\n", 1)]
    [InlineData("inf", double.PositiveInfinity)]
    [InlineData("+7", 7)]
    [InlineData("123456789012345678901234567890", 123456789012345678901234567890.0)]
    public void Text_of_a_number_is_parsed(string text, double number)
    {
        Assert.True(NumberText.TryParse(Encoding.ASCII.GetBytes(text), out double parsed));
        Assert.Equal(number, parsed);
    }

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    [InlineData("1x")]
    [InlineData("0x")]
    [InlineData("- 1")]
    [InlineData("--1")]
    [InlineData("1 1")]
    [InlineData("e1")]
    [InlineData(".")]
    [InlineData("1,000")]
    [InlineData("1e")]
    [InlineData("nil")]
    public void Other_text_is_refused(string text) =>
        Assert.False(NumberText.TryParse(Encoding.ASCII.GetBytes(text), out _));
}
