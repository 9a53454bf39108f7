using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>Every transport over real sockets: sizes, splits, slow and vanishing peers. One server a
/// transport serves all tests.</summary>
public sealed class TransportTests(TransportServers servers) : IClassFixture<TransportServers>
{
    private const int TimeoutMs = 300_000;

    /// <summary>The transports.</summary>
    public static TheoryData<string> Transports => [.. TransportServer.Transports];

    /// <summary>Strings of all sizes come back as they went.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void EchoesEverySize(string transport)
    {
        TransportServer server = servers.Of(transport);
        using TransportPeer peer = server.Connect();
        Stream stream = peer.Stream;
        var random = new Random(7);
        int[] sizes = [0, 1, 511, 512, 513, 16_383, 65_536, 65_537, 300_000, 5_000_000, 64 << 20];
        foreach (int size in sizes)
        {
            var value = new byte[size];
            random.NextBytes(value);
            Write(stream, "ECHO"u8.ToArray(), value);
            Assert.Equal($"${size}", TransportPeer.ReadLine(stream));
            var reply = new byte[size + 2];
            stream.ReadExactly(reply);
            Assert.True(reply.AsSpan(0, size).SequenceEqual(value), $"{size} bytes");
        }
    }

    /// <summary>Commands may come byte by byte.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void TakesInputByteByByte(string transport)
    {
        TransportServer server = servers.Of(transport);
        using TransportPeer peer = server.Connect();
        Stream stream = peer.Stream;
        foreach (byte one in "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nvalue\r\nGET k\r\n"u8.ToArray())
        {
            stream.WriteByte(one);
            stream.Flush();
        }

        Assert.Equal("+OK", TransportPeer.ReadLine(stream));
        Assert.Equal("$5", TransportPeer.ReadLine(stream));
        Assert.Equal("value", TransportPeer.ReadLine(stream));
    }

    /// <summary>A pipeline may be written whole before any reply is read.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public async Task AnswersADeepPipelineOfASlowReader(string transport)
    {
        const int CommandCount = 100_000;
        TransportServer server = servers.Of(transport);
        using TransportPeer peer = server.Connect();
        Stream stream = peer.Stream;
        Write(stream, "SET"u8.ToArray(), "k"u8.ToArray(), new byte[500]);
        Assert.Equal("+OK", TransportPeer.ReadLine(stream));
        byte[] pipeline = Encoding.Latin1.GetBytes(
            new StringBuilder().Insert(0, "GET k\r\n", CommandCount).ToString());
        await stream.WriteAsync(pipeline, TestContext.Current.CancellationToken);
        Write(stream, "PING"u8.ToArray());
        var replies = new byte[CommandCount * (500 + 8)];
        await stream.ReadExactlyAsync(replies, TestContext.Current.CancellationToken);
        Assert.Equal("+PONG", TransportPeer.ReadLine(stream));
    }

    /// <summary>Commands before the end of input are answered.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AHalfClosedConnectionIsAnswered(string transport)
    {
        TransportServer server = servers.Of(transport);
        using TransportPeer peer = server.Connect();
        Stream stream = peer.Stream;
        Write(stream, "ECHO"u8.ToArray(), "hello"u8.ToArray());
        peer.EndOutput();
        Assert.Equal("$5", TransportPeer.ReadLine(stream));
        Assert.Equal("hello", TransportPeer.ReadLine(stream));
        Assert.Equal(-1, stream.ReadByte());
    }

    /// <summary>Idle connections stay served, also after a time without traffic.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void ServesAThousandConnections(string transport)
    {
        TransportServer server = servers.Of(transport);
        var peers = new List<TransportPeer>();
        for (int index = 0; index < 1000; index++)
            peers.Add(server.Connect());
        List<Stream> streams = peers.ConvertAll(static peer => peer.Stream);
        // The first connection makes waits enough for the others to be parked.
        for (int round = 0; round < 400; round++)
        {
            Write(streams[0], "PING"u8.ToArray());
            Assert.Equal("+PONG", TransportPeer.ReadLine(streams[0]));
            if (round % 200 != 199)
                continue;
            foreach (Stream stream in streams)
                Write(stream, "PING"u8.ToArray());
            foreach (Stream stream in streams)
                Assert.Equal("+PONG", TransportPeer.ReadLine(stream));
        }

        foreach (TransportPeer peer in peers)
            peer.Dispose();
    }

    /// <summary>A peer that vanishes in the middle of a command disturbs no other and leaves no
    /// session.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void OutlivesPeersThatVanish(string transport)
    {
        TransportServer server = servers.Of(transport);
        using TransportPeer peer = server.Connect();
        Stream stream = peer.Stream;
        Write(stream, "SET"u8.ToArray(), "big"u8.ToArray(), new byte[8 << 20]);
        Assert.Equal("+OK", TransportPeer.ReadLine(stream));
        string[] beginnings =
        [
            "", "*", "*2\r\n$4\r\nEC",
            "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$9000000\r\nxyz", "GET big\r\nGET big\r\n",
            "SUBSCRIBE c\r\n", "MULTI\r\nSET a b\r\n", "WATCH big\r\n", "KEYS *\r\nGET big\r\n",
        ];
        foreach (bool isReset in (bool[])[false, true])
        {
            foreach (string beginning in beginnings)
            {
                TransportPeer other = server.Connect();
                other.Stream.Write(Encoding.Latin1.GetBytes(beginning));
                if (isReset)
                    other.Socket.LingerState = new LingerOption(true, 0);
                other.Dispose();
                Write(stream, "PING"u8.ToArray());
                Assert.Equal("+PONG", TransportPeer.ReadLine(stream));
            }
        }

        AwaitOneClient(stream);
    }

    private static void AwaitOneClient(Stream stream)
    {
        for (long endMs = Environment.TickCount64 + TimeoutMs; ; Thread.Sleep(10))
        {
            Write(stream, "INFO"u8.ToArray(), "clients"u8.ToArray());
            int length = int.Parse(TransportPeer.ReadLine(stream).AsSpan(1), provider: null);
            var text = new byte[length + 2];
            stream.ReadExactly(text);
            if (Encoding.Latin1.GetString(text).Contains("connected_clients:1\r", StringComparison.Ordinal))
                return;
            Assert.True(Environment.TickCount64 < endMs, Encoding.Latin1.GetString(text));
        }
    }

    private static void Write(Stream stream, params byte[][] arguments)
    {
        stream.Write(Encoding.Latin1.GetBytes($"*{arguments.Length}\r\n"));
        foreach (byte[] argument in arguments)
        {
            stream.Write(Encoding.Latin1.GetBytes($"${argument.Length}\r\n"));
            stream.Write(argument);
            stream.Write("\r\n"u8);
        }
    }

}
