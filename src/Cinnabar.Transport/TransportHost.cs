using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Epoll;

namespace Cinnabar.Transport;

/// <summary>Runs a server's loops on threads of their own, and listens where its configuration says.</summary>
public sealed class TransportHost : IDisposable
{
    private readonly ServerEngine _engine;
    private readonly ILoopDriver[] _drivers;
    private readonly Thread[] _threads;
    private readonly List<Socket> _listeners = [];
    private readonly List<string> _names = [];

    /// <summary>Makes a host; nothing runs yet.</summary>
    public TransportHost(ServerEngine engine)
    {
        _engine = engine;
        _drivers = new ILoopDriver[engine.LoopCount];
        _threads = new Thread[engine.LoopCount];
        if (OperatingSystem.IsLinux() && engine.Settings.Transport != TransportChoice.Portable)
            MakeEpoll();
        else
            MakePortable();
    }

    /// <summary>The TCP port in use; 0 where there is none.</summary>
    public int Port { get; private set; }

    /// <summary>Where the server listens, for people: <c>tcp</c> or <c>unix</c> and the address.</summary>
    public IReadOnlyList<string> ListenerNames => _names;

    /// <summary>Opens the listeners and starts the loops.</summary>
    /// <exception cref="ListenerFailedException">An address cannot be had.</exception>
    public void Start()
    {
        OpenTcp();
        OpenUnix();
        KeepListening();
        for (int index = 0; index < _threads.Length; index++)
        {
            ILoopDriver driver = _drivers[index];
            _threads[index] = new Thread(() => RunDriver(driver))
            {
                Name = $"cinnabar-loop-{index}",
                IsBackground = true,
            };
            _threads[index].Start();
        }
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
        foreach (Socket listener in _listeners)
            listener.Dispose();
        _listeners.Clear();
        if (_engine.Settings.UnixSocket.Length > 0)
            File.Delete(_engine.Settings.UnixSocket);
    }

    /// <summary>Where the server listens is fixed while it runs: CONFIG SET of another place is refused.</summary>
    private void KeepListening()
    {
        Settings settings = _engine.Settings;
        (int port, string bind) = (settings.Port, string.Join(' ', settings.Bind));
        const string Refusal = "the server cannot change where it listens while it runs";
        _engine.Configuration.Subscribe("port", () => settings.Port == port ? null : Refusal);
        _engine.Configuration.Subscribe(
            "bind", () => string.Join(' ', settings.Bind) == bind ? null : Refusal);
    }

    private void RunDriver(ILoopDriver driver)
    {
        try
        {
            driver.Run();
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
            _drivers[index] = transports[index] = new EpollTransport(_engine.Loops[index], transports, options);
    }

    private void MakePortable()
    {
        var transports = new Portable.PortableTransport[_drivers.Length];
        for (int index = 0; index < _drivers.Length; index++)
            _drivers[index] = transports[index] = new Portable.PortableTransport(_engine.Loops[index], transports);
    }

    private void OpenTcp()
    {
        Settings settings = _engine.Settings;
        if (settings.Port <= 0)
            return;
        int opened = 0;
        foreach (string name in settings.Bind)
        {
            bool isOptional = name.StartsWith('-');
            string host = isOptional ? name[1..] : name;
            try
            {
                Listen(new IPEndPoint(AddressOf(host), settings.Port));
                opened++;
            }
            catch (Exception fault) when (fault is SocketException or FormatException)
            {
                if (isOptional)
                    continue;
                throw new ListenerFailedException(
                    $"Could not create server TCP listening socket {host}:{settings.Port}: {fault.Message}", fault);
            }
        }

        if (opened == 0)
        {
            throw new ListenerFailedException(
                "Configured to not listen anywhere, exiting.", new IOException("no address could be bound"));
        }

        Port = settings.Port;
    }

    private static IPAddress AddressOf(string host) => host switch
    {
        "*" => IPAddress.Any,
        "::*" => IPAddress.IPv6Any,
        "localhost" => IPAddress.Loopback,
        _ => IPAddress.Parse(host),
    };

    private void Listen(IPEndPoint endpoint)
    {
        var socket = new Socket(endpoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            // Bind lets a port be taken again while old connections linger. ReuseAddress would do more: on Unix it
            // means SO_REUSEPORT too, and a second server would silently share the port.
            if (endpoint.AddressFamily == AddressFamily.InterNetworkV6)
                socket.DualMode = false;
            socket.Bind(endpoint);
            Open(socket, $"tcp {endpoint}");
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private void OpenUnix()
    {
        Settings settings = _engine.Settings;
        if (settings.UnixSocket.Length == 0)
            return;
        try
        {
            File.Delete(settings.UnixSocket);
            var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            socket.Bind(new UnixDomainSocketEndPoint(settings.UnixSocket));
            if (settings.UnixSocketPermissions != 0 && !OperatingSystem.IsWindows())
                File.SetUnixFileMode(settings.UnixSocket, (UnixFileMode)settings.UnixSocketPermissions);
            Open(socket, $"unix {settings.UnixSocket}");
        }
        catch (Exception fault) when (fault is SocketException or IOException or UnauthorizedAccessException)
        {
            throw new ListenerFailedException(
                $"Failed opening Unix socket: bind: {settings.UnixSocket}: {fault.Message}", fault);
        }
    }

    private void Open(Socket socket, string name)
    {
        socket.Listen(_engine.Settings.TcpBacklog);
        socket.Blocking = false;
        _listeners.Add(socket);
        _names.Add(name);
        _drivers[0].AddListener(socket);
    }
}
