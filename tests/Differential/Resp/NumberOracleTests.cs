using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Resp;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Resp;

public sealed class NumberOracleTests
{
    private const int BatchSize = 500;

    private static readonly string[] s_oddNumbers =
    [
        "0x10", "0x1.8p3", "0x", "0x.", "0x.8", "0xp3", "0x1p", "0x1p+", "inf", "+inf", "-inf",
        "Infinity", "INF", "infinit", "nan", "+5", "-5", "--5", "+-5", " 5", "5 ", "\t5", "5.", ".5", ".",
        "", "+", "-", "1e5", "1e", "1e+", "1E-5", "1e400", "-1e400", "1e-400", "0e999999999", "1e-320",
        "0e-9999999999", "1_0", "1,5", "5\0", "\05", "5\05", "0x1p-2000", "0x1p2000",
        "1e99999999999999999999", "-1e-99999999999999999999", "00005", "-0", "0x1P4", "0X1p4", "5f", "5d",
        "1e5.5", "0x123456789abcdef123p0", "0x1p-1074", "0x1p-1075", "0x1.8p-1075", "iNf", "-infinity",
        "2.4e-324", "2.5e-324", "4.9e-324", "1.7976931348623158e308", "1.7976931348623159e308", "1e4932",
        "1e4933", "-1e4933", "1e-4950", "1e-4951", "1e-4952", "1.18973149535723176502e4932",
        "1.18973149535723176509e4932", "0x1p16383", "0x1p16384", "0x1p-16445", "0x1p-16446",
        "0x1.8p-16446", "0x1.fffffffffffffffep16383", "0x1.ffffffffffffffffp16383", "9007199254740993",
        "18446744073709551617", "0x.00000000000000000000000000000000000000000000001",
        "0x1ffffffffffffffff0000000000000000000000000001", "0." + new string('0', 400) + "1e401", new
        string('1', 400) + "e-400", "1e0000000000000000000000000000005", "1" + new string('0', 4932), "1"
        + new string('0', 5118), "1" + new string('0', 5119), "0." + new string('9', 70),
    ];

    /// <summary>What parses, and to which number, is what redis-server's ZADD takes.</summary>
    [Fact]
    public void ParsesFloatsAsTheOracle()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        Seeded.Run(1, seed => ParsesFloats(client, new Random((int)seed)));
    }

    /// <summary>100,000 numbers of all magnitudes read as redis-server 7.0 writes them.</summary>
    [Fact]
    public void FormatsSeventeenDigitsAsTheOracle()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        Seeded.Run(1, seed => FormatsSeventeenDigits(client, new Random((int)seed)));
    }

    /// <summary>INCRBYFLOAT of anything by anything gives the same digits, or the same error.</summary>
    [Fact]
    public void AddsExtendedFloatsAsTheOracle()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        Seeded.Run(1, seed => AddsExtendedFloats(client, new Random((int)seed)));
    }

    private static void ParsesFloats(RespClient client, Random random)
    {
        IEnumerable<string> randomTexts = Enumerable.Range(0, 20_000).Select(_ => RandomText(random));
        List<string> texts = [.. s_oddNumbers, .. randomTexts];
        foreach (string[] batch in texts.Chunk(BatchSize))
        {
            RespValue[] replies = client.CallAll(batch.SelectMany(
                text => new[] { Words("DEL z"), Words("ZADD", "z", text, "m"), Words("ZSCORE z m") }));
            for (int index = 0; index < batch.Length; index++)
            {
                byte[] text = Encoding.Latin1.GetBytes(batch[index]);
                bool isValid = RedisNumber.TryParseDouble(text, out double value);
                RespValue added = replies[index * 3 + 1];
                string expected = added.Kind == '-' ? added.Text : replies[index * 3 + 2].Text;

                // A small sorted set forgets the sign of zero.
                value = value == 0 ? 0 : value;
                string actual = isValid ? Seventeen(value) : "ERR value is not a valid float";
                Assert.True(expected == actual, $"\"{batch[index]}\": {expected}, not {actual}");
            }
        }
    }

    private static void FormatsSeventeenDigits(RespClient client, Random random)
    {
        double[] values = [.. Enumerable.Range(0, 100_000).Select(_ => RandomDouble(random))];
        foreach (double[] batch in values.Chunk(BatchSize))
        {
            RespValue[] replies = client.CallAll(batch.SelectMany(value => new[]
            {
                Words("ZADD", "z", value.ToString("R", CultureInfo.InvariantCulture), "m"),
                Words("ZSCORE z m"),
            }));
            for (int index = 0; index < batch.Length; index++)
            {
                Assert.Equal(replies[index * 2 + 1].Text, Seventeen(batch[index]));
            }
        }
    }

    private static void AddsExtendedFloats(RespClient client, Random random)
    {
        List<(string Left, string Right)> pairs =
        [
            .. s_oddNumbers.Select(text => (text, "1")), .. s_oddNumbers.Select(text => ("1", text)),
            .. s_oddNumbers.Select(text => (text, "-" + text)), .. s_oddNumbers.Select(text => (text, text)),
            .. Enumerable.Range(0, 20_000).Select(_ => (RandomText(random), RandomText(random))),
        ];
        foreach ((string Left, string Right)[] batch in pairs.Chunk(BatchSize))
        {
            RespValue[] replies = client.CallAll(batch.SelectMany(
                pair => new[] { Words("SET", "f", pair.Left), Words("INCRBYFLOAT", "f", pair.Right) }));
            for (int index = 0; index < batch.Length; index++)
            {
                string expected = replies[index * 2 + 1].Text;
                string actual = Add(batch[index].Left, batch[index].Right);
                Assert.True(expected == actual, $"{batch[index]}: {expected}, not {actual}");
            }
        }
    }

    private static string Add(string left, string right)
    {
        if (!ExtendedFloat.TryParse(Encoding.Latin1.GetBytes(left), out ExtendedFloat a)
            || !ExtendedFloat.TryParse(Encoding.Latin1.GetBytes(right), out ExtendedFloat b))
        {
            return "ERR value is not a valid float";
        }

        if (!ExtendedFloat.TryAdd(a, b, out ExtendedFloat sum))
        {
            return "ERR increment would produce NaN or Infinity";
        }

        byte[] text = new byte[ExtendedFloat.BytesMax];
        return Encoding.ASCII.GetString(text.AsSpan(0, sum.Format(text)));
    }

    private static string Seventeen(double value)
    {
        byte[] text = new byte[RedisNumber.DoubleBytesMax];
        return Encoding.ASCII.GetString(text.AsSpan(0, RedisNumber.FormatDoubleSeventeen(value, text)));
    }

    private static byte[][] Words(string words) => Words(words.Split(' '));

    private static byte[][] Words(params string[] words) => Array.ConvertAll(words, Encoding.Latin1.GetBytes);

    private static double RandomDouble(Random random)
    {
        while (true)
        {
            double value = random.Next(5) switch
            {
                0 => BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue)),
                1 => random.Next(-1000, 1000) / 100.0,
                2 => random.NextInt64(long.MinValue, long.MaxValue),
                3 => random.NextDouble() * Math.Pow(10, random.Next(-10, 25)),
                _ => Math.Pow(10, random.Next(-30, 30)) * random.Next(1, 100),
            };
            if (double.IsFinite(value))
            {
                return value;
            }
        }
    }

    private static string RandomText(Random random)
    {
        StringBuilder text = new();
        text.Append(random.Next(4) switch { 0 => "-", 1 when random.Next(5) == 0 => "+", _ => "" });
        int style = random.Next(20);
        if (style == 0)
        {
            text.Append(CultureInfo.InvariantCulture, $"0x{random.NextInt64():x}.{random.Next():x}");
            text.Append(random.Next(2) == 0 ? "" : $"p{random.Next(-90, 60)}");
            return text.ToString();
        }

        AppendDigits(text, random, style < 14 ? random.Next(1, 9) : random.Next(0, 30));
        if (random.Next(4) != 0)
        {
            text.Append('.');
            AppendDigits(text, random, style < 14 ? random.Next(0, 12) : random.Next(0, 40));
        }

        if (random.Next(4) == 0)
        {
            int range = style switch { 19 => 4990, > 15 => 330, _ => 25 };
            text.Append('e').Append(random.Next(-range, range));
        }

        return text.ToString();
    }

    private static void AppendDigits(StringBuilder text, Random random, int count)
    {
        for (; count > 0; count--)
        {
            text.Append((char)('0' + random.Next(10)));
        }
    }
}
