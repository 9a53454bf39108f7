using System;
using System.Collections.Generic;
using System.Globalization;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Loops;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.InProcess;
using Cinnabar.Transport.Portable;

namespace Cinnabar.Transport;

/// <summary>Runs a server's loops on threads of their own, and listens where its configuration
/// says.</summary>
public sealed class TransportHost : IDisposable
{
    private readonly ServerEngine _engine;
    private readonly ListenChoice _choice;
    private readonly ListenerOpener _listeners;
    private readonly ILoopDriver[] _drivers;
    private readonly InProcessTransport[] _inProcess;
    private readonly Thread[] _threads;
    private int _connectionCount;

    /// <summary>Makes a host; nothing runs yet.</summary>
    /// <param name="engine">The server.</param>
    /// <param name="choice">How it listens beyond what its configuration says.</param>
    public TransportHost(ServerEngine engine, ListenChoice choice)
    {
        _engine = engine;
        _choice = choice;
        _listeners = new ListenerOpener(engine, choice);
        _drivers = new ILoopDriver[engine.LoopCount];
        _threads = new Thread[engine.LoopCount];
        if (OperatingSystem.IsLinux() && engine.Settings.Transport != TransportChoice.Portable)
            MakeEpoll();
        else
            MakePortable();
        _inProcess = new InProcessTransport[engine.LoopCount];
        for (int index = 0; index < _inProcess.Length; index++)
            _inProcess[index] = new InProcessTransport(engine.Loops[index], (LoopTransport)_drivers[index]);
    }

    /// <summary>The TCP port in use; 0 where there is none.</summary>
    public int Port => _listeners.Port;

    /// <summary>Where the server listens, for people: <c>tcp</c> or <c>unix</c> and the address.</summary>
    public IReadOnlyList<string> ListenerNames => _listeners.Names;

    /// <summary>Opens the listeners and starts the loops.</summary>
    /// <exception cref="ListenerFailedException">An address cannot be had.</exception>
    public void Start()
    {
        _listeners.Open();
        if (_choice.IsPortFree)
            _engine.Configuration.Override("port", Port.ToString(CultureInfo.InvariantCulture));
        KeepListening();
        foreach (Socket socket in _listeners.Sockets)
            _drivers[0].AddListener(socket);
        for (int index = 0; index < _threads.Length; index++)
        {
            (ILoopDriver driver, InProcessTransport inProcess) = (_drivers[index], _inProcess[index]);
            _threads[index] = new Thread(() => RunDriver(driver, inProcess))
            {
                Name = $"cinnabar-loop-{index}",
                IsBackground = true,
            };
            _threads[index].Start();
        }
    }

    /// <summary>Makes a connection without a socket; the loops take turns. From any thread.</summary>
    /// <param name="received">Called, on the loop, when there is something to read or the connection has
    /// ended; it must be quick.</param>
    public InProcessConnection Connect(Action received)
    {
        uint number = (uint)Interlocked.Increment(ref _connectionCount);
        return _inProcess[number % (uint)_inProcess.Length].Connect(received);
    }

    /// <summary>Stops the loops, closing all connections, and gives the listeners back.</summary>
    public void Dispose()
    {
        foreach (ILoopDriver driver in _drivers)
            driver.Stop();
        foreach (Thread? thread in _threads)
        {
            if (thread is { IsAlive: true })
                thread.Join();
        }

        foreach (ILoopDriver driver in _drivers)
            driver.Dispose();
        foreach (InProcessTransport inProcess in _inProcess)
            inProcess.Abandon();
        _listeners.Dispose();
    }

    /// <summary>Where the server listens is fixed while it runs: CONFIG SET of another place is
    /// refused.</summary>
    private void KeepListening()
    {
        Settings settings = _engine.Settings;
        (int port, string bind) = (settings.Port, string.Join(' ', settings.Bind));
        const string Refusal = "the server cannot change where it listens while it runs";
        _engine.Configuration.Subscribe("port", () => settings.Port == port ? null : Refusal);
        _engine.Configuration.Subscribe(
            "bind", () => string.Join(' ', settings.Bind) == bind ? null : Refusal);
    }

    private void RunDriver(ILoopDriver driver, InProcessTransport inProcess)
    {
        try
        {
            driver.Run();
            inProcess.End();
        }
        catch (Exception fault)
        {
            // A fault of ours ends this server, never the process that it lives in.
            _engine.Fail(fault);
        }
    }

    [SupportedOSPlatform("linux")]
    private void MakeEpoll()
    {
        var options = new ListenerOptions(_engine.Settings);
        var transports = new EpollTransport[_drivers.Length];
        for (int index = 0; index < _drivers.Length; index++)
        {
            transports[index] = new EpollTransport(_engine.Loops[index], transports, options);
            _drivers[index] = transports[index];
        }
    }

    private void MakePortable()
    {
        var transports = new PortableTransport[_drivers.Length];
        for (int index = 0; index < _drivers.Length; index++)
            _drivers[index] = transports[index] = new PortableTransport(_engine.Loops[index], transports);
    }
}
