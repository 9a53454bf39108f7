using System;
using System.Text;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.Unit.Resp;

public sealed class RedisNumberTests
{
    [Fact]
    public void WritesIntegersOfEveryLength()
    {
        byte[] output = new byte[RedisNumber.Int64BytesMax];
        for (long power = 1; power < long.MaxValue / 10; power *= 10)
        {
            foreach (long factor in new long[] { 1, 2, 5, 9 })
            {
                foreach (long change in new long[] { -1, 0, 1, power / 3, power / 7 })
                {
                    long value = (power * factor) + change;
                    string text = value.ToString(System.Globalization.CultureInfo.InvariantCulture);
                    int length = RedisNumber.FormatInt64(value, output);
                    Assert.Equal(text, Encoding.ASCII.GetString(output, 0, length));
                    length = RedisNumber.FormatInt64(-value, output);
                    Assert.Equal(value == 0 ? "0" : "-" + text, Encoding.ASCII.GetString(output, 0, length));
                }
            }
        }
    }

    [Theory]
    [InlineData("0", 0)]
    [InlineData("7", 7)]
    [InlineData("-1", -1)]
    [InlineData("10", 10)]
    [InlineData("9223372036854775807", long.MaxValue)]
    [InlineData("-9223372036854775808", long.MinValue)]
    public void ParsesIntegers(string text, long expected)
    {
        Assert.True(RedisNumber.TryParseInt64(Encoding.ASCII.GetBytes(text), out long value));
        Assert.Equal(expected, value);
        byte[] output = new byte[RedisNumber.Int64BytesMax];
        Assert.Equal(text, Encoding.ASCII.GetString(output, 0, RedisNumber.FormatInt64(value, output)));
        Assert.Equal(text.Length, RedisNumber.LengthOfInt64(value));
    }

    [Theory]
    [InlineData("")]
    [InlineData("-")]
    [InlineData("+1")]
    [InlineData("-0")]
    [InlineData("00")]
    [InlineData("01")]
    [InlineData("-01")]
    [InlineData(" 1")]
    [InlineData("1 ")]
    [InlineData("1.0")]
    [InlineData("1a")]
    [InlineData("a")]
    [InlineData("--1")]
    [InlineData("9223372036854775808")]
    [InlineData("-9223372036854775809")]
    [InlineData("18446744073709551616")]
    [InlineData("18446744073709551621")]
    [InlineData("99999999999999999999")]
    [InlineData("-99999999999999999999")]
    [InlineData("100000000000000000000")]
    public void RefusesWhatFormattingWouldNotWrite(string text)
        => Assert.False(RedisNumber.TryParseInt64(Encoding.ASCII.GetBytes(text), out _));

    [Fact]
    public void IntegersSurviveARoundTrip()
    {
        Random random = new(1);
        byte[] output = new byte[RedisNumber.Int64BytesMax];
        for (int round = 0; round < 100_000; round++)
        {
            long value = random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64);
            int length = RedisNumber.FormatInt64(value, output);
            Assert.Equal($"{value}", Encoding.ASCII.GetString(output, 0, length));
            Assert.True(RedisNumber.TryParseInt64(output.AsSpan(0, length), out long parsed));
            Assert.Equal(value, parsed);
        }
    }

    [Theory]
    [InlineData(0.1, "0.1", "0.10000000000000001")]
    [InlineData(3.0, "3", "3")]
    [InlineData(100.5, "100.5", "100.5")]
    [InlineData(1e17, "100000000000000000", "1e+17")]
    [InlineData(4611686018427387904.0, "4611686018427387904", "4.6116860184273879e+18")]
    [InlineData(9223372036854775808.0, "9223372036854776000", "9.2233720368547758e+18")]
    [InlineData(1e20, "1e+20", "1e+20")]
    [InlineData(-1.5e300, "-1.5e+300", "-1.5000000000000001e+300")]
    [InlineData(1e-5, "0.00001", "1.0000000000000001e-05")]
    [InlineData(1e-7, "1e-7", "9.9999999999999995e-08")]
    [InlineData(0.0012345, "0.0012345", "0.0012344999999999999")]
    [InlineData(0.00012345, "1.2345e-4", "0.00012344999999999999")]
    [InlineData(123456.789, "123456.789", "123456.789")]
    [InlineData(123456.78901234567, "1.2345678901234567e+5", "123456.78901234567")]
    [InlineData(1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157e+308")]
    [InlineData(5e-324, "5e-324", "4.9406564584124654e-324")]
    public void FormatsDoubles(double value, string shortest, string seventeen)
    {
        byte[] output = new byte[RedisNumber.DoubleBytesMax];
        Assert.Equal(shortest, Encoding.ASCII.GetString(output, 0, RedisNumber.FormatDouble(value, output)));
        int length = RedisNumber.FormatDoubleSeventeen(value, output);
        Assert.Equal(seventeen, Encoding.ASCII.GetString(output, 0, length));
    }

    [Fact]
    public void DoublesSurviveARoundTrip()
    {
        Random random = new(2);
        byte[] output = new byte[RedisNumber.DoubleBytesMax];
        for (int round = 0; round < 100_000; round++)
        {
            double value = round % 2 == 0
                ? BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue))
                : random.Next() / 1000.0 * Math.Pow(10, random.Next(-12, 12));
            if (!double.IsFinite(value))
            {
                continue;
            }

            int length = RedisNumber.FormatDouble(value, output);
            Assert.True(RedisNumber.TryParseDouble(output.AsSpan(0, length), out double parsed));
            Assert.Equal(value, parsed);
            length = RedisNumber.FormatDoubleSeventeen(value, output);
            Assert.True(RedisNumber.TryParseDouble(output.AsSpan(0, length), out parsed));
            Assert.Equal(value, parsed);
        }
    }

    [Theory]
    [InlineData("5.", 5)]
    [InlineData(".5", 0.5)]
    [InlineData("+5", 5)]
    [InlineData("00005", 5)]
    [InlineData("1E-5", 1e-5)]
    [InlineData("0x1.8p3", 12)]
    [InlineData("0X10", 16)]
    [InlineData("-INFinity", double.NegativeInfinity)]
    [InlineData("0e999999999999", 0)]
    [InlineData("2.5e-324", 5e-324)]
    [InlineData("0x1.8p-1075", 5e-324)]
    public void ParsesDoubles(string text, double expected)
    {
        Assert.True(RedisNumber.TryParseDouble(Encoding.ASCII.GetBytes(text), out double value));
        Assert.Equal(expected, value);
    }

    [Theory]
    [InlineData("")]
    [InlineData(" 5")]
    [InlineData("5 ")]
    [InlineData("nan")]
    [InlineData(".")]
    [InlineData("-")]
    [InlineData("+-5")]
    [InlineData("1e")]
    [InlineData("0x")]
    [InlineData("1e400")]
    [InlineData("1e-400")]
    [InlineData("1e99999999999999999999")]
    [InlineData("5\0")]
    [InlineData("1,5")]
    [InlineData("infinit")]
    public void RefusesInvalidDoubles(string text)
        => Assert.False(RedisNumber.TryParseDouble(Encoding.ASCII.GetBytes(text), out _));

    [Theory]
    [InlineData("", 0)]
    [InlineData("\0abc", 0)]
    [InlineData("5\0x", 5)]
    [InlineData("1e400", double.PositiveInfinity)]
    [InlineData("-1e400", double.NegativeInfinity)]
    [InlineData("1e-400", 0)]
    [InlineData("-inf", double.NegativeInfinity)]
    public void BoundsAreReadLeniently(string text, double expected)
    {
        Assert.True(RedisNumber.TryParseDoubleLenient(Encoding.ASCII.GetBytes(text), out double value));
        Assert.Equal(expected, value);
    }

    [Theory]
    [InlineData(" 5")]
    [InlineData("\t5")]
    [InlineData("0x10")]
    [InlineData("-0X1p3")]
    [InlineData("nan")]
    [InlineData("5 ")]
    [InlineData("+")]
    public void BoundsRefuseWhatRedis8Refuses(string text)
        => Assert.False(RedisNumber.TryParseDoubleLenient(Encoding.ASCII.GetBytes(text), out _));

    [Theory]
    [InlineData("", 0)]
    [InlineData("0e-400", 0)]
    [InlineData("5\0x", 5)]
    [InlineData("inf", double.PositiveInfinity)]
    public void WeightsAreReadLeniently(string text, double expected)
    {
        Assert.True(RedisNumber.TryParseWeight(Encoding.ASCII.GetBytes(text), out double value));
        Assert.Equal(expected, value);
    }

    [Theory]
    [InlineData("1e400")]
    [InlineData("-1e400\0")]
    [InlineData("1e-400")]
    [InlineData("0x10")]
    [InlineData("nan")]
    public void WeightsRefuseWhatHasNoSize(string text)
        => Assert.False(RedisNumber.TryParseWeight(Encoding.ASCII.GetBytes(text), out _));
}
