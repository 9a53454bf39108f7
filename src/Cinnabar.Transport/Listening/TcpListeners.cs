using System.Linq;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Logging;
using Cinnabar.Transport.Drivers;

namespace Cinnabar.Transport.Listening;

/// <summary>The sockets of one TCP port, one for each address. One thread at a time changes it; any thread
/// may look.</summary>
/// <param name="settings">How sockets are opened.</param>
/// <param name="driver">Accepts on them.</param>
/// <param name="log">Gets an entry for each address that cannot be had.</param>
/// <param name="isTls">Whether its connections have TLS.</param>
internal sealed class TcpListeners(Settings settings, ILoopDriver driver, ILog log, bool isTls) : IDisposable
{
    private const int FreePortAttemptCountMax = 16;

    private readonly ListenerOpener _opener = new(settings);
    private readonly ILoopDriver _driver = driver;
    private readonly ILog _log = log;
    private readonly bool _isTls = isTls;
    private volatile IReadOnlyList<Listener> _open = [];
    private volatile int _port;
    private string[]? _bindOpened;
    private int _portOpened;

    /// <summary>What listens, for people: the kind and the address.</summary>
    public IEnumerable<string> Names => _open.Select(listener => listener.NameFor(_isTls));

    /// <summary>The port; 0 where there is none.</summary>
    public int Port => _port;

    /// <summary>Whether nothing listens.</summary>
    public bool IsEmpty => _open.Count == 0;

    /// <summary>Listens elsewhere.</summary>
    /// <param name="bind">The addresses, as they are configured.</param>
    /// <param name="port">The port; 0: none.</param>
    /// <returns>False if an address cannot be opened: nothing has changed.</returns>
    public bool TryChange(string[] bind, int port)
    {
        if (port == _portOpened && _bindOpened is not null && bind.SequenceEqual(_bindOpened))
            return true;
        return TryOpen(port > 0 ? bind : [], bind, port);
    }

    /// <summary>Listens on a port that the system chooses.</summary>
    public bool TryOpenFreePort(string[] bind)
    {
        // The system chooses a port for the first address; another address may have it in use: then another
        // is tried.
        for (int attempt = 0; attempt < FreePortAttemptCountMax; attempt++)
        {
            if (TryOpen(bind, bind, 0))
                return true;
        }

        return false;
    }

    public void Dispose()
    {
        foreach (Listener listener in _open)
            _driver.RemoveListener(listener.Socket);
        _open = [];
    }

    private bool TryOpen(string[] addresses, string[] bind, int port)
    {
        var change = new ListenerChange(_opener, _driver, _log, _open, _isTls);
        if (!change.TryOpen(addresses, port))
        {
            int count = _open.Count;
            _open = change.Undo();
            // A listener that Undo could not reopen is still missing.
            if (_open.Count < count)
                _bindOpened = null;
            return false;
        }

        _open = change.Commit();
        _port = change.Port;
        _bindOpened = bind;
        _portOpened = port > 0 ? port : change.Port;
        return true;
    }
}
