using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;
using Cinnabar.Engine.Configuration;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Transport.Placing;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>While one loop is enough, requests are executed in the order of sending, across connections. Over
/// a unix socket, where a request has arrived when the send returns.</summary>
[SupportedOSPlatform("linux")]
public abstract class ArrivalOrderTests : IDisposable
{
    private const int ClientCount = 8;
    private const string NoOrder = "this kernel's io_uring has no order";

    // Before, the kernel completes what has come since the last call in the reverse order (seen on 6.1).
    private static readonly Version s_orderedRing = new(6, 4);

    private readonly string _path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
    private readonly SocketServer _server;
    private readonly Socket[] _clients = new Socket[ClientCount];
    private readonly bool _isOrdered;

    protected ArrivalOrderTests(TransportChoice transport)
    {
        _isOrdered = transport != TransportChoice.Uring || Environment.OSVersion.Version >= s_orderedRing;
        _server = new SocketServer(new UnixDomainSocketEndPoint(_path), new OneLoop(), transport);
        for (int index = 0; index < ClientCount; index++)
            _clients[index] = _server.Connect();
        foreach (Socket client in _clients)
            Assert.Equal("+PONG\r\n", SocketServer.Ask(client, "PING\r\n"));
    }

    public void Dispose()
    {
        foreach (Socket client in _clients)
            client.Dispose();
        _server.Dispose();
        File.Delete(_path);
    }

    [Fact]
    public void RequestsOfSeveralConnectionsAreExecutedInTheOrderOfTheirArrival()
    {
        Assert.SkipUnless(_isOrdered, NoOrder);
        Seeded.Run(1, SendInTurn);
    }

    [Fact]
    public void AClientThatWaitsHasBegunToBeforeAnotherServesIt()
    {
        Assert.SkipUnless(_isOrdered, NoOrder);
        for (int round = 0; round < 500; round++)
        {
            Socket waiting = _clients[round % ClientCount];
            Socket serving = _clients[(round + 1) % ClientCount];
            waiting.Send("XREAD BLOCK 0 STREAMS s $\r\n"u8);
            Assert.Equal('$', SocketServer.Ask(serving, "XADD s * field value\r\n")[0]);
            Assert.Equal('*', SocketServer.ReadReply(waiting)[0]);
        }
    }

    private void SendInTurn(ulong seed)
    {
        var random = new RandomSource(seed);
        int last = 0;
        for (int round = 0; round < 2000; round++)
        {
            var senders = new List<Socket>();
            ulong count = 1 + random.NextBelow(ClientCount);
            while ((ulong)senders.Count < count)
            {
                Socket client = _clients[random.NextBelow(ClientCount)];
                if (senders.Contains(client))
                    continue;
                client.Send(Encoding.ASCII.GetBytes($"GETSET last {++last}\r\n"));
                senders.Add(client);
            }

            for (int index = 0; index < senders.Count; index++)
            {
                string previous = $"{last - senders.Count + index}";
                string expected = previous == "0" ? "$-1\r\n" : $"${previous.Length}\r\n{previous}\r\n";
                Assert.Equal(expected, SocketServer.ReadReply(senders[index]));
            }
        }
    }

    /// <summary>Finds one loop enough, however slow the machine makes it.</summary>
    private sealed class OneLoop() : Placement(SocketServer.LoopCount, isAlwaysSpread: false)
    {
        public override long PeriodTicks => long.MaxValue;
    }
}
