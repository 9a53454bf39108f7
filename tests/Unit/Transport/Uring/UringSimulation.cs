using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Runtime.Versioning;
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

/// <summary>A loop over the simulated kernel, and its clients.</summary>
[SupportedOSPlatform("linux")]
internal sealed class UringSimulation : IDisposable
{
    private const int ClientCount = 12;

    private readonly ServerEngine _engine;
    private readonly UringTransport[] _transports = new UringTransport[1];
    private readonly List<SimulatedClient> _clients = [];
    private readonly string _path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private RandomSource _random;
    private bool _isStopped;

    /// <summary>Makes it.</summary>
    /// <param name="seed">Decides everything.</param>
    /// <param name="sizes">How large the ring is.</param>
    public UringSimulation(ulong seed, UringSizes sizes)
    {
        _random = new RandomSource(seed);
        _engine = new ServerEngine(new ServerOptions
        {
            Configuration = new ConfigurationRegistry(),
            Log = new TestLog(),
            LoopCount = 1,
            IsMemoryChecked = true,
        });
        Kernel = new SimulatedKernel(seed, Act);
        UringRing ring = UringRing.TryMake(Kernel, sizes, out int error)
            ?? throw new InvalidOperationException($"error {error}");
        var load = new LoopLoad(_engine, 0, new Placement(1, isAlwaysSpread: false));
        _transports[0] = new UringTransport(_engine.Loops[0], _transports, load,
            new ListenerOptions(_engine.Settings), new UringSystem(Kernel, ring, sizes));
        _listener.Bind(new UnixDomainSocketEndPoint(_path));
        _listener.Listen();
        _transports[0].AddListener(_listener);
        for (int index = 0; index < ClientCount; index++)
            _clients.Add(new SimulatedClient(Kernel, index, new RandomSource(_random.Next())));
    }

    public SimulatedKernel Kernel { get; }

    /// <summary>Runs until all clients are done, or sometimes until the server ends among them.</summary>
    public void Run()
    {
        _transports[0].Run();
        Assert.Empty(Kernel.OpenDescriptors);
        Assert.Equal(0, _engine.Sessions.Count);
    }

    public void Dispose()
    {
        _transports[0].Dispose();
        _engine.Dispose();
        _listener.Dispose();
        File.Delete(_path);
    }

    private void Act()
    {
        if (_isStopped)
            return;
        _clients.RemoveAll(static client => client.IsDone);
        foreach (SimulatedClient client in _clients)
        {
            client.Act();
            if (_random.NextBelow(8) == 0)
                StopOrGoOn(client);
        }

        if (_clients.Count > 0 && (_clients.Count == ClientCount || _random.NextBelow(2000) > 0))
            return;
        _isStopped = true;
        _transports[0].Stop();
    }

    /// <summary>Has the server read no more from a client, or go on, as the engine does while input must
    /// wait.</summary>
    private void StopOrGoOn(SimulatedClient client)
    {
        int descriptor = Kernel.DescriptorOf(client.Socket);
        if (client.IsEnding || FindSession(descriptor) is not { } session)
            return;
        client.IsStopped = !client.IsStopped;
        _transports[0].SetReading(session, !client.IsStopped);
        // The engine does it in a turn, after which the loop looks again.
        Kernel.SignalEvent(0);
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
