using System;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Cinnabar.Tests.Unit.Embedding;

/// <summary>A server that is disposed while connections over sockets have operations under way: an idle one
/// is received from, one with unread replies waits for room, one whose command waits is not read from, half a
/// command has come.</summary>
public sealed class SocketDisposalTests
{
    private const int BigLength = 16 << 20;
    private const int PieceLength = 1 << 20;
    private const int UnreadLength = 300_000;
    private const int IdleCount = 20;
    private const int HangMs = 300_000;

    private readonly ConcurrentQueue<string> _lines = new();

    /// <summary>Every byte is given back, and every connection ends.</summary>
    [Theory]
    [InlineData("epoll", "epoll")]
    [InlineData("io_uring", "io_uring")]
    [InlineData("portable", "sockets")]
    public async Task DisposingWithOperationsUnderWayGivesEveryByteBack(string transport, string name)
    {
        CinnabarServer server = Start(transport);
        using CinnabarClient client = server.Connect();
        byte[] value = new byte[BigLength];
        new Random(1).NextBytes(value);
        Assert.Equal("OK", (await client.CallAsync("SET"u8.ToArray(), "big"u8.ToArray(), value)).Text);
        Socket[] sockets = [.. OpenIdle(server.Port), Unread(server.Port), Waiting(server.Port),
            Half(server.Port)];
        string clients = $"connected_clients:{sockets.Length + 1}\r\n";
        await Until(client, "clients", info => info.Contains(clients, StringComparison.Ordinal)
            && info.Contains("blocked_clients:1\r\n", StringComparison.Ordinal));
        Assert.Contains(_lines, line => line.EndsWith($"are served over {name}", StringComparison.Ordinal)
            || line.Contains("io_uring cannot be used", StringComparison.Ordinal));

        await server.DisposeAsync();

        Assert.Equal(0, server.MappedBytes);
        foreach (Socket socket in sockets)
        {
            AssertEnds(socket);
            socket.Dispose();
        }

        Assert.DoesNotContain(_lines, line => line.Contains("fault", StringComparison.OrdinalIgnoreCase));
    }

    private CinnabarServer Start(string transport) => CinnabarServer.Start(new CinnabarServerOptions
    {
        LoopCount = 2,
        Port = 0,
        IsMemoryChecked = true,
        Log = _lines.Enqueue,
        // Connections are on both loops.
        Directives = [new("transport", transport), new("loop-placement", "all")],
    });

    private static Socket[] OpenIdle(int port)
    {
        var sockets = new Socket[IdleCount];
        for (int index = 0; index < sockets.Length; index++)
        {
            sockets[index] = Open(port, "PING\r\n");
            byte[] reply = new byte[7];
            for (int count = 0; count < reply.Length;)
                count += sockets[index].Receive(reply, count, reply.Length - count, SocketFlags.None);
            Assert.Equal("+PONG\r\n", Encoding.ASCII.GetString(reply));
        }

        return sockets;
    }

    /// <summary>It has read a part of a reply, and reads no more.</summary>
    private static Socket Unread(int port)
    {
        Socket socket = Open(port, "GET big\r\nGET big\r\n");
        byte[] part = new byte[1024];
        Assert.True(socket.Receive(part) > 0);
        return socket;
    }

    /// <summary>Its command waits, and more has come than is received meanwhile.</summary>
    private static Socket Waiting(int port) =>
        Open(port, $"BLPOP none 0\r\nECHO {new string('w', UnreadLength)}\r\n");

    private static Socket Half(int port) =>
        Open(port, $"*3\r\n$3\r\nSET\r\n$4\r\nhalf\r\n${BigLength}\r\n{new string('h', PieceLength)}");

    private static Socket Open(int port, string text)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = HangMs,
            SendTimeout = HangMs,
        };
        socket.Connect(IPAddress.Loopback, port);
        socket.Send(Encoding.ASCII.GetBytes(text));
        return socket;
    }

    private static async Task Until(CinnabarClient client, string section, Predicate<string> isSo)
    {
        for (long start = Environment.TickCount64; ; await Task.Delay(10))
        {
            string info = (await client.CallAsync("INFO", section)).Text;
            if (isSo(info))
                return;
            Assert.True(Environment.TickCount64 - start < HangMs, info);
        }
    }

    // The rest of its replies comes, or nothing; a connection with unread input is reset.
    private static void AssertEnds(Socket socket)
    {
        byte[] rest = new byte[1 << 16];
        try
        {
            while (socket.Receive(rest) > 0)
            {
                // It was on its way.
            }
        }
        catch (SocketException fault)
        {
            Assert.Equal(SocketError.ConnectionReset, fault.SocketErrorCode);
        }
    }
}
