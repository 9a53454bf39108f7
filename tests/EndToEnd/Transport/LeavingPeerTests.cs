using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>Peers that end their side of a connection while the server does not read from it; without TLS and
/// with it.</summary>
public sealed class LeavingPeerTests(TransportServers servers) : IClassFixture<TransportServers>
{
    private const int TimeoutMs = 300_000;
    // A loop that does not rest makes as many in some milliseconds.
    private const int TurnCountMax = 2000;

    /// <summary>The transports.</summary>
    public static TheoryData<string> Transports => [.. TransportServer.Transports];

    /// <summary>The transports without TLS.</summary>
    public static TheoryData<string> PlainTransports =>
        OperatingSystem.IsLinux() ? ["epoll", "io_uring", "portable"] : ["portable"];

    /// <summary>A peer that leaves while blocked is noticed, however it leaves and however long it has
    /// waited.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void APeerThatLeavesWhileBlockedVanishes(string transport)
    {
        const int WaitCount = 300;
        TransportServer server = servers.Of(transport);
        using var client = new RespClient(server.PlainPort);
        foreach (bool hasWaited in (bool[])[false, true])
        {
            TransportPeer[] peers = [.. Enumerable.Range(0, 3).Select(_ => server.Connect())];
            foreach (TransportPeer peer in peers)
                peer.Stream.Write("PING\r\nWAIT 1 0\r\n"u8);
            Await(client, static list => list.Split("cmd=wait").Length == 4);
            // As many waits of the loops as make the portable transport put idle connections aside.
            for (int count = 0; hasWaited && count < WaitCount; count++)
                client.Call("PING");
            peers[0].Dispose();
            peers[1].Socket.LingerState = new LingerOption(true, 0);
            peers[1].Dispose();
            End(peers[2]);
            Await(client, static list => !list.Contains("cmd=wait", StringComparison.Ordinal));
            Assert.Equal("+PONG\r\n", ReadToEnd(peers[2]));
            peers[2].Dispose();
        }
    }

    /// <summary>Peers that leave in the middle of a command, right behind their last bytes, vanish, too.
    /// Kernels have not told io_uring of some of them.</summary>
    [Theory]
    [MemberData(nameof(PlainTransports))]
    public void PeersThatLeaveBehindTheirLastBytesVanish(string transport)
    {
        const int Count = 4000;
        TransportServer server = servers.Of(transport);
        using var client = new RespClient(server.PlainPort);
        byte[] half = Encoding.ASCII.GetBytes(
            $"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000000\r\n{new string('x', 30_000)}");
        for (int count = 0; count < Count; count++)
        {
            using TransportPeer peer = server.Connect();
            peer.Stream.Write(half);
            if (count % 2 == 0)
                peer.Socket.LingerState = new LingerOption(true, 0);
            else
                peer.Socket.Shutdown(SocketShutdown.Send);
        }

        Await(client, static list => list.Split("id=").Length == 2);
    }

    /// <summary>Also when it has sent more than the sockets' buffers take.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void ABlockedPeerThatLeavesMuchInputVanishes(string transport)
    {
        TransportServer server = servers.Of(transport);
        using var client = new RespClient(server.PlainPort);
        using (TransportPeer peer = server.Connect())
        {
            byte[] request = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat("PING\r\n", 4 << 20)));
            peer.Stream.Write("BLPOP none 0\r\n"u8);
            peer.Stream.Write(request);
        }

        Await(client, static list => list.Count(static one => one == '\n') == 1);
        Assert.Equal("PONG", client.Call("PING").Text);
    }

    /// <summary>A command and the end at once: it blocks, and is over.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void APeerThatLeftBeforeItBlocksVanishes(string transport)
    {
        TransportServer server = servers.Of(transport);
        using var client = new RespClient(server.PlainPort);
        client.Call("CLIENT", "PAUSE", "300", "ALL");
        using TransportPeer peer = server.Connect();
        peer.Stream.Write("WAIT 1 0\r\n"u8);
        End(peer);
        Assert.Equal("", ReadToEnd(peer));
        Await(client, static list => list.Count(static one => one == '\n') == 1);
    }

    /// <summary>A command that waits for something else gets its reply.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AHalfClosedConnectionIsAnsweredAfterAPause(string transport)
    {
        TransportServer server = servers.Of(transport);
        using var client = new RespClient(server.PlainPort);
        client.Call("CLIENT", "PAUSE", "300", "ALL");
        using TransportPeer peer = server.Connect();
        peer.Stream.Write("SET a b\r\nGET a\r\nFLUSHALL SYNC\r\nGET a\r\n"u8);
        End(peer);
        Assert.Equal("+OK\r\n$1\r\nb\r\n+OK\r\n$-1\r\n", ReadToEnd(peer));
    }

    /// <summary>Replies that the peer has not taken when it ends its side are not lost, and the server rests
    /// until it takes them.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void AHalfClosedConnectionGetsItsUnsentReplies(string transport)
    {
        const int ValueSize = 8 << 20;
        TransportServer server = servers.Of(transport);
        using var client = new RespClient(server.PlainPort);
        client.Call("SETRANGE", "big", $"{ValueSize - 1}", "x");
        using TransportPeer peer = server.Connect();
        peer.Stream.Write("GET big\r\nGET big\r\nGET big\r\n"u8);
        End(peer);
        // The server has seen the end, as far as it is going to: nothing of this depends on it.
        for (int count = 0; count < 50; count++)
            client.Call("PING");
        long before = TurnCount(client);
        Thread.Sleep(300);
        Assert.InRange(TurnCount(client) - before, 0, TurnCountMax);
        Assert.Equal(3L * (ValueSize + "$8388608\r\n\r\n".Length), CountToEnd(peer));
        Await(client, static list => list.Count(static one => one == '\n') == 1);
    }

    /// <summary>Input before a reset is executed, even if it must wait for the lock of its key.</summary>
    [Theory]
    [MemberData(nameof(Transports))]
    public void InputBeforeAResetIsExecuted(string transport)
    {
        TransportServer server = servers.Of(transport);
        ExecuteAfterLeaving(server, () =>
        {
            TransportPeer peer = server.Connect();
            peer.Socket.LingerState = new LingerOption(true, 0);
            return peer.Stream;
        });
    }

    /// <summary>Also with Unix sockets, whose end is known at once, and with all input.</summary>
    [Theory]
    [MemberData(nameof(PlainTransports))]
    public void InputBeforeTheEndOfAUnixSocketIsExecuted(string transport)
    {
        TransportServer server = servers.Of(transport);
        ExecuteAfterLeaving(server, () =>
        {
            var peer = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            peer.Connect(new UnixDomainSocketEndPoint(server.UnixPath));
            return new NetworkStream(peer, ownsSocket: true);
        });
    }

    private static void ExecuteAfterLeaving(TransportServer server, Func<Stream> connect)
    {
        const int CommandCount = 100;
        using var client = new RespClient(server.PlainPort);
        using var sleeper = new RespClient(server.PlainPort);
        // All keys are locked meanwhile.
        sleeper.Send("DEBUG", "SLEEP", "0.5");
        Await(client, static list => list.Contains("cmd=debug", StringComparison.Ordinal));
        using (Stream peer = connect())
        {
            string request = string.Concat(Enumerable.Repeat("INCR count\r\n", CommandCount));
            // A later command that waits for a key ends with its client.
            peer.Write(Encoding.ASCII.GetBytes($"{request}BLPOP none 0\r\nINCR count\r\n"));
            Await(client, static list => list.Contains("cmd=incr", StringComparison.Ordinal)
                || list.Contains("cmd=blpop", StringComparison.Ordinal));
        }

        Await(client, static list => list.Count(static one => one == '\n') == 2);
        Assert.Equal($"{CommandCount}", client.Call("GET", "count").Text);
    }

    /// <summary>Ends the output, in the way of TLS too, where there is TLS.</summary>
    private static void End(TransportPeer peer)
    {
        if (peer.Stream is SslStream)
            peer.EndOutput();
        peer.Socket.Shutdown(SocketShutdown.Send);
    }

    private static void Await(RespClient client, Predicate<string> isReached)
    {
        for (long endMs = Environment.TickCount64 + TimeoutMs; ; Thread.Sleep(5))
        {
            string list = client.Call("CLIENT", "LIST").Text;
            if (isReached(list))
                return;
            Assert.True(Environment.TickCount64 < endMs, list);
        }
    }

    private static long TurnCount(RespClient client)
    {
        string told = client.Call("INFO", "stats").Text;
        return long.Parse(told.Split("eventloop_cycles:")[1].Split('\r')[0], CultureInfo.InvariantCulture);
    }

    private static string ReadToEnd(TransportPeer peer)
    {
        var buffer = new byte[256];
        int length = 0;
        for (int count = -1; count != 0; length += count)
            count = peer.Stream.Read(buffer, length, buffer.Length - length);
        return Encoding.Latin1.GetString(buffer, 0, length);
    }

    private static long CountToEnd(TransportPeer peer)
    {
        var buffer = new byte[1 << 20];
        long length = 0;
        for (int count = -1; count != 0; length += count)
            count = peer.Stream.Read(buffer);
        return length;
    }
}
