using System;
using System.Text;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.Unit.Resp;

public sealed class ExtendedFloatTests
{
    /// <summary>Sums that redis-server 7.0.15 on x86-64 gave; tests/Differential compares many
    /// more.</summary>
    [Theory]
    [InlineData("10.5", "0.1", "10.6")]
    [InlineData("5.0e3", "200", "5200")]
    [InlineData("0.1", "0.2", "0.3")]
    [InlineData("3", "-3", "0")]
    [InlineData("-1e-20", "0", "0")]
    [InlineData("1e18", "0.3", "1000000000000000000.3125")]
    [InlineData("9007199254740993", "0.5", "9007199254740993.5")]
    [InlineData("18446744073709551615", "1", "18446744073709551616")]
    [InlineData("18446744073709551616", "1", "18446744073709551616")]
    [InlineData("1.1", "1e-19", "1.1")]
    [InlineData("1e30", "-1", "1000000000000000000024696061952")]
    [InlineData("1", "1e-30", "1")]
    [InlineData("123456789.123456789", "987654321.987654321", "1111111111.11111110995989293")]
    [InlineData("0.00000000000000001", "0.000000000000000005", "0.00000000000000002")]
    [InlineData("-0", "0", "0")]
    [InlineData("2.5", "0x1p-3", "2.625")]
    [InlineData("1e4932", "1e4932", null)]
    [InlineData("inf", "1", null)]
    [InlineData("inf", "-inf", null)]
    public void AddsAsAnX87(string left, string right, string? expected)
    {
        Assert.Equal(expected, Add(left, right));
        Assert.Equal(expected, Add(right, left));
    }

    [Theory]
    [InlineData("")]
    [InlineData("x")]
    [InlineData(" 1")]
    [InlineData("nan")]
    [InlineData("1e4933")]
    [InlineData("1e-4960")]
    [InlineData("0x1p16384")]
    [InlineData("0x1p-16446")]
    [InlineData("0x")]
    public void RefusesInvalidFloats(string text)
        => Assert.False(ExtendedFloat.TryParse(Encoding.ASCII.GetBytes(text), out _));

    [Fact]
    public void RefusesTextThatIsTooLong()
    {
        byte[] text = new byte[ExtendedFloat.BytesMax + 1];
        text.AsSpan().Fill((byte)'0');
        Assert.False(ExtendedFloat.TryParse(text, out _));
        Assert.True(ExtendedFloat.TryParse(text.AsSpan(1), out _));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(-1)]
    [InlineData(long.MaxValue)]
    [InlineData(long.MinValue)]
    public void TakesIntegers(long value)
        => Assert.Equal($"{value}", Format(ExtendedFloat.FromInt64(value)));

    [Fact]
    public void RoundsToDouble()
    {
        Random random = new(3);
        byte[] text = new byte[RedisNumber.DoubleBytesMax];
        for (int round = 0; round < 20_000; round++)
        {
            double value = BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue));
            if (double.IsFinite(value))
            {
                int length = RedisNumber.FormatDoubleSeventeen(value, text);
                Assert.True(ExtendedFloat.TryParse(text.AsSpan(0, length), out ExtendedFloat number));
                Assert.Equal(value, number.ToDouble());
            }
        }

        Assert.True(ExtendedFloat.TryParse("-inf"u8, out ExtendedFloat infinity));
        Assert.Equal(double.NegativeInfinity, infinity.ToDouble());
        Assert.True(ExtendedFloat.TryParse("1e400"u8, out ExtendedFloat huge));
        Assert.Equal(double.PositiveInfinity, huge.ToDouble());
        Assert.True(ExtendedFloat.TryParse("1e-400"u8, out ExtendedFloat tiny));
        Assert.Equal(0, tiny.ToDouble());
    }

    private static string? Add(string left, string right)
    {
        Assert.True(ExtendedFloat.TryParse(Encoding.ASCII.GetBytes(left), out ExtendedFloat a));
        Assert.True(ExtendedFloat.TryParse(Encoding.ASCII.GetBytes(right), out ExtendedFloat b));
        return ExtendedFloat.TryAdd(a, b, out ExtendedFloat sum) ? Format(sum) : null;
    }

    private static string Format(in ExtendedFloat value)
    {
        byte[] text = new byte[ExtendedFloat.BytesMax];
        return Encoding.ASCII.GetString(text, 0, value.Format(text));
    }
}
