using System;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Bitmaps;

/// <summary>Bitmap commands against loops over single bits, on strings of all encodings.</summary>
public sealed class BitmapModelTests
{
    private static readonly string[] s_operators =
        ["AND", "OR", "XOR", "DIFF", "DIFF1", "ANDOR", "ONE", "NOT"];

    [Fact]
    public void BitOpAgreesWithALoop() => Seeded.Run(3, seed =>
    {
        var random = new RandomSource(seed);
        using CommandHarness harness = DataCommands.NewHarness();
        for (int round = 0; round < 40; round++)
        {
            string name = s_operators[random.NextBelow((ulong)s_operators.Length)];
            int count = name == "NOT" ? 1 : 2 + (int)random.NextBelow(4);
            var sources = new byte[count][];
            for (int index = 0; index < count; index++)
                sources[index] = Store(harness, ref random, $"s{index}");
            string target = random.NextBelow(3) == 0 ? "s0" : "d";
            string keys = string.Join(' ', Enumerable.Range(0, count).Select(index => $"s{index}"));
            byte[] expected = Combine(name, sources);
            string reply = Transcript.Run(harness, $"BITOP {name} {target} {keys}");
            Assert.Equal($":{expected.Length}", reply);
            byte[] whole = Whole(harness, target);
            Assert.True(expected.AsSpan().SequenceEqual(whole), $"{name} of {count} sources");
        }
    });

    [Fact]
    public void BitCountAndBitPosAgreeWithALoop() => Seeded.Run(3, seed =>
    {
        var random = new RandomSource(seed);
        using CommandHarness harness = DataCommands.NewHarness();
        for (int round = 0; round < 300; round++)
        {
            byte[] model = Store(harness, ref random, "k");
            bool isInBits = random.NextBelow(2) == 0;
            long length = isInBits ? model.Length * 8L : model.Length;
            long start = (long)random.NextBelow((ulong)(length + 20)) - 10;
            long end = start + (long)random.NextBelow(600) - 20;
            CheckRange(harness, model, (start, end), isInBits);
        }
    });

    [Fact]
    public void FieldsLieAcrossLeaves() => DataCommands.Play("""
        BITFIELD k SET i64 524260 -1234567890123456789 SET u63 1048570 9223372036854775807 => *[:0, :0]
        @stored k => Blocks
        BITFIELD k GET i64 524260 GET u63 1048570 GET u8 524260 => *[:-1234567890123456789,
        .. :9223372036854775807, :238]
        BITFIELD_RO k GET i64 524260 GET u63 1048570 GET i64 1048570 => *[:-1234567890123456789,
        .. :9223372036854775807, :-2]
        BITFIELD k INCRBY i64 524260 789 => *[:-1234567890123456000]
        BITCOUNT k 1048570 1048632 BIT => :63
        BITPOS k 1 524288 1048569 BIT => :524288
        STRLEN k => :131080
        """);

    private static void CheckRange(
        CommandHarness harness, byte[] model, (long Start, long End) range, bool isInBits)
    {
        string arguments = string.Create(
            CultureInfo.InvariantCulture, $"{range.Start} {range.End} {(isInBits ? "BIT" : "BYTE")}");
        long length = isInBits ? model.Length * 8L : model.Length;
        long first = range.Start < 0 ? Math.Max(0, range.Start + length) : range.Start;
        long last = Math.Min(range.End < 0 ? Math.Max(0, range.End + length) : range.End, length - 1);
        (long firstBit, long lastBit) = isInBits ? (first, last) : (first * 8, (last * 8) + 7);
        if (first > last)
            lastBit = firstBit - 1;
        long count = 0;
        long firstSet = -1;
        long firstClear = -1;
        for (long bit = lastBit; bit >= firstBit; bit--)
        {
            bool isSet = (model[bit / 8] & (0x80 >> (int)(bit % 8))) != 0;
            count += isSet ? 1 : 0;
            (firstSet, firstClear) = isSet ? (bit, firstClear) : (firstSet, bit);
        }

        if (range.Start < 0 && range.End < 0 && range.Start > range.End)
            count = 0;
        Assert.Equal($":{count}", Transcript.Run(harness, $"BITCOUNT k {arguments}"));
        Assert.Equal($":{firstSet}", Transcript.Run(harness, $"BITPOS k 1 {arguments}"));
        Assert.Equal($":{firstClear}", Transcript.Run(harness, $"BITPOS k 0 {arguments}"));
    }

    /// <summary>Stores a string of some length and encoding, or none, and returns its bytes.</summary>
    private static byte[] Store(CommandHarness harness, ref RandomSource random, string key)
    {
        harness.RunWords("GETDEL", key);
        int length = (int)random.NextBelow(6) switch
        {
            0 => 0,
            1 => (int)random.NextBelow(200_000),
            2 => 65_530 + (int)random.NextBelow(12),
            _ => (int)random.NextBelow(300),
        };
        var bytes = new byte[length];
        uint density = (uint)random.NextBelow(3);
        for (int index = 0; index < length; index++)
            bytes[index] = density == 0 ? (byte)0 : density == 1 ? byte.MaxValue : (byte)random.Next();
        if (length > 0)
            bytes[random.NextBelow((ulong)length)] ^= 0x10;
        if (length is > 0 and < 18)
            bytes = Encoding.ASCII.GetBytes("1".PadRight(length, '0'));
        harness.RunBytes("SET"u8.ToArray(), Encoding.ASCII.GetBytes(key), bytes);
        return bytes;
    }

    private static byte[] Whole(CommandHarness harness, string key)
    {
        byte[] reply = harness.RunBytes(
            "GETRANGE"u8.ToArray(), Encoding.ASCII.GetBytes(key), "0"u8.ToArray(), "-1"u8.ToArray());
        int start = Array.IndexOf(reply, (byte)'\n') + 1;
        return reply[start..^2];
    }

    private static byte[] Combine(string name, byte[][] sources)
    {
        var result = new byte[sources.Max(source => source.Length)];
        for (int index = 0; index < result.Length; index++)
        {
            int[] values = [.. sources.Select(source => index < source.Length ? source[index] : 0)];
            int others = values.Skip(1).Aggregate(0, (sum, value) => sum | value);
            result[index] = (byte)(name switch
            {
                "AND" => values.Aggregate(0xFF, (sum, value) => sum & value),
                "OR" => values[0] | others,
                "XOR" => values.Aggregate(0, (sum, value) => sum ^ value),
                "NOT" => ~values[0],
                "DIFF" => values[0] & ~others,
                "DIFF1" => others & ~values[0],
                "ANDOR" => values[0] & others,
                _ => One(values),
            });
        }

        return result;
    }

    private static int One(int[] values)
    {
        int result = 0;
        for (int bit = 0; bit < 8; bit++)
        {
            if (values.Count(value => (value >> bit & 1) != 0) == 1)
                result |= 1 << bit;
        }

        return result;
    }
}
