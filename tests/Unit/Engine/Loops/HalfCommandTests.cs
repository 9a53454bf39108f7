using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Engine.Sessions;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

/// <summary>A half-sent command costs what each reception brings, is counted as its client's memory, and
/// leaves nothing behind.</summary>
public sealed unsafe class HalfCommandTests
{
    private const int ArgumentSize = 24;
    private const int LoopKeptBytesMax = 16 * 1024 * ArgumentSize;
    private const int SessionKeptBytesMax = 1024 * ArgumentSize;
    private const string EmptyArgument = "$0\r\n\r\n";

    [Fact]
    public void AReceptionOfOneByteMovesNoArguments()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.SendRaw("*100000\r\n");
        server.Run();
        long loopBytes = server.Engine.Loops[0].ArgumentBytes;
        for (int count = 0; count < 2_000; count++)
        {
            foreach (char next in EmptyArgument)
            {
                client.SendRaw(next.ToString());
                server.Turn();
            }
        }

        PartialInput partial = client.Session!.Partial!;
        Assert.Equal(2_000, partial.Arguments.Count);
        Assert.Equal(partial.Arguments.Count, partial.State.ArgumentsFound);
        // The loop's array would hold them if a reception took them along.
        Assert.InRange(server.Engine.Loops[0].ArgumentBytes - loopBytes, 0, 16 * ArgumentSize);
    }

    // What a scan has passed may change under it: it reads on where the last one ended.
    [Fact]
    public void AReceptionDoesNotReadWhatEarlierOnesBrought()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.SendRaw("*1001\r\n$4\r\nECHO\r\n");
        for (int count = 0; count < 900; count++)
        {
            client.SendRaw(EmptyArgument);
            server.Run();
            PartialInput partial = client.Session!.Partial!;
            new Span<byte>(partial.Data, partial.Length).Fill(0xEE);
            Assert.Equal(count + 2, partial.State.ArgumentsFound);
        }

        client.SendRaw(string.Concat(Enumerable.Repeat(EmptyArgument, 100)));
        server.Run();
        Assert.StartsWith("-ERR unknown command '", client.TakeRaw(), StringComparison.Ordinal);
    }

    [Fact]
    public void ALargeCommandLeavesNoLargeArraysBehind()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        for (int round = 0; round < 2; round++)
        {
            client.SendRaw("*200000\r\n" + string.Concat(Enumerable.Repeat(EmptyArgument, 199_999)));
            server.Run();
            Assert.InRange(client.Session!.Partial!.Arguments.MemoryUsage, 199_999 * ArgumentSize,
                long.MaxValue);
            Assert.InRange(server.Engine.Loops[0].ArgumentBytes, 0, LoopKeptBytesMax);
            client.SendRaw(EmptyArgument);
            server.Run();
            Assert.StartsWith("-ERR unknown command", client.TakeRaw(), StringComparison.Ordinal);
            Assert.Null(client.Session!.Partial);
            Assert.InRange(server.Engine.Loops[0].ArgumentBytes, 0, LoopKeptBytesMax);
        }

        // The next session's input is the one that was kept.
        client.SendRaw("*2\r\n");
        server.Run();
        Assert.InRange(client.Session!.Partial!.Arguments.MemoryUsage, 0, SessionKeptBytesMax);
        client.SendRaw("*200000\r\n");
        server.Run();
        Assert.True(client.IsClosed);
    }

    [Fact]
    public void WhatIsMissingOfALargeArgumentIsRoom()
    {
        using var server = new TestServer();
        TestClient observer = server.Connect();
        // A pooled input that has grown does not stay with the large argument.
        TestClient first = server.Connect();
        first.SendRaw($"*1\r\n$20000\r\n{new string('v', 20_000)}");
        server.Run();
        string line = observer.Run($"CLIENT LIST ID {first.Session!.Id}");
        Assert.Equal(20_000, Number(line, " qbuf="));
        Assert.Equal(0, Number(line, " argv-mem="));
        first.Disconnect();
        TestClient client = server.Connect();
        client.SendRaw($"*2\r\n$3\r\nGET\r\n$300000\r\n{new string('v', 100_000)}");
        server.Run();
        line = observer.Run($"CLIENT LIST ID {client.Session!.Id}");
        Assert.Equal(100_000, Number(line, " qbuf="));
        Assert.InRange(Number(line, " qbuf-free="), 200_000, 202_000);
        client.SendRaw(new string('v', 200_000));
        server.Run();
        line = observer.Run($"CLIENT LIST ID {client.Session!.Id}");
        Assert.Equal(300_000, Number(line, " qbuf="));
        Assert.InRange(Number(line, " qbuf-free="), 0, 2_000);
        Assert.InRange(Number(line, " argv-mem="), 1, 40_000);
        client.SendRaw("\r\n");
        server.Run();
        Assert.Equal("$-1\r\n", client.TakeRaw());
    }

    [Fact]
    public void TheArrayOfArgumentsCountsAsMemory()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        TestClient observer = server.Connect();
        (long used, long clients) = Memory(observer);
        client.SendRaw("*200000\r\n" + string.Concat(Enumerable.Repeat(EmptyArgument, 100_000)));
        server.Run();
        const long arrayBytes = 100_000 * ArgumentSize;
        string line = observer.Run($"CLIENT LIST ID {client.Session!.Id}");
        Assert.InRange(Number(line, " argv-mem="), arrayBytes, 4 * arrayBytes);
        Assert.InRange(Number(line, " tot-mem="), arrayBytes + (6 * 100_000), 8 * arrayBytes);
        (long usedNow, long clientsNow) = Memory(observer);
        Assert.InRange(usedNow - used, arrayBytes + (6 * 100_000), long.MaxValue);
        Assert.InRange(clientsNow - clients, arrayBytes + (6 * 100_000), long.MaxValue);
        client.Disconnect();
        (usedNow, clientsNow) = Memory(observer);
        Assert.InRange(usedNow - used, long.MinValue, arrayBytes / 10);
        Assert.InRange(clientsNow - clients, long.MinValue, 0);
    }

    [Fact]
    public void TheArrayOfArgumentsCountsWhenItGrows()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.SendRaw("*100000\r\n");
        server.Run();
        PartialInput partial = client.Session!.Partial!;
        long others = server.Engine.Sessions.Buffers.UsedBytes - partial.NativeBytes;
        for (int count = 0; count < 2_000; count++)
        {
            client.SendRaw(EmptyArgument);
            server.Turn();
            Assert.Equal(others + partial.NativeBytes, server.Engine.Sessions.Buffers.UsedBytes);
        }

        Assert.InRange(partial.Arguments.MemoryUsage, 2_000 * ArgumentSize, long.MaxValue);
    }

    [Fact]
    public void TheArrayOfArgumentsCountsForTheQueryBufferLimit()
    {
        using var server = new TestServer();
        Assert.Null(server.Configuration.Set([new("client-query-buffer-limit", "1mb")], isLocalClient: true));
        TestClient client = server.Connect();
        client.SendRaw("*12000000\r\n" + string.Concat(Enumerable.Repeat(EmptyArgument, 20_000)));
        server.Run();
        Assert.False(client.IsClosed);
        client.SendRaw(string.Concat(Enumerable.Repeat(EmptyArgument, 50_000)));
        server.Run();
        Assert.True(client.IsClosed);
    }

    // Long commands change arrays with the loop, short ones are copied; with and without other commands in
    // the batch.
    [Theory]
    [InlineData(3, false)]
    [InlineData(3, true)]
    [InlineData(400, false)]
    [InlineData(400, true)]
    public void EverySplitOfAPipelineGivesTheSameReplies(int fieldCount, bool isInCompany)
    {
        using var server = new TestServer();
        TestClient other = server.Connect();
        TestClient client = server.Connect();
        List<byte> bytes = [];
        string[] fields = [.. Enumerable.Range(0, fieldCount).SelectMany(static number =>
            new[] { $"f{number}", $"v{number}" })];
        bytes.AddRange(RespClient.Encode(["PING"]));
        bytes.AddRange(RespClient.Encode(["HSET", "hash", .. fields]));
        bytes.AddRange(RespClient.Encode(["ECHO", "a\r\nb"]));
        bytes.AddRange(Encoding.Latin1.GetBytes("ECHO \"x\\x41\"\r\n"));
        bytes.AddRange(RespClient.Encode(["HGET", "hash", $"f{fieldCount - 1}"]));
        bytes.AddRange(RespClient.Encode(["DEL", "hash"]));
        string input = Encoding.Latin1.GetString([.. bytes]);
        string expected = $"+PONG :{fieldCount} $a\r\nb $xA $v{fieldCount - 1} :1";
        int step = fieldCount > 100 ? 17 : 1;
        for (int cut = 1; cut < input.Length; cut += step)
        {
            client.SendRaw(input[..cut]);
            server.Run();
            if (isInCompany)
                other.SendRaw("PING\r\nPING\r\n");
            client.SendRaw(input[cut..]);
            server.Run();
            Assert.Equal(expected, client.Shown());
            Assert.Null(client.Session!.Partial);
            Assert.Equal(isInCompany ? "+PONG +PONG" : "", other.Shown());
        }
    }

    private static (long Used, long Clients) Memory(TestClient client)
    {
        RespValue stats = client.Call("MEMORY", "STATS");
        long used = 0;
        long clients = 0;
        for (int index = 0; index < stats.Items.Count; index += 2)
        {
            if (stats.Items[index].Text == "total.allocated")
                used = stats.Items[index + 1].Integer;
            if (stats.Items[index].Text == "clients.normal")
                clients = stats.Items[index + 1].Integer;
        }

        string info = client.Call("INFO", "memory").Text;
        Assert.Equal(clients, Number(info, "\nmem_clients_normal:"));
        return (used, clients);
    }

    private static long Number(string text, string label)
    {
        int start = text.IndexOf(label, StringComparison.Ordinal) + label.Length;
        int end = start;
        while (end < text.Length && char.IsAsciiDigit(text[end]))
            end++;
        return long.Parse(text.AsSpan(start, end - start), CultureInfo.InvariantCulture);
    }
}
