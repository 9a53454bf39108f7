using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Placing;
using Cinnabar.Transport.Uring;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>Two loops over the simulated kernel, between which sessions move all the time, and their
/// clients, some of them with TLS. Clients stop being read from, are killed, and loops are woken by threads
/// and by each other.</summary>
[SupportedOSPlatform("linux")]
internal sealed class UringSimulation : IDisposable
{
    private const int LoopCount = 2;
    private const int ClientCount = 12;
    private const int ListenerCount = 2;
    // Far more than what the clients need.
    private const int ActCountMax = 100_000;
    private const ulong StopEvery = 8;
    private const ulong HandshakeEvery = 3;
    private const ulong WakeUpEvery = 20;
    private const ulong KillEvery = 300;
    private const ulong EndEvery = 1000;
    private const ulong MovingEndEvery = 20;

    private readonly ServerEngine _engine;
    private readonly UringTransport[] _transports = new UringTransport[LoopCount];
    private readonly SimulatedHandshakes _handshakes;
    private readonly List<SimulatedClient> _clients = [];
    private readonly List<Socket> _listeners = [];
    private readonly List<string> _paths = [];
    private readonly OutsideThread _outside = new();
    private readonly SimulatedChance _chance;
    private readonly bool _endsEarly;
    private readonly bool _hasFault;
    private int _actCount;
    private int _askedCount;
    private int _doneCount;
    private bool _isStopped;
    private bool _isDisposed;

    /// <summary>Makes it.</summary>
    /// <param name="seed">Decides everything.</param>
    /// <param name="sizes">How large the rings are.</param>
    public UringSimulation(ulong seed, UringSizes sizes)
    {
        _chance = new SimulatedChance(seed);
        _endsEarly = _chance.IsOnceIn(4);
        _hasFault = _chance.IsOnceIn(4);
        Faults = new SimulatedFaults(_chance.Next());
        Kernel = new SimulatedKernel(Faults, new SimulatedChance(_chance.Next())) { Idle = Act };
        var configuration = new ConfigurationRegistry();
        // The kernel's connections come from nowhere.
        configuration.Override("protected-mode", "no");
        _engine = new ServerEngine(new ServerOptions
        {
            Configuration = configuration,
            Log = new TestLog(),
            LoopCount = LoopCount,
            IsMemoryChecked = true,
            Clock = Kernel.Time.Clock,
            RandomSeed = _chance.Next(),
        });
        _handshakes = new SimulatedHandshakes(Kernel, _chance);
        MakeTransports(sizes);
        for (int index = 0; index < ListenerCount; index++)
            Listen();
        ListenTls();
        for (int index = 0; index < ClientCount; index++)
        {
            Socket listener = _listeners[index % _listeners.Count];
            _clients.Add(new SimulatedClient(Kernel.Sockets, (int)listener.Handle,
                listener == _listeners[^1], index, new RandomSource(_chance.Next())));
        }
    }

    public SimulatedKernel Kernel { get; }

    public SimulatedFaults Faults { get; }

    /// <summary>Runs until all clients are done, or sometimes until the server ends among them; and ends the
    /// server, after which nothing may be left. Sometimes a fault ends one of its loops, and so the
    /// server.</summary>
    public void Run()
    {
        Kernel.Threads = new SimulatedThreads(new SimulatedChance(_chance.Next()),
            [.. _transports.Select(transport => (Action)(() => RunLoop(transport)))],
            _ => Kernel.EndThread());
        Kernel.Threads.Run();
        Dispose();
        Assert.Equal(0, _engine.Sessions.Count);
        Assert.True(_hasFault || _askedCount == _doneCount, $"{_askedCount} were asked, {_doneCount} done");
        // A loop that another one could not be sent a message signals its event.
        Assert.Equal(Kernel.Counts.FailedMessages, Kernel.Counts.LoopSignals);
        Kernel.AssertNothingIsLeft();
    }

    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        foreach (UringTransport transport in _transports)
            transport.Dispose();
        _engine.Dispose();
        _handshakes.Dispose();
        _outside.Dispose();
        foreach (Socket listener in _listeners)
            listener.Dispose();
        foreach (string path in _paths)
            File.Delete(path);
    }

    private void MakeTransports(UringSizes sizes)
    {
        var placement = new RestlessLoops(new SimulatedChance(_chance.Next()), LoopCount);
        for (int index = 0; index < LoopCount; index++)
        {
            UringRing? ring = UringRing.TryMake(Kernel, sizes, out int error);
            Assert.Equal(0, error);
            UringWakeUp? wakeUp = UringWakeUp.TryMake(Kernel, ring!, out error);
            Assert.Equal(0, error);
            _transports[index] = new UringTransport(_engine.Loops[index], _transports,
                new LoopLoad(_engine, index, placement), new ListenerOptions(_engine.Settings),
                new UringSystem(Kernel, ring!, wakeUp!, sizes))
            {
                Handshakes = _handshakes,
            };
        }
    }

    private void Listen()
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        _paths.Add(path);
        Listen(new UnixDomainSocketEndPoint(path), isTls: false);
    }

    private void ListenTls() => Listen(new IPEndPoint(IPAddress.Loopback, 0), isTls: true);

    private void Listen(EndPoint address, bool isTls)
    {
        var listener = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
        _listeners.Add(listener);
        listener.Bind(address);
        listener.Listen();
        Kernel.Sockets.Listen((int)listener.Handle);
        _transports[0].AddListener(listener, isTls);
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
            if (_chance.IsOnceIn(StopEvery))
                StopOrGoOn(client);
            if (client.IsVictim && _chance.IsOnceIn(KillEvery))
                Kill(client);
        }

        if (_chance.IsOnceIn(HandshakeEvery))
            _outside.Do(_handshakes.Step);
        bool ends = _clients.Count == 0 || (_endsEarly && EndsNow());
        if (ends || _chance.IsOnceIn(WakeUpEvery))
            WakeOther();
        if (!ends)
            return;
        _isStopped = true;
        _outside.Do(End);
    }

    // Mostly while a session is between two loops.
    private bool EndsNow()
    {
        bool isMoving = false;
        foreach (Session session in _engine.Sessions.Unordered)
            isMoving |= session.IsMoving;
        return _chance.IsOnceIn(isMoving ? MovingEndEvery : EndEvery);
    }

    private void RunLoop(UringTransport transport)
    {
        try
        {
            transport.Run();
        }
        catch (Win32Exception fault) when (fault.NativeErrorCode == SimulatedKernel.BreakdownError)
        {
            Kernel.EndThread();
            _outside.Do(Stop);
        }
    }

    private void End()
    {
        if (_hasFault)
            Kernel.BreakDown();
        else
            Stop();
    }

    private void Stop()
    {
        _handshakes.End();
        foreach (UringTransport transport in _transports)
            transport.Stop();
    }

    /// <summary>Has a loop wake another one, in a turn, as another thread asks it to.</summary>
    private void WakeOther()
    {
        int own = _chance.Below(LoopCount);
        int other = (own + 1) % LoopCount;
        _askedCount++;
        _outside.Do(() => _engine.Loops[own].Run(() => _engine.Loops[other].Run(() => _doneCount++)));
    }

    private void Kill(SimulatedClient client)
    {
        if (FindSession(client) is not { } session)
            return;
        client.IsKilled = true;
        session.IsKilled = true;
        _outside.Do(() => session.Loop.Post(
            new MailboxMessage { Kind = MailboxMessageKind.Kill, Target = session }));
    }

    /// <summary>Has the server read no more from a client, or go on, as the engine does while input must
    /// wait.</summary>
    private void StopOrGoOn(SimulatedClient client)
    {
        if (client.IsEnding || FindSession(client) is not { } session)
            return;
        client.IsToStop = !client.IsToStop;
        client.IsStopped |= client.IsToStop;
        _outside.Do(() => SetReading(client, session));
    }

    private void SetReading(SimulatedClient client, Session session)
    {
        var loop = (Loop)session.Loop;
        loop.Run(() =>
        {
            if (session.IsClosed)
                return;
            if (!loop.Has(session))
            {
                // It has moved meanwhile.
                SetReading(client, session);
                return;
            }

            _transports[loop.Index].SetReading(session, !client.IsToStop);
            client.IsStopped = client.IsToStop;
        });
    }

    private Session? FindSession(SimulatedClient client)
    {
        int descriptor = Kernel.Sockets.DescriptorOf(client.Socket);
        foreach (Session session in _engine.Sessions.Unordered)
        {
            if (descriptor >= 0 && session.TransportHandle == descriptor)
                return session;
        }

        return null;
    }}
