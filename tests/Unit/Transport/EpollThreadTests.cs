using System;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Transport.Epoll;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>Loops that change hands while they serve.</summary>
[SupportedOSPlatform("linux")]
public sealed class EpollThreadTests : IDisposable
{
    private const int LoopCount = 3;

    private readonly ServerEngine _engine;
    private readonly EpollTransport[] _transports = new EpollTransport[LoopCount];
    private readonly Thread[] _threads = new Thread[LoopCount];
    private readonly IPEndPoint _address;
    private readonly ManualResetEventSlim _hasFailed = new();
    private Exception? _fault;

    public EpollThreadTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no epoll.");
        _engine = new ServerEngine(new ServerOptions
        {
            Configuration = new ConfigurationRegistry(),
            Log = new TestLog(),
            LoopCount = LoopCount,
            IsMemoryChecked = true,
        });
        for (int index = 0; index < LoopCount; index++)
        {
            EpollTransport transport = _transports[index] = new EpollTransport(
                _engine.Loops[index], _transports, new ListenerOptions(_engine.Settings));
            _threads[index] = new Thread(() => Run(transport));
        }

        var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            Blocking = false,
        };
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        _address = (IPEndPoint)listener.LocalEndPoint!;
        _transports[0].AddListener(listener);
        foreach (Thread thread in _threads)
            thread.Start();
    }

    public void Dispose()
    {
        Stop();
        foreach (EpollTransport transport in _transports)
            transport.Dispose();
        _engine.Dispose();
        _hasFailed.Dispose();
    }

    [Fact]
    public void EveryCommandIsAnsweredWhileLoopsChangeHands() => Seeded.Run(1, seed =>
    {
        var random = new RandomSource(seed);
        using var enough = new CancellationTokenSource(TimeSpan.FromSeconds(2));
        Task[] clients = new Task[2 * LoopCount];
        for (int index = 0; index < clients.Length; index++)
        {
            string key = $"k{index}";
            clients[index] = Task.Factory.StartNew(() => Count(key, enough.Token), CancellationToken.None,
                TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }

        int moveCount = 0;
        while (!enough.IsCancellationRequested)
        {
            EpollThread driver = _transports[random.NextBelow(LoopCount)].Home;
            _transports[random.NextBelow(LoopCount)].MoveTo(driver);
            if (moveCount++ % 4 == 0)
                Thread.Sleep(1);
        }

        Task.WaitAll(clients);
        Assert.True(moveCount > 10);
    });

    [Fact]
    public void ARestingThreadGetsItsLoopBackAndEnds()
    {
        foreach (EpollTransport transport in _transports)
            transport.MoveTo(_transports[0].Home);
        using (Socket client = Connect())
            Assert.Equal("+PONG\r\n", Ask(client, "PING\r\n"));
        Stop();
        Assert.Null(_fault);
    }

    [Fact]
    public void AFaultEndsOneThreadAndTheOthersGetTheirLoopsBack()
    {
        foreach (EpollTransport transport in _transports)
            transport.MoveTo(_transports[1].Home);
        using (Socket client = Connect())
            Assert.Equal("+PONG\r\n", Ask(client, "PING\r\n"));
        _engine.Loops[1].Run(static () => throw new InvalidOperationException("On purpose."));
        Assert.True(_hasFailed.Wait(300_000));
        Stop();
        Assert.IsType<InvalidOperationException>(_fault);
    }

    private void Run(EpollTransport transport)
    {
        try
        {
            transport.Run();
        }
        catch (Exception fault)
        {
            _fault = fault;
            _hasFailed.Set();
        }
    }

    private void Stop()
    {
        foreach (EpollTransport transport in _transports)
            transport.Stop();
        foreach (Thread thread in _threads)
            thread.Join();
    }

    private void Count(string key, CancellationToken enough)
    {
        using Socket client = Connect();
        for (int expected = 1; !enough.IsCancellationRequested; expected++)
            Assert.Equal($":{expected}\r\n", Ask(client, $"INCR {key}\r\n"));
    }

    private Socket Connect()
    {
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = 300_000,
        };
        client.Connect(_address);
        return client;
    }

    private static string Ask(Socket client, string command)
    {
        client.Send(Encoding.ASCII.GetBytes(command));
        byte[] reply = new byte[64];
        int length = 0;
        do
        {
            int count = client.Receive(reply, length, reply.Length - length, SocketFlags.None);
            Assert.True(count > 0);
            length += count;
        }
        while (reply[length - 1] != '\n');
        return Encoding.ASCII.GetString(reply, 0, length);
    }
}
