using System;
using System.Globalization;
using System.Text;
using Cinnabar.Engine.Replies;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>The text of INFO, written as bytes.</summary>
public sealed class InfoTextTests
{
    [Fact]
    public void SectionsAndFieldsHaveTheFormOfRedis()
    {
        using var text = new InfoText();
        text.Section("One"u8);
        text.Field("number"u8, long.MinValue);
        text.Field("word"u8, "Grüße");
        text.Bytes("memory"u8, 1023);
        text.Bytes("more"u8, 1536 * 1024);
        text.Seconds("time"u8, TimeSpan.FromMicroseconds(12_000_034));
        text.Percent("share"u8, 1, 3);
        text.Append("us:"u8);
        text.AppendMicroseconds(1_000_034);
        text.EndLine();
        text.Section("Two"u8);
        text.Append($"cmdstat_{"get"u8}:calls={3},");
        text.Line($"usec_per_call={1.005:F2}");
        Assert.Equal("# One\r\nnumber:-9223372036854775808\r\nword:Grüße\r\nmemory:1023\r\n"
            + "memory_human:1023B\r\nmore:1572864\r\nmore_human:1.50M\r\ntime:12.000034\r\nshare:33.33%\r\n"
            + "us:1000.034\r\n\r\n# Two\r\ncmdstat_get:calls=3,usec_per_call=1.00\r\n",
            Encoding.UTF8.GetString(text.Written));
    }

    [Fact]
    public void ALongTextGrows()
    {
        using var text = new InfoText();
        var expected = new StringBuilder();
        for (int line = 0; line < 5000; line++)
        {
            text.Line($"line_{line}:{"words"}");
            expected.Append(CultureInfo.InvariantCulture, $"line_{line}:words\r\n");
        }

        Assert.Equal(expected.ToString(), Encoding.UTF8.GetString(text.Written));
    }

    [Fact]
    public void TwoDecimalsAreRoundedAsDotNetAndCRoundThem()
    {
        var random = new Random(7);
        Check(0);
        Check(-1.5);
        Check(1e13);
        Check(double.MaxValue);
        for (int round = 0; round < 100_000; round++)
        {
            double value = random.NextDouble() * Math.Pow(10, random.Next(13));
            Check(value);
            // Beside and upon the halves, where a product with 100 may lie on the wrong side.
            double half = (Math.Floor(value * 100) + 0.5) / 100;
            Check(half);
            Check(Math.BitIncrement(half));
            Check(Math.BitDecrement(half));
            Check(Math.Floor(value * 8) / 8);
        }

        static void Check(double value)
        {
            using var text = new InfoText();
            text.AppendHundredths(value);
            Assert.Equal(value.ToString("F2", CultureInfo.InvariantCulture),
                Encoding.ASCII.GetString(text.Written));
        }
    }
}
