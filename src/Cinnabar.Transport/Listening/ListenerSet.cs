using System.IO;
using System.Linq;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Logging;
using Cinnabar.Transport.Drivers;

namespace Cinnabar.Transport.Listening;

/// <summary>
/// Where a server listens: opened when it starts, changed by CONFIG SET of <c>port</c> and <c>bind</c>. One
/// thread at a time changes it; any thread may look.
/// </summary>
/// <param name="engine">The server.</param>
/// <param name="choice">Where it listens, in addition to its configuration.</param>
/// <param name="driver">What accepts.</param>
internal sealed class ListenerSet(ServerEngine engine, ListenChoice choice, ILoopDriver driver) : IDisposable
{
    private const int FreePortAttemptCountMax = 16;

    private readonly Settings _settings = engine.Settings;
    private readonly ILog _log = engine.Log;
    private readonly ListenChoice _choice = choice;
    private readonly ListenerOpener _opener = new ListenerOpener(engine.Settings);
    private readonly ILoopDriver _driver = driver;
    private volatile IReadOnlyList<Listener> _tcp = [];
    private volatile Listener? _unix;
    private volatile int _port;
    private string[]? _bindOpened;
    private int _portOpened;

    /// <summary>What listens, for people: <c>tcp</c> or <c>unix</c> and the address.</summary>
    public IReadOnlyList<string> Names
    {
        get
        {
            IEnumerable<string> names = _tcp.Select(static listener => listener.Name);
            return [.. _unix is { } unix ? names.Append(unix.Name) : names];
        }
    }

    /// <summary>The TCP port; 0 where there is none.</summary>
    public int Port => _port;

    /// <summary>Opens all.</summary>
    /// <exception cref="ListenerFailedException">One cannot be had.</exception>
    public void Open()
    {
        bool isOpen = _choice.IsPortFree ? TryOpenFreePort() : TryChange();
        if (!isOpen)
            throw new ListenerFailedException(
                $"Failed listening on port {_settings.Port} (tcp), aborting.", null);
        if (_settings.UnixSocket.Length > 0)
        {
            _unix = _opener.OpenUnix(ConfigurationText.ToPath(_settings.UnixSocket));
            _driver.AddListener(_unix.Socket);
        }

        if (_tcp.Count == 0 && _unix is null && !_choice.IsNowhereAllowed)
            throw new ListenerFailedException("Configured to not listen anywhere, exiting.", null);
    }

    /// <summary>Listens where the settings now say.</summary>
    /// <returns>False if an address cannot be opened: nothing has changed.</returns>
    public bool TryChange()
    {
        (string[] bind, int port) = (_settings.Bind, _settings.Port);
        if (port == _portOpened && _bindOpened is not null && bind.SequenceEqual(_bindOpened))
            return true;
        return TryChange(port > 0 ? bind : [], port);
    }

    // The loops have ended: no loop polls these sockets.
    public void Dispose()
    {
        foreach (Listener listener in _tcp)
            Listener.Close(listener.Socket);
        _tcp = [];
        if (_unix is not { } unix)
            return;
        Listener.Close(unix.Socket);
        File.Delete(unix.Host);
        _unix = null;
    }

    // The system chooses a port for the first address; another address may have it in use: then another is
    // tried.
    private bool TryOpenFreePort()
    {
        for (int attempt = 0; attempt < FreePortAttemptCountMax; attempt++)
        {
            if (TryChange(_settings.Bind, 0))
                return true;
        }

        return false;
    }

    private bool TryChange(string[] bind, int port)
    {
        var change = new ListenerChange(_opener, _driver, _log, _tcp);
        if (!change.TryOpen(bind, port))
        {
            int count = _tcp.Count;
            _tcp = change.Undo();
            // A listener that Undo could not reopen is still missing.
            if (_tcp.Count < count)
                _bindOpened = null;
            return false;
        }

        _tcp = change.Commit();
        _port = change.Port;
        _bindOpened = _settings.Bind;
        _portOpened = port > 0 ? port : change.Port;
        return true;
    }
}
