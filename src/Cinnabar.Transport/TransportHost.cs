using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Security.Authentication;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Platform;
using Cinnabar.Transport.Drivers;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.InProcess;
using Cinnabar.Transport.Listening;
using Cinnabar.Transport.Placing;
using Cinnabar.Transport.Portable;
using Cinnabar.Transport.Tls;
using Cinnabar.Transport.Tls.Framework;
using Cinnabar.Transport.Tls.OpenSsl;

namespace Cinnabar.Transport;

/// <summary>Runs a server's loops, each on its own thread, and listens where its configuration
/// says.</summary>
public sealed class TransportHost : IDisposable
{
    private readonly ServerEngine _engine;
    private readonly ListenChoice _choice;
    private readonly ListenerSet _listeners;
    private readonly ILoopDriver[] _drivers;
    private readonly InProcessTransport[] _inProcess;
    private readonly Thread[] _threads;
    private readonly ITlsLibrary _tlsLibrary;
    private readonly TlsSource _tls;
    private readonly IDisposable _handshakes;
    private int _connectionCount;

    /// <summary>Makes a host; nothing runs yet.</summary>
    /// <param name="engine">The server.</param>
    /// <param name="choice">Where it listens, in addition to its configuration.</param>
    public TransportHost(ServerEngine engine, ListenChoice choice)
    {
        _engine = engine;
        _choice = choice;
        _tlsLibrary = choice.TlsLibrary ?? MakeTlsLibrary();
        _tls = new TlsSource(engine, _tlsLibrary);
        engine.Tls.Connect = ConnectTls;
        _threads = new Thread[engine.LoopCount];
        var drivers = new LoopDrivers(engine, _tls);
        (_drivers, _handshakes) = (drivers.All, drivers.Handshakes);
        _listeners = new ListenerSet(engine, choice, _drivers[0]);
        _inProcess = new InProcessTransport[engine.LoopCount];
        for (int index = 0; index < _inProcess.Length; index++)
            _inProcess[index] = new InProcessTransport(engine.Loops[index], (LoopTransport)_drivers[index]);
    }

    /// <summary>The TCP port in use; 0 where there is none.</summary>
    public int Port => _listeners.Port;

    /// <summary>The TCP port with TLS in use; 0 where there is none.</summary>
    public int TlsPort => _listeners.TlsPort;

    /// <summary>Where the server listens, for people: <c>tcp</c> or <c>unix</c> and the address.</summary>
    public IReadOnlyList<string> ListenerNames => _listeners.Names;

    /// <summary>Opens the listeners and starts the loops.</summary>
    /// <exception cref="ListenerFailedException">An address cannot be had.</exception>
    public void Start()
    {
        if (!_tls.TryLoad())
            throw new ListenerFailedException("Failed to configure TLS. Check logs for more info.", null);
        _listeners.Open();
        if (_choice.IsPortFree)
            _engine.Configuration.Override("port", Port.ToString(CultureInfo.InvariantCulture));
        FollowConfiguration();
        for (int index = 0; index < _threads.Length; index++)
        {
            (ILoopDriver driver, InProcessTransport inProcess) = (_drivers[index], _inProcess[index]);
            int loop = index;
            _threads[index] = new Thread(() => RunDriver(loop, driver, inProcess))
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
    /// <param name="isTrusted">Whether it may do everything, whatever users there are.</param>
    public InProcessConnection Connect(Action received, bool isTrusted = false)
    {
        uint number = (uint)Interlocked.Increment(ref _connectionCount);
        return _inProcess[number % (uint)_inProcess.Length].Connect(received, isTrusted);
    }

    /// <summary>Loads what a TLS connection to another server needs.</summary>
    /// <param name="peer">The other server's name or address.</param>
    /// <exception cref="TlsFailedException">A file or a directive is wrong, or TLS is missing.</exception>
    internal TlsSetup LoadTlsClient(string peer) => _tlsLibrary.FindMissing() is { } missing
        ? throw new TlsFailedException($"TLS cannot be used: {missing}")
        : _tlsLibrary.Load(TlsOptions.ReadClient(_engine.Configuration, peer));

    private TlsClient ConnectTls(Socket socket, string peer, int timeoutMs)
    {
        try
        {
            using TlsSetup setup = LoadTlsClient(peer);
            return new TlsClient(socket, setup, timeoutMs);
        }
        catch (TlsFailedException failure)
        {
            throw new AuthenticationException(failure.Message, failure);
        }
    }

    /// <summary>Stops the loops, closes all connections and listeners.</summary>
    public void Dispose()
    {
        // A client that sees its connection end finds no server when it connects again.
        _listeners.Dispose();
        _handshakes.Dispose();
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
        _tls.Dispose();
    }

    /// <summary>Makes CONFIG SET of <c>port</c> and <c>bind</c> change where the server listens.</summary>
    private void FollowConfiguration()
    {
        const string PortFailure = "Unable to listen on this port. Check server logs.";
        _tls.FollowConfiguration();
        _engine.Configuration.Subscribe("port", () => _listeners.TryChangePort() ? null : PortFailure);
        _engine.Configuration.Subscribe("tls-port", () =>
            !_tls.TryLoad() ? TlsSource.Failure : _listeners.TryChangeTlsPort() ? null : PortFailure);
        _engine.Configuration.Subscribe("bind", () =>
        {
            if (_listeners.TryChange())
                return null;
            _engine.Log.Write(LogLevel.Warning, "Failed to bind");
            return "Failed to bind to specified addresses.";
        });
    }

    // The compiler leaves the other out.
    private static ITlsLibrary MakeTlsLibrary() =>
        OperatingSystem.IsLinux() ? new OpenSslLibrary() : new SslStreamLibrary();

    private void RunDriver(int loop, ILoopDriver driver, InProcessTransport inProcess)
    {
        try
        {
            _engine.Activities.TakeLoop(loop);
            ThreadRank.TakeShortSlices();
            if (OperatingSystem.IsLinux() && driver == _drivers[0])
                _engine.MainThread = ThreadUsage.OfThisThread();
            driver.Run();
            inProcess.End();
        }
        catch (Exception fault)
        {
            // An internal fault ends this server, never its process.
            _engine.Fail(fault);
        }
    }
}
