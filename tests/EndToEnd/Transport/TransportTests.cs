using System;
using System.Collections.Generic;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>Both transports over real sockets: sizes, splits, slow and vanishing peers.</summary>
public class TransportTests
{
    private const int TimeoutMs = 300_000;

    /// <summary>The transports.</summary>
    public static TheoryData<string> Transports =>
        OperatingSystem.IsLinux() ? ["epoll", "portable"] : ["portable"];

    /// <summary>Strings of all sizes come back as they went.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void EchoesEverySize(string transport)
    {
        using CinnabarServer server = Start(transport);
        using NetworkStream stream = Connect(server);
        var random = new Random(7);
        int[] sizes = [0, 1, 511, 512, 513, 16_383, 65_536, 65_537, 300_000, 5_000_000, 64 << 20];
        foreach (int size in sizes)
        {
            var value = new byte[size];
            random.NextBytes(value);
            Write(stream, "ECHO"u8.ToArray(), value);
            Assert.Equal($"${size}", ReadLine(stream));
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
        using CinnabarServer server = Start(transport);
        using NetworkStream stream = Connect(server);
        foreach (byte one in "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nvalue\r\nGET k\r\n"u8.ToArray())
        {
            stream.WriteByte(one);
            stream.Flush();
        }

        Assert.Equal("+OK", ReadLine(stream));
        Assert.Equal("$5", ReadLine(stream));
        Assert.Equal("value", ReadLine(stream));
    }

    /// <summary>A pipeline may be written whole before any reply is read.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public async Task AnswersADeepPipelineOfASlowReader(string transport)
    {
        const int CommandCount = 100_000;
        using CinnabarServer server = Start(transport);
        using NetworkStream stream = Connect(server);
        Write(stream, "SET"u8.ToArray(), "k"u8.ToArray(), new byte[500]);
        Assert.Equal("+OK", ReadLine(stream));
        byte[] pipeline = Encoding.Latin1.GetBytes(
            new StringBuilder().Insert(0, "GET k\r\n", CommandCount).ToString());
        await stream.WriteAsync(pipeline, TestContext.Current.CancellationToken);
        Write(stream, "PING"u8.ToArray());
        var replies = new byte[CommandCount * (500 + 8)];
        await stream.ReadExactlyAsync(replies, TestContext.Current.CancellationToken);
        Assert.Equal("+PONG", ReadLine(stream));
    }

    /// <summary>Commands before the end of input are answered.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AHalfClosedConnectionIsAnswered(string transport)
    {
        using CinnabarServer server = Start(transport);
        using NetworkStream stream = Connect(server);
        Write(stream, "ECHO"u8.ToArray(), "hello"u8.ToArray());
        stream.Socket.Shutdown(SocketShutdown.Send);
        Assert.Equal("$5", ReadLine(stream));
        Assert.Equal("hello", ReadLine(stream));
        Assert.Equal(-1, stream.ReadByte());
    }

    /// <summary>Idle connections stay served, also after a time without traffic.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void ServesAThousandConnections(string transport)
    {
        using CinnabarServer server = Start(transport);
        var streams = new List<NetworkStream>();
        for (int index = 0; index < 1000; index++)
            streams.Add(Connect(server));
        // The first connection makes waits enough for the others to be parked.
        for (int round = 0; round < 400; round++)
        {
            Write(streams[0], "PING"u8.ToArray());
            Assert.Equal("+PONG", ReadLine(streams[0]));
            if (round % 200 != 199)
                continue;
            foreach (NetworkStream stream in streams)
                Write(stream, "PING"u8.ToArray());
            foreach (NetworkStream stream in streams)
                Assert.Equal("+PONG", ReadLine(stream));
        }

        foreach (NetworkStream stream in streams)
            stream.Dispose();
    }

    /// <summary>A peer that vanishes in the middle of a command disturbs no other and leaves no
    /// session.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void OutlivesPeersThatVanish(string transport)
    {
        using CinnabarServer server = Start(transport);
        using NetworkStream stream = Connect(server);
        Write(stream, "SET"u8.ToArray(), "big"u8.ToArray(), new byte[8 << 20]);
        Assert.Equal("+OK", ReadLine(stream));
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
                NetworkStream peer = Connect(server);
                peer.Write(Encoding.Latin1.GetBytes(beginning));
                if (isReset)
                    peer.Socket.LingerState = new LingerOption(true, 0);
                peer.Dispose();
                Write(stream, "PING"u8.ToArray());
                Assert.Equal("+PONG", ReadLine(stream));
            }
        }

        AwaitOneClient(stream);
    }

    private static void AwaitOneClient(NetworkStream stream)
    {
        for (long endMs = Environment.TickCount64 + TimeoutMs; ; Thread.Sleep(10))
        {
            Write(stream, "INFO"u8.ToArray(), "clients"u8.ToArray());
            int length = int.Parse(ReadLine(stream).AsSpan(1), provider: null);
            var text = new byte[length + 2];
            stream.ReadExactly(text);
            if (Encoding.Latin1.GetString(text).Contains("connected_clients:1\r", StringComparison.Ordinal))
                return;
            Assert.True(Environment.TickCount64 < endMs, Encoding.Latin1.GetString(text));
        }
    }

    private static CinnabarServer Start(string transport) => CinnabarServer.Start(new CinnabarServerOptions
    {
        Port = 0,
        LoopCount = 2,
        IsMemoryChecked = true,
        Directives = [new("transport", transport)],
    });

    private static NetworkStream Connect(CinnabarServer server)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = TimeoutMs,
            SendTimeout = TimeoutMs,
        };
        socket.Connect("127.0.0.1", server.Port);
        return new NetworkStream(socket, ownsSocket: true);
    }

    private static void Write(NetworkStream stream, params byte[][] arguments)
    {
        stream.Write(Encoding.Latin1.GetBytes($"*{arguments.Length}\r\n"));
        foreach (byte[] argument in arguments)
        {
            stream.Write(Encoding.Latin1.GetBytes($"${argument.Length}\r\n"));
            stream.Write(argument);
            stream.Write("\r\n"u8);
        }
    }

    private static string ReadLine(NetworkStream stream)
    {
        var line = new StringBuilder();
        for (int next = stream.ReadByte(); next != '\n'; next = stream.ReadByte())
        {
            Assert.NotEqual(-1, next);
            line.Append((char)next);
        }

        return line.ToString().TrimEnd('\r');
    }
}
