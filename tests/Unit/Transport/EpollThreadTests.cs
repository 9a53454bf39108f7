using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Transport.Epoll;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>Loops that change hands while they serve.</summary>
[SupportedOSPlatform("linux")]
public sealed class EpollThreadTests : IDisposable
{
    private const int MoveCountMin = 10;

    private readonly EpollServer _server = new(new IPEndPoint(IPAddress.Loopback, 0));

    public void Dispose() => _server.Dispose();

    [Fact]
    public void EveryCommandIsAnsweredWhileLoopsChangeHands() => Seeded.Run(1, seed =>
    {
        var random = new RandomSource(seed);
        using var enough = new CancellationTokenSource(TimeSpan.FromSeconds(2));
        Task[] clients = new Task[2 * EpollServer.LoopCount];
        for (int index = 0; index < clients.Length; index++)
        {
            string key = $"k{index}";
            clients[index] = Task.Factory.StartNew(() => Count(key, enough.Token), CancellationToken.None,
                TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }

        // A machine may stand still for all of that time.
        for (int moveCount = 0; moveCount < MoveCountMin || !enough.IsCancellationRequested; moveCount++)
        {
            EpollThread driver = _server.Transports[random.NextBelow(EpollServer.LoopCount)].Home;
            _server.Transports[random.NextBelow(EpollServer.LoopCount)].MoveTo(driver);
            if (moveCount % 4 == 0)
                Thread.Sleep(1);
        }

        Task.WaitAll(clients);
    });

    [Fact]
    public void ManyConnectionsAreServedInSetsOfTheirLoops()
    {
        _server.DriveAllBy(0);
        var clients = new List<Socket>();
        for (int count = 0; count < ArrivalOrder.ConnectionCountMax + 20; count++)
        {
            clients.Add(_server.Connect());
            Assert.Equal($":{count + 1}\r\n", EpollServer.Ask(clients[^1], "INCR count\r\n"));
        }

        foreach (Socket client in clients)
            Assert.Equal("+PONG\r\n", EpollServer.Ask(client, "PING\r\n"));
        while (clients.Count > 1)
        {
            clients[^1].Dispose();
            clients.RemoveAt(clients.Count - 1);
            Assert.Equal("+PONG\r\n", EpollServer.Ask(clients[0], "PING\r\n"));
        }

        clients[0].Dispose();
        _server.Stop();
        Assert.Null(_server.Fault);
    }

    [Fact]
    public void LoopsChangeHandsWithoutNewDescriptors()
    {
        var sets = new List<EpollSet?>();
        foreach (EpollTransport transport in _server.Transports)
        {
            transport.Home.Prepare();
            sets.AddRange([transport.Home.Sets, transport.Home.Common]);
        }

        for (int round = 0; round < 2 * EpollServer.LoopCount; round++)
        {
            _server.DriveAllBy(round % EpollServer.LoopCount);
            using Socket client = _server.Connect();
            Assert.Equal("+PONG\r\n", EpollServer.Ask(client, "PING\r\n"));
        }

        var setsAfter = new List<EpollSet?>();
        foreach (EpollTransport transport in _server.Transports)
            setsAfter.AddRange([transport.Home.Sets, transport.Home.Common]);
        Assert.Equal(sets, setsAfter);
        Assert.DoesNotContain(null, sets);
    }

    [Fact]
    public void ARestingThreadGetsItsLoopBackAndEnds()
    {
        _server.DriveAllBy(0);
        using (Socket client = _server.Connect())
            Assert.Equal("+PONG\r\n", EpollServer.Ask(client, "PING\r\n"));
        _server.Stop();
        Assert.Null(_server.Fault);
    }

    [Fact]
    public void AFaultEndsOneThreadAndTheOthersGetTheirLoopsBack()
    {
        _server.DriveAllBy(1);
        using (Socket client = _server.Connect())
            Assert.Equal("+PONG\r\n", EpollServer.Ask(client, "PING\r\n"));
        _server.Engine.Loops[1].Run(static () => throw new InvalidOperationException("On purpose."));
        Assert.True(_server.HasFailed.Wait(300_000));
        _server.Stop();
        Assert.IsType<InvalidOperationException>(_server.Fault);
    }

    [Fact]
    public void WhatComesBehindUrgentDataIsReceived()
    {
        _server.DriveAllBy(0);
        using Socket client = _server.Connect();
        Assert.Equal("+PONG\r\n", EpollServer.Ask(client, "PING\r\n"));
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
            replies += EpollServer.ReadReply(client);
        Assert.Equal("+PONG\r\n+PONG\r\n", replies);
    }

    [Fact]
    public void WhatComesBehindDescriptorsIsReceived()
    {
        string path = Path.Combine(Path.GetTempPath(), $"cinnabar-{Guid.NewGuid():N}.sock");
        using var server = new EpollServer(new UnixDomainSocketEndPoint(path));
        server.DriveAllBy(0);
        using Socket client = server.Connect();
        Assert.Equal("+PONG\r\n", EpollServer.Ask(client, "PING\r\n"));
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
            replies += EpollServer.ReadReply(client);
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

    private void Count(string key, CancellationToken enough)
    {
        using Socket client = _server.Connect();
        for (int expected = 1; !enough.IsCancellationRequested; expected++)
            Assert.Equal($":{expected}\r\n", EpollServer.Ask(client, $"INCR {key}\r\n"));
    }
}
