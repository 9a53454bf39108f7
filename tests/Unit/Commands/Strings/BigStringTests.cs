using System;
using System.Globalization;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Strings;

/// <summary>Strings around and above 64 KiB, which lie in block trees.</summary>
public sealed class BigStringTests
{
    private const int LengthMax = 300_000;

    [Fact]
    public void RandomEditsAgreeWithAnArray() => Seeded.Run(4, seed =>
    {
        var random = new RandomSource(seed);
        using CommandHarness harness = DataCommands.NewHarness();
        byte[] model = [];
        for (int step = 0; step < 120; step++)
        {
            model = Edit(harness, ref random, model);
            Check(harness, ref random, model);
        }
    });

    [Fact]
    public void ACopyInAReplyIsTheOldValue()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        byte[] old = Bytes(new RandomSource(1), 200_000);
        harness.RunBytes("SET"u8.ToArray(), "k"u8.ToArray(), old);
        byte[] reply = harness.RunBytes(
            "SET"u8.ToArray(), "k"u8.ToArray(), "new"u8.ToArray(), "GET"u8.ToArray());
        Assert.Equal(Bulk(old), reply);
        harness.RunBytes("SET"u8.ToArray(), "k"u8.ToArray(), old);
        Assert.Equal(Bulk(old), harness.RunBytes("GETDEL"u8.ToArray(), "k"u8.ToArray()));
        Assert.Null(harness.Describe("k"));
    }

    [Fact]
    public void LengthsStopAtTheLimit() => DataCommands.Play("""
        SETRANGE k 536870907 abcde => :536870912
        @stored k => Blocks
        APPEND k x => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
        SETRANGE k 536870911 xy => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
        @changes => 0
        SETBIT k 4294967295 0 => :1
        GETRANGE k -3 -1 => $"cdd"
        BITCOUNT k => :16
        BITPOS k 1 => :4294967257
        INCR k => -ERR value is not an integer or out of range
        INCRBYFLOAT k 1 => -ERR value is not a valid float
        STRLEN k => :536870912
        """);

    [Fact]
    public void LongWorkAsksForTheSlowLane()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        Transcript.Play(harness, """
            SETBIT k 800000000 1 => :0
            STRLEN k => :100000001
            """);
        Assert.Equal(0, harness.SlowLaneCount);
        Assert.Equal(":1", Transcript.Run(harness, "BITCOUNT k"));
        Assert.Equal(1, harness.SlowLaneCount);
        Assert.Equal(":800000000", Transcript.Run(harness, "BITPOS k 1"));
        Assert.Equal(2, harness.SlowLaneCount);
        Assert.Equal(":0", Transcript.Run(harness, "BITCOUNT k 0 1000"));
        Assert.Equal(":100000001", Transcript.Run(harness, "STRLEN k"));
        Assert.Equal(2, harness.SlowLaneCount);
        Assert.Equal("$-1", Transcript.Run(harness, "SET k v IFDEQ 0000000000000000"));
        Assert.Equal(3, harness.SlowLaneCount);
    }

    private static byte[] Edit(CommandHarness harness, ref RandomSource random, byte[] model)
    {
        byte[] key = "k"u8.ToArray();
        byte[] value = Bytes(random, (int)random.NextBelow(random.NextBelow(4) == 0 ? 100_000UL : 3000UL));
        random.Next();
        switch (random.NextBelow(model.Length > LengthMax ? 2UL : 8UL))
        {
            case 0:
                harness.RunBytes("SET"u8.ToArray(), key, value);
                return value;
            case 1:
                harness.RunBytes("GETDEL"u8.ToArray(), key);
                return [];
            case 2 or 3:
                string appended = Text(harness.RunBytes("APPEND"u8.ToArray(), key, value));
                Assert.Equal($":{model.Length + value.Length}\r\n", appended);
                return [.. model, .. value];
            case 4:
                return SetBit(harness, model, (long)random.NextBelow((ulong)(8 * (model.Length + 5000))));
            default:
                int offset = (int)random.NextBelow((ulong)model.Length + 5000);
                byte[] changed = model;
                if (value.Length > 0 && offset + value.Length > model.Length)
                    Array.Resize(ref changed, offset + value.Length);
                value.CopyTo(changed.AsSpan(Math.Min(offset, changed.Length)));
                harness.RunBytes("SETRANGE"u8.ToArray(), key, Digits(offset), value);
                return changed;
        }
    }

    private static byte[] SetBit(CommandHarness harness, byte[] model, long bit)
    {
        byte[] changed = model;
        if (bit / 8 >= model.Length)
            Array.Resize(ref changed, (int)(bit / 8) + 1);
        bool wasSet = (changed[bit / 8] & (0x80 >> (int)(bit % 8))) != 0;
        changed[bit / 8] ^= (byte)(0x80 >> (int)(bit % 8));
        string reply = Text(harness.RunBytes(
            "SETBIT"u8.ToArray(), "k"u8.ToArray(), Digits(bit), wasSet ? "0"u8.ToArray() : "1"u8.ToArray()));
        Assert.Equal(wasSet ? ":1\r\n" : ":0\r\n", reply);
        return changed;
    }

    private static void Check(CommandHarness harness, ref RandomSource random, byte[] model)
    {
        byte[] key = "k"u8.ToArray();
        byte[] whole = harness.RunBytes("GETRANGE"u8.ToArray(), key, "0"u8.ToArray(), "-1"u8.ToArray());
        Assert.Equal(Bulk(model), whole);
        Assert.Equal($":{model.Length}\r\n", Text(harness.RunBytes("STRLEN"u8.ToArray(), key)));
        int start = (int)random.NextBelow((ulong)model.Length + 1);
        int end = start + (int)random.NextBelow(70_000);
        byte[] part = harness.RunBytes("GETRANGE"u8.ToArray(), key, Digits(start), Digits(end));
        Assert.Equal(Bulk(model[start..Math.Min(end + 1, model.Length)]), part);
        if (harness.Describe("k") is null)
            return;
        string digest = XxHash3.Hash(model).ToString("x16", CultureInfo.InvariantCulture);
        Assert.Equal(Bulk(Encoding.ASCII.GetBytes(digest)), harness.RunBytes("DIGEST"u8.ToArray(), key));
    }

    private static byte[] Bytes(RandomSource random, int length)
    {
        var bytes = new byte[length];
        for (int index = 0; index < length; index++)
            bytes[index] = (byte)random.Next();
        return bytes;
    }

    private static byte[] Digits(long value) =>
        Encoding.ASCII.GetBytes(value.ToString(CultureInfo.InvariantCulture));

    private static string Text(byte[] bytes) => Encoding.Latin1.GetString(bytes);

    private static byte[] Bulk(byte[] value) =>
        [.. "$"u8, .. Digits(value.Length), .. "\r\n"u8, .. value, .. "\r\n"u8];
}
