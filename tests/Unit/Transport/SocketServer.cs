using System;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;
using System.Threading;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Loops;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Transport.Drivers;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Placing;
using Cinnabar.Transport.Portable;
using Cinnabar.Transport.Uring;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>Three loops over sockets, with checked memory.</summary>
[SupportedOSPlatform("linux")]
internal sealed class SocketServer : IDisposable
{
    public const int LoopCount = 3;

    private readonly ILoopDriver[] _drivers = new ILoopDriver[LoopCount];
    private readonly Thread[] _threads = new Thread[LoopCount];
    private readonly Socket _listener;

    /// <summary>Starts it.</summary>
    /// <param name="address">Where it listens.</param>
    /// <param name="placement">Which loops connections belong to; null: as by default.</param>
    /// <param name="transport">What it serves by.</param>
    public SocketServer(EndPoint address, Placement? placement = null,
        TransportChoice transport = TransportChoice.Epoll)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no epoll.");
        Engine = new ServerEngine(new ServerOptions
        {
            Configuration = new ConfigurationRegistry(),
            Log = new TestLog(),
            LoopCount = LoopCount,
            IsMemoryChecked = true,
        });
        var epoll = new EpollTransport[LoopCount];
        var portable = new PortableTransport[LoopCount];
        var uring = new UringTransport[LoopCount];
        Func<int, UringSystem>? systems = transport == TransportChoice.Uring ? MakeRings() : null;
        var options = new ListenerOptions(Engine.Settings);
        placement ??= new Placement(LoopCount, isAlwaysSpread: false);
        for (int index = 0; index < LoopCount; index++)
        {
            var load = new LoopLoad(Engine, index, placement);
            Loop loop = Engine.Loops[index];
            ILoopDriver driver = transport switch
            {
                TransportChoice.Portable => portable[index] = new PortableTransport(loop, portable, load),
                TransportChoice.Uring => uring[index] =
                    new UringTransport(loop, uring, load, options, systems!(index)),
                _ => epoll[index] = new EpollTransport(loop, epoll, load, options),
            };
            _drivers[index] = driver;
            _threads[index] = new Thread(() => Run(driver));
        }

        _listener = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Unspecified)
        {
            Blocking = false,
        };
        _listener.Bind(address);
        _listener.Listen(512);
        _drivers[0].AddListener(_listener);
        foreach (Thread thread in _threads)
            thread.Start();
    }

    public ServerEngine Engine { get; }

    /// <summary>What ended one of its threads.</summary>
    public Exception? Fault { get; private set; }

    public ManualResetEventSlim HasFailed { get; } = new();

    public Socket Connect()
    {
        EndPoint address = _listener.LocalEndPoint!;
        var client = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Unspecified)
        {
            ReceiveTimeout = 300_000,
        };
        client.Connect(address);
        return client;
    }

    public static string Ask(Socket client, string command)
    {
        client.Send(Encoding.ASCII.GetBytes(command));
        return ReadReply(client);
    }

    /// <summary>Reads a reply that arrives whole, with nothing behind it.</summary>
    public static string ReadReply(Socket client)
    {
        byte[] reply = new byte[256];
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

    public void Stop()
    {
        foreach (ILoopDriver driver in _drivers)
            driver.Stop();
        foreach (Thread thread in _threads)
            thread.Join();
    }

    public void Dispose()
    {
        Stop();
        foreach (ILoopDriver driver in _drivers)
            driver.Dispose();
        Engine.Dispose();
        HasFailed.Dispose();
        _listener.Dispose();
    }

    // Few and small buffers, so that they run out.
    private static Func<int, UringSystem> MakeRings()
    {
        var kernel = new LinuxKernel();
        var sizes = new UringSizes { BufferCount = 8, BufferSize = 512, SubmissionCount = 16 };
        UringSystem[]? systems = UringProbe.TryMakeSystems(kernel, sizes, LoopCount, out string obstacle);
        Assert.True(systems is not null, obstacle);
        return loop => systems[loop];
    }

    private void Run(ILoopDriver driver)
    {
        try
        {
            driver.Run();
        }
        catch (Exception fault)
        {
            Fault = fault;
            HasFailed.Set();
        }
    }
}
