using System;
using System.Linq;
using System.Text;
using Cinnabar.Memory;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.Unit.Resp;

public sealed class ReplyWriterTests
{
    private delegate void Write(ref ReplyWriter writer);

    [Fact]
    public void WritesSimpleTypes()
    {
        Check("+OK\r\n", (ref ReplyWriter w) => w.Ok());
        Check("+PONG\r\n", (ref ReplyWriter w) => w.Pong());
        Check("+PONG\r\n", (ref ReplyWriter w) => w.SimpleString("PONG"u8));
        Check("-ERR no\r\n", (ref ReplyWriter w) => w.Error("ERR no"u8));
        Check("-ERR a b  c\r\n", (ref ReplyWriter w) => w.Error("ERR a\nb\r\nc\r\n\n"u8));
        Check("-ERR 'a  b'.\r\n", (ref ReplyWriter w) => w.Error("ERR '"u8, "a\r\nb"u8, "'."u8));
        Check("$-1\r\n", "_\r\n", (ref ReplyWriter w) => w.Null());
        Check("*-1\r\n", "_\r\n", (ref ReplyWriter w) => w.NullArray());
        Check(":1\r\n", "#t\r\n", (ref ReplyWriter w) => w.Boolean(true));
        Check(":0\r\n", "#f\r\n", (ref ReplyWriter w) => w.Boolean(false));
        Check("$3\r\n-12\r\n", "(-12\r\n", (ref ReplyWriter w) => w.BigNumber("-12"u8));
        Check("$2\r\nhi\r\n", "=6\r\ntxt:hi\r\n", (ref ReplyWriter w) => w.Verbatim("txt"u8, "hi"u8));
    }

    [Fact]
    public void WritesIntegersOfEveryLength()
    {
        long power = 1;
        for (int digits = 1; digits <= 19; digits++)
        {
            long[] values = [power - 1, power, power + 1, 1 - power, -power, -power - 1, power * 9];
            foreach (long value in values)
            {
                string text = $"{value}";
                Check($":{text}\r\n", (ref ReplyWriter w) => w.Integer(value));
                Check($"${text.Length}\r\n{text}\r\n", (ref ReplyWriter w) => w.BulkInteger(value));
            }

            power = digits == 19 ? power : power * 10;
        }

        Check($":{long.MaxValue}\r\n", (ref ReplyWriter w) => w.Integer(long.MaxValue));
        Check($":{long.MinValue}\r\n", (ref ReplyWriter w) => w.Integer(long.MinValue));
        Check($"$20\r\n{long.MinValue}\r\n", (ref ReplyWriter w) => w.BulkInteger(long.MinValue));
    }

    [Fact]
    public void WritesBulksOfEveryLength()
    {
        foreach (int length in (int[])[0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 1001, 20_000, 100_000])
        {
            byte[] value = new byte[length];
            new Random(length).NextBytes(value);
            string expected = $"${length}\r\n{Encoding.Latin1.GetString(value)}\r\n";
            Check(expected, (ref ReplyWriter w) => w.Bulk(value));
            Check(expected, (ref ReplyWriter w) =>
            {
                w.BulkHeader(length);
                w.Raw(value.AsSpan(0, length / 3));
                w.Raw(value.AsSpan(length / 3));
                w.EndBulk();
            });
        }
    }

    [Fact]
    public void WritesHeaders()
    {
        Check("*0\r\n", (ref ReplyWriter w) => w.ArrayHeader(0));
        Check("*2147483647\r\n", (ref ReplyWriter w) => w.ArrayHeader(int.MaxValue));
        Check("*24\r\n", "%12\r\n", (ref ReplyWriter w) => w.MapHeader(12));
        Check("*3\r\n", "~3\r\n", (ref ReplyWriter w) => w.SetHeader(3));
        Check("*3\r\n", ">3\r\n", (ref ReplyWriter w) => w.PushHeader(3));
        Check("", "|1\r\n", (ref ReplyWriter w) => Assert.Equal(w.Protocol == 3, w.AttributeHeader(1)));
    }

    [Theory]
    [InlineData(0.0, "0")]
    [InlineData(-0.0, "-0")]
    [InlineData(3.0, "3")]
    [InlineData(-3.25, "-3.25")]
    [InlineData(0.1, "0.1")]
    [InlineData(double.PositiveInfinity, "inf")]
    [InlineData(double.NegativeInfinity, "-inf")]
    [InlineData(double.NaN, "nan")]
    public void WritesDoubles(double value, string text)
    {
        string bulk = $"${text.Length}\r\n{text}\r\n";
        Check(bulk, $",{text}\r\n", (ref ReplyWriter w) => w.Double(value));
    }

    [Fact]
    public void EndsDeferredHeadersInAnyChunk()
    {
        foreach (int count in (int[])[0, 1, 9, 10, 150, 1234])
        {
            string items = string.Concat(Enumerable.Range(0, count).Select(item => $":{item}\r\n"));
            Check($"+OK\r\n*{count}\r\n{items}+OK\r\n", (ref ReplyWriter w) =>
            {
                w.Ok();
                DeferredHeader header = w.BeginDeferred();
                WriteItems(ref w, count);
                w.EndDeferredArray(header, count);
                w.Ok();
            });
        }
    }

    [Fact]
    public void NestsDeferredHeaders()
    {
        Check(
            "*3\r\n*2\r\n:0\r\n:1\r\n*4\r\n+a\r\n:0\r\n+b\r\n:1\r\n*0\r\n",
            "*3\r\n~2\r\n:0\r\n:1\r\n%2\r\n+a\r\n:0\r\n+b\r\n:1\r\n~0\r\n",
            (ref ReplyWriter w) =>
            {
                DeferredHeader outer = w.BeginDeferred();
                DeferredHeader set = w.BeginDeferred();
                WriteItems(ref w, 2);
                w.EndDeferredSet(set, 2);
                DeferredHeader map = w.BeginDeferred();
                w.SimpleString("a"u8);
                w.Integer(0);
                w.SimpleString("b"u8);
                w.Integer(1);
                w.EndDeferredMap(map, 2);
                w.EndDeferredSet(w.BeginDeferred(), 0);
                w.EndDeferredArray(outer, 3);
            });
    }

    [Fact]
    public void RewindsToAMark()
    {
        Check("+OK\r\n:7\r\n", (ref ReplyWriter w) =>
        {
            ReplyMark start = w.Save();
            WriteItems(ref w, 300);
            w.Rewind(start);
            w.Ok();
            ReplyMark mark = w.Save();
            WriteItems(ref w, 2);
            w.Rewind(mark);
            WriteItems(ref w, 500);
            w.Rewind(mark);
            w.Integer(7);
        });
    }

    [Fact]
    public void MutedWritesVanish()
    {
        using DiscardSink discard = new();
        Check("+OK\r\n:5\r\n", (ref ReplyWriter w) =>
        {
            w.Ok();
            w.Mute(discard);
            Assert.True(w.IsMuted);
            DeferredHeader header = w.BeginDeferred();
            WriteItems(ref w, 10_000);
            ReplyMark mark = w.Save();
            w.Bulk(new byte[100_000]);
            w.Rewind(mark);
            w.EndDeferredArray(header, 10_000);
            w.Unmute();
            Assert.False(w.IsMuted);
            w.Integer(5);
        });
    }

    [Fact]
    public unsafe void RefersToBlocks()
    {
        using PageSource pages = new(isChecked: true);
        using SharedBlockPool pool = new(pages);
        SharedBlock* block = SharedBlock.Create(pool, 5000);
        new Span<byte>(block->Data, 5000).Fill((byte)'v');
        nint address = (nint)block;
        Check($"+OK\r\n$4000\r\n{new string('v', 4000)}\r\n+OK\r\n", (ref ReplyWriter w) =>
        {
            SharedBlock* value = (SharedBlock*)address;
            w.Ok();
            w.BulkReference(value, value->Data + 10, 4000);
            ReplyMark mark = w.Save();
            w.BulkReference(value, value->Data, 5000);
            w.Rewind(mark);
            w.Ok();
        });
        block->Release();
        Assert.Equal(0, pool.UsedBytes);
    }

    [Fact]
    public void WritesWithoutManagedAllocation()
    {
        using DiscardSink discard = new();
        ReplyWriter writer = new(discard, 3);
        byte[] value = new byte[256];
        long before = 0;
        for (int round = 0; round < 200; round++)
        {
            // The first rounds compile the code.
            before = round == 100 ? GC.GetAllocatedBytesForCurrentThread() : before;
            writer.Bulk(value);
            writer.Integer(round * 1000);
            writer.Null();
            writer.Double(round / 3.0);
            writer.Error("ERR x"u8);
            writer.EndDeferredArray(writer.BeginDeferred(), 0);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

#if DEBUG
    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void CountsAReplyThatHasWhatItAnnounces(int protocol)
    {
        using BytesSink sink = new(64);
        ReplyWriter writer = new(sink, protocol);
        if (writer.AttributeHeader(1))
        {
            WriteItems(ref writer, 2);
            writer.PushHeader(1);
            WriteItems(ref writer, 1);
        }

        writer.MapHeader(2);
        writer.Bulk("a"u8);
        DeferredHeader outer = writer.BeginDeferred();
        DeferredHeader inner = writer.BeginDeferredScan();
        WriteItems(ref writer, 3);
        writer.EndDeferredScan(in inner, 7, 3);
        writer.Double(1.5);
        writer.EndDeferredMap(in outer, 1);
        writer.BulkInteger(1);
        Assert.Equal(0, writer.ValueCount);
        ReplyMark mark = writer.Save();
        writer.Null();
        writer.Rewind(in mark);
        writer.Verbatim("txt"u8, "b"u8);
        Assert.Equal(1, writer.ValueCount);
        writer.ArrayHeader(2);
        writer.Error("ERR one is missing"u8);
        Assert.NotEqual(2, writer.ValueCount);
    }
#endif

    private static void WriteItems(ref ReplyWriter writer, int count)
    {
        for (int item = 0; item < count; item++)
        {
            writer.Integer(item);
        }
    }

    private static void Check(string expected, Write write) => Check(expected, expected, write);

    private static void Check(string expected2, string expected3, Write write)
    {
        foreach (int protocol in (int[])[2, 3])
        {
            foreach (int chunkSize in (int[])[1, 16, 17, 24, 31, 64, 1000, 65536])
            {
                using BytesSink sink = new(chunkSize);
                ReplyWriter writer = new(sink, protocol);
                write(ref writer);
                Assert.Equal(protocol == 2 ? expected2 : expected3, sink.Text(writer));
            }
        }
    }
}
