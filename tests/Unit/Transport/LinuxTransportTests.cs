using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Engine.Configuration;
using Cinnabar.Transport.Epoll;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>What comes in over sockets, and how loops end.</summary>
[SupportedOSPlatform("linux")]
public abstract class LinuxTransportTests(TransportChoice transport) : IDisposable
{
    private readonly TransportChoice _transport = transport;
    private readonly SocketServer _server = new(new IPEndPoint(IPAddress.Loopback, 0), transport: transport);

    public void Dispose() => _server.Dispose();

    [Fact]
    public void AFaultEndsOneLoopAndTheOthersStop()
    {
        using (Socket client = _server.Connect())
            Assert.Equal("+PONG\r\n", SocketServer.Ask(client, "PING\r\n"));
        _server.Engine.Loops[1].Run(static () => throw new InvalidOperationException("On purpose."));
        Assert.True(_server.HasFailed.Wait(300_000));
        _server.Stop();
        Assert.IsType<InvalidOperationException>(_server.Fault);
    }

    [Fact]
    public void WhatComesBehindUrgentDataIsReceived()
    {
        using Socket client = _server.Connect();
        Assert.Equal("+PONG\r\n", SocketServer.Ask(client, "PING\r\n"));
        using var isHeld = new ManualResetEventSlim();
        using var hasSent = new ManualResetEventSlim();
        _server.Engine.Loops[0].Run(() =>
        {
            isHeld.Set();
            hasSent.Wait(300_000);
        });
        Assert.True(isHeld.Wait(300_000));
        client.Send("PING\r\nPI"u8);
        client.Send("!"u8, SocketFlags.OutOfBand);
        client.Send("NG\r\n"u8);
        hasSent.Set();
        string replies = "";
        while (replies.Length < 14)
            replies += SocketServer.ReadReply(client);
        Assert.Equal("+PONG\r\n+PONG\r\n", replies);
    }

    [Fact]
    public void WhatComesBehindDescriptorsIsReceived()
    {
        string path = Path.Combine(Path.GetTempPath(), $"cinnabar-{Guid.NewGuid():N}.sock");
        using var server = new SocketServer(new UnixDomainSocketEndPoint(path), transport: _transport);
        using Socket client = server.Connect();
        Assert.Equal("+PONG\r\n", SocketServer.Ask(client, "PING\r\n"));
        using var isHeld = new ManualResetEventSlim();
        using var hasSent = new ManualResetEventSlim();
        server.Engine.Loops[0].Run(() =>
        {
            isHeld.Set();
            hasSent.Wait(300_000);
        });
        Assert.True(isHeld.Wait(300_000));
        for (int count = 0; count < 3; count++)
            SendWithDescriptor(client, "PING\r\nPI"u8);
        client.Send("NG\r\n"u8);
        hasSent.Set();
        string replies = "";
        while (replies.Split('\n').Length < 5)
            replies += SocketServer.ReadReply(client);
        Assert.StartsWith("+PONG\r\n-ERR unknown command 'PIPING'", replies, StringComparison.Ordinal);
        Assert.EndsWith("+PONG\r\n", replies, StringComparison.Ordinal);
        File.Delete(path);
    }

    // The control message of a descriptor, which is the socket's own: its length, SOL_SOCKET, SCM_RIGHTS, it.
    private static unsafe void SendWithDescriptor(Socket socket, ReadOnlySpan<byte> bytes)
    {
        const int ControlLength = 20;
        long* control = stackalloc long[3] { ControlLength, 1L | (1L << 32), (int)socket.Handle };
        fixed (byte* data = bytes)
        {
            var vector = new IoVector { Data = data, Length = bytes.Length };
            var message = new MessageHeader
            {
                Vectors = &vector,
                VectorCount = 1,
                Control = control,
                ControlLength = 24,
            };
            Assert.Equal(bytes.Length, EpollCalls.SendMessage((int)socket.Handle, &message, 0));
        }
    }
}
