using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Engine.Configuration;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Transport.Placing;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>Sessions that move from loop to loop while they are served, killed and closed.</summary>
[SupportedOSPlatform("linux")]
public sealed class MovingSessionsTests : IDisposable
{
    private const int ClientCount = 8;

    private SocketServer _server = null!;
    private readonly ConcurrentDictionary<string, bool> _loopsSeen = new();
    private readonly ConcurrentDictionary<int, long> _ids = new();
    private CancellationToken _enough;

    // A machine may stand still for all of the time.
    private bool IsEnough =>
        _enough.IsCancellationRequested && _loopsSeen.Count == SocketServer.LoopCount;

    public void Dispose() => _server?.Dispose();

    /// <summary>Each client counts in pipelines: a lost, repeated or reordered command shows.</summary>
    [Theory]
    [InlineData(TransportChoice.Epoll)]
    [InlineData(TransportChoice.Uring)]
    [InlineData(TransportChoice.Portable)]
    public void EveryCommandIsExecutedOnceAndInOrder(TransportChoice transport) => Seeded.Run(1, seed =>
    {
        _server = new SocketServer(new IPEndPoint(IPAddress.Loopback, 0),
            new RestlessPlacement(SocketServer.LoopCount), transport);
        using var enough = new CancellationTokenSource(TimeSpan.FromSeconds(2));
        _enough = enough.Token;
        Task[] clients = [.. Enumerable.Range(0, ClientCount).Select(index => Start(
            () => Count(index, seed + (ulong)index)))];
        Task killer = Start(() => Kill(~seed));
        Task.WaitAll([.. clients, killer]);
        Assert.Null(_server.Fault);
        Assert.Equal(SocketServer.LoopCount, _loopsSeen.Count);
        // A session that was on its way from loop to loop ends with the last mail.
        _server.Dispose();
        Assert.Equal(0, _server.Engine.Sessions.Count);
        _server = null!;
    });

    private static Task Start(Action action) => Task.Factory.StartNew(
        action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private void Count(int index, ulong seed)
    {
        var random = new RandomSource(seed);
        long asked = 0;
        while (!IsEnough)
        {
            using Socket socket = _server.Connect();
            using var stream = new NetworkStream(socket);
            var replies = new RespReader(new BufferedStream(stream));
            try
            {
                Send(stream, "CLIENT ID\r\n");
                _ids[index] = replies.Read().Integer;
                // The unanswered command of the last connection was executed, or was not.
                Send(stream, $"GET k{index}\r\n");
                string known = replies.Read().Text;
                long count = known == "" ? 0 : long.Parse(known, CultureInfo.InvariantCulture);
                Assert.InRange(count, 0, asked);
                asked = count;
                Pipelines(stream, replies, index, ref random, ref asked);
            }
            catch (IOException)
            {
                // It was killed.
            }
        }
    }

    private void Pipelines(
        Stream stream, RespReader replies, int index, ref RandomSource random, ref long asked)
    {
        long answered = asked;
        ulong pipelineCount = 1 + random.NextBelow(2000);
        for (ulong done = 0; done < pipelineCount && !IsEnough; done++)
        {
            var request = new StringBuilder();
            int depth = 1 + (int)random.NextBelow(20);
            asked += depth;
            for (int left = depth; left > 0; left--)
                request.Append(CultureInfo.InvariantCulture, $"INCR k{index}\r\n");
            // Half a command waits in its session until the rest comes.
            int cut = (int)random.NextBelow((ulong)request.Length);
            Send(stream, request.ToString(0, cut));
            Send(stream, request.ToString(cut, request.Length - cut));
            while (answered < asked)
                Assert.Equal(++answered, replies.Read().Integer);
            switch (random.NextBelow(20))
            {
                case 0:
                    Send(stream, "CLIENT INFO\r\n");
                    _loopsSeen[replies.Read().Text.Split("io-thread=")[1].Split(' ')[0]] = true;
                    break;
                case 1:
                    Send(stream, $"MULTI\r\nSET m{index} x\r\nEXEC\r\n");
                    Assert.Equal(["OK", "QUEUED"], new[] { replies.Read().Text, replies.Read().Text });
                    replies.Read();
                    break;
                case 2:
                    Send(stream, $"SUBSCRIBE c{index}\r\nPING\r\nUNSUBSCRIBE\r\nPUBLISH c{index} x\r\n");
                    for (int left = 3; left > 0; left--)
                        replies.Read();
                    Assert.Equal(0, replies.Read().Integer);
                    break;
                case 3:
                    Send(stream, $"BLPOP none{index} 0.001\r\n");
                    replies.Read();
                    break;
            }
        }
    }

    // From the reply of CLIENT KILL on the client is gone.
    private void Kill(ulong seed)
    {
        var random = new RandomSource(seed);
        using Socket socket = _server.Connect();
        using var stream = new NetworkStream(socket);
        var replies = new RespReader(new BufferedStream(stream));
        while (!IsEnough)
        {
            if (!_ids.TryGetValue((int)random.NextBelow(ClientCount), out long id))
                continue;
            Send(stream, $"CLIENT KILL ID {id}\r\nCLIENT LIST ID {id}\r\n");
            Assert.InRange(replies.Read().Integer, 0, 1);
            Assert.Equal("", replies.Read().Text.Trim());
            Thread.Sleep(1);
        }
    }

    private static void Send(Stream stream, string text) => stream.Write(Encoding.ASCII.GetBytes(text));

    /// <summary>Has every loop give sessions away five thousand times a second.</summary>
    private sealed class RestlessPlacement(int loopCount) : Placement(loopCount, isAlwaysSpread: true)
    {
        private readonly Random _random = new();

        public override long PeriodTicks => Stopwatch.Frequency / 5000;

        public override double ShareToGive(int loop, long nowTicks, out int target)
        {
            lock (_random)
            {
                target = (loop + 1 + _random.Next(SocketServer.LoopCount - 1)) % SocketServer.LoopCount;
                return _random.Next(3) * 0.5;
            }
        }
    }
}
