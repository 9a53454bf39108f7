using System.IO;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Transport.Drivers;

namespace Cinnabar.Transport.Listening;

/// <summary>
/// Where a server listens: opened when it starts, changed by CONFIG SET of <c>port</c>, <c>tls-port</c> and
/// <c>bind</c>. One thread at a time changes it; any thread may look.
/// </summary>
/// <param name="engine">The server.</param>
/// <param name="choice">Where it listens, in addition to its configuration.</param>
/// <param name="driver">What accepts.</param>
internal sealed class ListenerSet(ServerEngine engine, ListenChoice choice, ILoopDriver driver) : IDisposable
{
    private readonly Settings _settings = engine.Settings;
    private readonly ListenChoice _choice = choice;
    private readonly ListenerOpener _opener = new ListenerOpener(engine.Settings);
    private readonly ILoopDriver _driver = driver;
    private readonly TcpListeners _tcp = new(engine.Settings, driver, engine.Log, isTls: false);
    private readonly TcpListeners _tls = new(engine.Settings, driver, engine.Log, isTls: true);
    private volatile Listener? _unix;

    /// <summary>What listens, for people: <c>tcp</c>, <c>tls</c> or <c>unix</c> and the address.</summary>
    public IReadOnlyList<string> Names
    {
        get
        {
            List<string> names = [.. _tcp.Names, .. _tls.Names];
            if (_unix is { } unix)
                names.Add(unix.NameFor(isTls: false));
            return names;
        }
    }

    /// <summary>The TCP port; 0 where there is none.</summary>
    public int Port => _tcp.Port;

    /// <summary>The TCP port with TLS; 0 where there is none.</summary>
    public int TlsPort => _tls.Port;

    /// <summary>Opens all.</summary>
    /// <exception cref="ListenerFailedException">One cannot be had.</exception>
    public void Open()
    {
        bool isOpen = _choice.IsPortFree ? _tcp.TryOpenFreePort(_settings.Bind) : TryChangePort();
        if (!isOpen)
            throw new ListenerFailedException(
                $"Failed listening on port {_settings.Port} (tcp), aborting.", null);
        if (!TryChangeTlsPort())
            throw new ListenerFailedException(
                $"Failed listening on port {_settings.TlsPort} (tls), aborting.", null);
        if (_settings.UnixSocket.Length > 0)
        {
            _unix = _opener.OpenUnix(ConfigurationText.ToPath(_settings.UnixSocket));
            _driver.AddListener(_unix.Socket);
        }

        if (_tcp.IsEmpty && _tls.IsEmpty && _unix is null && !_choice.IsNowhereAllowed)
            throw new ListenerFailedException("Configured to not listen anywhere, exiting.", null);
    }

    /// <summary>Listens on the addresses and ports that the settings now have.</summary>
    /// <returns>False if an address cannot be opened.</returns>
    public bool TryChange() => TryChangePort() && TryChangeTlsPort();

    /// <summary>Listens on the port that the settings now have.</summary>
    /// <returns>False if an address cannot be opened: nothing has changed.</returns>
    public bool TryChangePort() => _tcp.TryChange(_settings.Bind, _settings.Port);

    /// <summary>Listens on the port with TLS that the settings now have.</summary>
    /// <returns>False if an address cannot be opened: nothing has changed.</returns>
    public bool TryChangeTlsPort() => _tls.TryChange(_settings.Bind, _settings.TlsPort);

    /// <summary>Ends listening; the loops may run. When it returns, no client can connect.</summary>
    public void Dispose()
    {
        _tcp.Dispose();
        _tls.Dispose();
        if (_unix is not { } unix)
            return;
        _driver.RemoveListener(unix.Socket);
        File.Delete(unix.Host);
        _unix = null;
    }
}
