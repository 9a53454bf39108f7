using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Placing;
using Cinnabar.Transport.Uring;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>A loop over the simulated kernel, its clients, and another loop, which does not run but is
/// woken.</summary>
[SupportedOSPlatform("linux")]
internal sealed class UringSimulation : IDisposable
{
    private const int ClientCount = 12;
    private const int ListenerCount = 2;
    // Far more than what the clients need.
    private const int ActCountMax = 100_000;

    private readonly ServerEngine _engine;
    private readonly UringTransport[] _transports = new UringTransport[2];
    private readonly List<SimulatedClient> _clients = [];
    private readonly List<Socket> _listeners = [];
    private readonly List<string> _paths = [];
    private readonly bool _endsEarly;
    private RandomSource _random;
    private int _actCount;
    private int _wakeCount;
    private bool _isStopped;

    /// <summary>Makes it.</summary>
    /// <param name="seed">Decides everything.</param>
    /// <param name="sizes">How large the ring is.</param>
    public UringSimulation(ulong seed, UringSizes sizes)
    {
        _random = new RandomSource(seed);
        _endsEarly = _random.NextBelow(4) == 0;
        Faults = new SimulatedFaults(_random.Next());
        Kernel = new SimulatedKernel(seed, Faults, Act);
        _engine = new ServerEngine(new ServerOptions
        {
            Configuration = new ConfigurationRegistry(),
            Log = new TestLog(),
            LoopCount = _transports.Length,
            IsMemoryChecked = true,
            Clock = Kernel.Time.Clock,
            RandomSeed = _random.Next(),
        });
        var placement = new Placement(1, isAlwaysSpread: false);
        for (int index = 0; index < _transports.Length; index++)
        {
            UringRing ring = UringRing.TryMake(Kernel, sizes, out int error)
                ?? throw new InvalidOperationException($"error {error}");
            _transports[index] = new UringTransport(_engine.Loops[index], _transports,
                new LoopLoad(_engine, index, placement), new ListenerOptions(_engine.Settings),
                new UringSystem(Kernel, ring, sizes));
        }

        for (int index = 0; index < ListenerCount; index++)
            Listen();
        for (int index = 0; index < ClientCount; index++)
            _clients.Add(new SimulatedClient(Kernel, index, new RandomSource(_random.Next())));
    }

    public SimulatedKernel Kernel { get; }

    public SimulatedFaults Faults { get; }

    /// <summary>Runs until all clients are done, or sometimes until the server ends among them.</summary>
    public void Run()
    {
        try
        {
            _transports[0].Run();
        }
        catch
        {
            Kernel.EndThread();
            throw;
        }

        Assert.Empty(Kernel.Sockets.OpenDescriptors);
        Assert.Equal(0, _engine.Sessions.Count);
        Assert.Equal(_wakeCount, Kernel.WokenCount);
    }

    public void Dispose()
    {
        foreach (UringTransport transport in _transports)
            transport.Dispose();
        _engine.Dispose();
        foreach (Socket listener in _listeners)
            listener.Dispose();
        foreach (string path in _paths)
            File.Delete(path);
    }

    private void Listen()
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        _paths.Add(path);
        _listeners.Add(listener);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen();
        _transports[0].AddListener(listener);
    }

    private void Act()
    {
        if (_isStopped)
            return;
        Assert.True(++_actCount < ActCountMax, "a connection is neither served nor closed");
        _clients.RemoveAll(static client => client.IsDone);
        foreach (SimulatedClient client in _clients)
        {
            client.Act();
            if (_random.NextBelow(8) == 0)
                StopOrGoOn(client);
        }

        bool ends = _clients.Count == 0 || (_endsEarly && _random.NextBelow(1000) == 0);
        if (ends || _random.NextBelow(20) == 0)
            WakeOther();
        if (!ends)
            return;
        _isStopped = true;
        _transports[0].Stop();
    }

    /// <summary>Has the loop wake the other one, in a turn, as another thread asks it to.</summary>
    private void WakeOther()
    {
        var thread = new Thread(() => _engine.Loops[0].Run(() =>
        {
            _wakeCount++;
            _transports[1].WakeUp();
        }));
        thread.Start();
        thread.Join();
    }

    /// <summary>Has the server read no more from a client, or go on, as the engine does while input must
    /// wait.</summary>
    private void StopOrGoOn(SimulatedClient client)
    {
        int descriptor = Kernel.Sockets.DescriptorOf(client.Socket);
        if (client.IsEnding || FindSession(descriptor) is not { } session)
            return;
        client.IsStopped = !client.IsStopped;
        _transports[0].SetReading(session, !client.IsStopped);
        // The engine does it in a turn, after which the loop looks again.
        Kernel.WakeUp();
    }

    private Session? FindSession(int descriptor)
    {
        foreach (Session session in _engine.Sessions.Unordered)
        {
            if (session.TransportHandle == descriptor)
                return session;
        }

        return null;
    }
}
