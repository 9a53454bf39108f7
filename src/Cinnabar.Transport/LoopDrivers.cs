using System.Runtime.Versioning;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Transport.Drivers;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Placing;
using Cinnabar.Transport.Portable;
using Cinnabar.Transport.Tls;
using Cinnabar.Transport.Uring;

namespace Cinnabar.Transport;

/// <summary>The transports of a server's loops, of the kind that <c>transport</c> and the system allow.
/// </summary>
internal sealed class LoopDrivers
{
    private readonly ServerEngine _engine;
    private readonly TlsSource _tls;
    private readonly Placement _placement;
    private readonly UringKernel? _kernel;
    private readonly ILoopDriver[] _drivers;

    /// <summary>Makes them; nothing runs yet.</summary>
    /// <param name="engine">The server.</param>
    /// <param name="tls">Makes the protocols of TLS connections.</param>
    /// <param name="kernel">The kernel below rings; null: the system's.</param>
    public LoopDrivers(ServerEngine engine, TlsSource tls, UringKernel? kernel = null)
    {
        (_engine, _tls, _kernel) = (engine, tls, kernel);
        _placement = new Placement(engine.LoopCount, engine.Settings.IsSpread);
        _drivers = new ILoopDriver[engine.LoopCount];
        TransportChoice choice = engine.Settings.Transport;
        if (!OperatingSystem.IsLinux() || choice == TransportChoice.Portable)
            Handshakes = MakePortable();
        else if (choice == TransportChoice.Uring && TryMakeUring() is { } handshakes)
            Handshakes = handshakes;
        else
            Handshakes = MakeEpoll();
        if (_drivers[0] is LoopTransport { MultiplexingApi: string name })
            engine.Log.Write(LogLevel.Notice, $"Connections are served over {name}");
    }

    /// <summary>The transports, by the loops' index.</summary>
    public ILoopDriver[] All => _drivers;

    /// <summary>What their TLS connections begin with.</summary>
    public IDisposable Handshakes { get; }

    private LoopLoad LoadOf(int loop) => new(_engine, loop, _placement);

    [SupportedOSPlatform("linux")]
    private EpollHandshakes? TryMakeUring()
    {
        UringKernel kernel = _kernel ?? new LinuxKernel();
        UringSizes sizes = UringSizes.For(_engine.Settings.ClientsMax);
        if (UringProbe.TryMakeSystems(kernel, sizes, _drivers.Length, out string obstacle)
            is not { } systems)
        {
            _engine.Log.Write(LogLevel.Warning, $"io_uring cannot be used ({obstacle}), epoll is");
            return null;
        }

        var options = new ListenerOptions(_engine.Settings);
        var transports = new UringTransport[_drivers.Length];
        var handshakes = new EpollHandshakes(
            _engine, _tls, static descriptor => new UringWire(new EpollWire(descriptor)));
        for (int index = 0; index < _drivers.Length; index++)
        {
            _drivers[index] = transports[index] =
                new UringTransport(_engine.Loops[index], transports, LoadOf(index), options, systems[index])
                {
                    Handshakes = handshakes,
                };
        }

        return handshakes;
    }

    [SupportedOSPlatform("linux")]
    private EpollHandshakes MakeEpoll()
    {
        var options = new ListenerOptions(_engine.Settings);
        var transports = new EpollTransport[_drivers.Length];
        var handshakes = new EpollHandshakes(_engine, _tls, static descriptor => new EpollWire(descriptor));
        for (int index = 0; index < _drivers.Length; index++)
        {
            _drivers[index] = transports[index] =
                new EpollTransport(_engine.Loops[index], transports, LoadOf(index), options)
                {
                    Handshakes = handshakes,
                };
        }

        return handshakes;
    }

    private PortableHandshakes MakePortable()
    {
        var transports = new PortableTransport[_drivers.Length];
        var handshakes = new PortableHandshakes(_engine, _tls);
        for (int index = 0; index < _drivers.Length; index++)
        {
            _drivers[index] = transports[index] =
                new PortableTransport(_engine.Loops[index], transports, LoadOf(index))
                {
                    Handshakes = handshakes,
                };
        }

        return handshakes;
    }
}
