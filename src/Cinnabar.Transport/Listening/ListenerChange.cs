// Replaces the listening sockets by new ones, all or nothing:
//
//   1. an address that stays keeps its socket: clients that are just connecting there notice nothing
//   2. the new ones are opened, beside the old ones
//   3. where an old one is in the way (the same port, all addresses where it was one, or the reverse) it is
//      closed first, and opened again should the change fail
//   4. only when all are open the old ones are closed
//
// Every address must be opened, but one behind a minus sign may be missing on this machine, and so may an
// address family.

using System.Net;
using System.Net.Sockets;
using Cinnabar.Engine.Logging;
using Cinnabar.Transport.Drivers;

namespace Cinnabar.Transport.Listening;

/// <summary>One change of the TCP sockets that a server listens on.</summary>
/// <param name="opener">Opens sockets.</param>
/// <param name="driver">Accepts on them.</param>
/// <param name="log">Gets an entry for each address that cannot be had.</param>
/// <param name="before">What listens now.</param>
/// <param name="isTls">Whether its connections have TLS.</param>
internal sealed class ListenerChange(
    ListenerOpener opener, ILoopDriver driver, ILog log, IReadOnlyList<Listener> before, bool isTls)
{
    private const int AttemptsMax = 20;
    private const int AttemptPauseMs = 1;

    private readonly ListenerOpener _opener = opener;
    private readonly ILoopDriver _driver = driver;
    private readonly ILog _log = log;
    private readonly IReadOnlyList<Listener> _before = before;
    private readonly bool _isTls = isTls;
    private readonly List<Listener> _old = [.. before];
    private readonly HashSet<Listener> _kept = [];
    private readonly HashSet<Listener> _closed = [];
    private readonly List<Listener> _after = [];

    /// <summary>The port of the new sockets; 0: none has been opened.</summary>
    public int Port { get; private set; }

    /// <summary>Opens everything; then <see cref="Commit"/>, or <see cref="Undo"/> where it fails.</summary>
    /// <param name="bind">The addresses, as they are configured.</param>
    /// <param name="port">The port; 0: any that is free.</param>
    public bool TryOpen(string[] bind, int port)
    {
        var addresses = new IPAddress[bind.Length];
        var stays = new Listener?[bind.Length];
        for (int index = 0; index < bind.Length; index++)
        {
            string host = HostOf(bind[index]);
            try
            {
                addresses[index] = ListenerOpener.AddressOf(host);
            }
            catch (SocketException fault)
            {
                Report($"{host}:{port}: {fault.Message}");
                return false;
            }

            stays[index] = _old.Find(old => old.EndPoint.Equals(new IPEndPoint(addresses[index], port)));
            if (stays[index] is not { } listener)
                continue;
            _old.Remove(listener);
            _kept.Add(listener);
        }

        for (int index = 0; index < bind.Length; index++)
        {
            if (!TryTake(bind[index], stays[index], new IPEndPoint(addresses[index], Math.Max(Port, port))))
                return false;
        }

        return true;
    }

    /// <summary>Begins to accept on the new sockets and closes the old ones.</summary>
    /// <returns>What listens now.</returns>
    public IReadOnlyList<Listener> Commit()
    {
        foreach (Listener listener in _after)
        {
            if (!_kept.Contains(listener))
                _driver.AddListener(listener.Socket, _isTls);
        }

        foreach (Listener listener in _old)
            _driver.RemoveListener(listener.Socket);
        return _after;
    }

    /// <summary>Restores the earlier state.</summary>
    /// <returns>What listens now: as many as before, unless another program has taken an address meanwhile.
    /// </returns>
    public IReadOnlyList<Listener> Undo()
    {
        foreach (Listener listener in _after)
        {
            if (!_kept.Contains(listener))
                Listener.Close(listener.Socket);
        }

        List<Listener> restored = [];
        foreach (Listener listener in _before)
        {
            if ((_closed.Contains(listener) ? Reopen(listener) : listener) is { } open)
                restored.Add(open);
        }

        return restored;
    }

    private bool TryTake(string name, Listener? stays, IPEndPoint endpoint)
    {
        string host = HostOf(name);
        try
        {
            Listener listener = stays ?? Open(host, endpoint);
            _after.Add(listener);
            Port = ((IPEndPoint)listener.EndPoint).Port;
            return true;
        }
        catch (SocketException fault)
        {
            Report($"{host}:{endpoint.Port}: bind: {fault.Message}");
            return IsMissing(fault.SocketErrorCode, name.StartsWith('-'));
        }
    }

    private Listener Open(string host, IPEndPoint endpoint)
    {
        try
        {
            return _opener.OpenTcp(host, endpoint);
        }
        catch (SocketException fault) when (fault.SocketErrorCode
            is SocketError.AddressAlreadyInUse or SocketError.AccessDenied && TryMakeWay(endpoint))
        {
            return OpenAgain(host, endpoint);
        }
    }

    // Opens an address that the socket just closed was using. The system may hold it a little longer, for a
    // thread that is still in a call, or for a process that is just being started (Listener.Close).
    private Listener OpenAgain(string host, IPEndPoint endpoint)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                return _opener.OpenTcp(host, endpoint);
            }
            catch (SocketException fault) when (attempt < AttemptsMax
                && fault.SocketErrorCode == SocketError.AddressAlreadyInUse)
            {
                Thread.Sleep(AttemptPauseMs);
            }
        }
    }

    private bool TryMakeWay(IPEndPoint endpoint)
    {
        List<Listener> inTheWay = _old.FindAll(old => old.IsInTheWayOf(endpoint));
        foreach (Listener listener in inTheWay)
        {
            _driver.RemoveListener(listener.Socket);
            _old.Remove(listener);
            _closed.Add(listener);
        }

        return inTheWay.Count > 0;
    }

    private Listener? Reopen(Listener closed)
    {
        try
        {
            Listener listener = OpenAgain(closed.Host, (IPEndPoint)closed.EndPoint);
            _driver.AddListener(listener.Socket, _isTls);
            return listener;
        }
        catch (SocketException fault)
        {
            Report($"{closed.Host}:{((IPEndPoint)closed.EndPoint).Port}: bind: {fault.Message}");
            return null;
        }
    }

    private void Report(string what) =>
        _log.Write(LogLevel.Warning, $"Warning: Could not create server TCP listening socket {what}");

    private static string HostOf(string name) => name.StartsWith('-') ? name[1..] : name;

    private static bool IsMissing(SocketError error, bool isOptional) => error switch
    {
        SocketError.AddressNotAvailable => isOptional,
        SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported
            or SocketError.ProtocolNotSupported or SocketError.SocketNotSupported
            or SocketError.ProtocolOption => true,
        _ => false,
    };
}
