using System.Net;
using System.Net.Sockets;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Portable;

/// <summary>The listening sockets of one loop: accepts connections and sets them up. Only the loop uses it,
/// except where a method says otherwise.</summary>
/// <param name="loop">The loop.</param>
/// <param name="accepted">Takes each connection over.</param>
internal sealed class PortableListeners(Loop loop, Action<Socket, SessionEndpoint> accepted)
{
    private const int AcceptedCountMax = 1000;
    private const int PauseMs = 100;

    private readonly Loop _loop = loop;
    private readonly Action<Socket, SessionEndpoint> _accepted = accepted;
    private readonly Lock _lock = new();
    private readonly List<Socket> _sockets = [];
    private readonly HashSet<Socket> _tls = [];
    private long _pausedUntilMs;

    /// <summary>Adds a listening socket, which must not block. From any thread.</summary>
    /// <param name="listener">The socket.</param>
    /// <param name="isTls">Whether its connections have TLS.</param>
    public void Add(Socket listener, bool isTls)
    {
        lock (_lock)
        {
            _sockets.Add(listener);
            if (isTls)
                _tls.Add(listener);
        }
    }

    /// <summary>Removes a socket, which the caller closes. From any thread.</summary>
    public void Remove(Socket listener)
    {
        lock (_lock)
        {
            _sockets.Remove(listener);
            _tls.Remove(listener);
        }
    }

    /// <summary>Adds the sockets to wait for.</summary>
    /// <param name="readable">The sockets that a wait is for.</param>
    /// <param name="timeoutMs">How long the wait may be; shortened where accepting pauses.</param>
    public void AddTo(List<Socket> readable, ref int timeoutMs)
    {
        long leftMs = _pausedUntilMs == 0 ? 0 : _pausedUntilMs - Environment.TickCount64;
        if (leftMs > 0)
        {
            timeoutMs = timeoutMs < 0 ? (int)leftMs : Math.Min(timeoutMs, (int)leftMs);
            return;
        }

        _pausedUntilMs = 0;
        lock (_lock)
            readable.AddRange(_sockets);
    }

    /// <summary>Accepts what waits, where the socket is one of these.</summary>
    public bool TryAccept(Socket socket)
    {
        if (!Has(socket))
            return false;
        try
        {
            for (int count = 0; count < AcceptedCountMax; count++)
            {
                if (!AcceptOne(socket) || !socket.Poll(0, SelectMode.SelectRead))
                    break;
            }
        }
        catch (ObjectDisposedException)
        {
            // It was removed meanwhile.
        }

        return true;
    }

    private bool Has(Socket socket)
    {
        lock (_lock)
            return _sockets.Contains(socket);
    }

    private bool AcceptOne(Socket listener)
    {
        Socket socket;
        try
        {
            socket = listener.Accept();
        }
        catch (SocketException refusal)
        {
            // A peer that has left the queue again is no fault; where descriptors have run out, accepting
            // pauses: they are given back by and by.
            if (refusal.SocketErrorCode is SocketError.WouldBlock or SocketError.ConnectionAborted
                or SocketError.ConnectionReset or SocketError.Interrupted || !Has(listener))
                return false;
            _pausedUntilMs = Environment.TickCount64 + PauseMs;
            _loop.Log.Write(LogLevel.Warning, $"Accepting client connection: {refusal.Message}");
            return false;
        }

        try
        {
            SetUp(socket);
            _accepted(socket, Describe(socket, listener));
        }
        catch (SocketException)
        {
            // The peer has left already.
            socket.Dispose();
        }

        return true;
    }

    private SessionEndpoint Describe(Socket socket, Socket listener)
    {
        long descriptor = socket.Handle;
        if (socket.AddressFamily == AddressFamily.Unix)
        {
            string path = $"{listener.LocalEndPoint}:0";
            return new SessionEndpoint(path, path, descriptor, ConnectionKind.Unix, true);
        }

        var remote = (IPEndPoint)socket.RemoteEndPoint!;
        return new SessionEndpoint(remote.ToString(), socket.LocalEndPoint!.ToString()!, descriptor,
            HasTls(listener) ? ConnectionKind.Tls : ConnectionKind.Tcp, IPAddress.IsLoopback(remote.Address));
    }

    private bool HasTls(Socket listener)
    {
        lock (_lock)
            return _tls.Contains(listener);
    }

    private void SetUp(Socket socket)
    {
        socket.Blocking = false;
        if (socket.AddressFamily == AddressFamily.Unix)
            return;
        socket.NoDelay = true;
        int seconds = _loop.Settings.TcpKeepAliveSeconds;
        if (seconds <= 0)
            return;
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, seconds);
        socket.SetSocketOption(
            SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, Math.Max(seconds / 3, 1));
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveRetryCount,
            _loop.Settings.TcpKeepAliveProbes);
    }
}
