using System;
using System.Collections.Generic;
using System.Net.Sockets;

namespace Cinnabar.Load.Sockets;

/// <summary>Connections over the framework's sockets, for systems without epoll. Costs more per request, so
/// that there the load generator may be what limits.</summary>
internal sealed unsafe class SocketTransport : ILoadTransport
{
    private const long NsPerMicrosecond = 1000;
    private const long MicrosecondsMax = 1_000_000_000;
    private readonly List<Socket> _sockets = [];
    private readonly Dictionary<Socket, int> _indices = [];
    private readonly HashSet<Socket> _watched = [];
    private readonly List<Socket> _readable = [];
    private readonly List<Socket> _writable = [];

    public int Add(Socket socket)
    {
        socket.Blocking = false;
        _sockets.Add(socket);
        _indices.Add(socket, _sockets.Count - 1);
        return _sockets.Count - 1;
    }

    // SAFETY: the spans are made of the caller's memory and are not kept.
    public int Send(int connection, byte* data, int size)
    {
        int sent = _sockets[connection].Send(new ReadOnlySpan<byte>(data, size), SocketFlags.None,
            out SocketError error);
        return error switch
        {
            SocketError.Success => sent,
            SocketError.WouldBlock => 0,
            _ => throw new LoadException($"send: {error}"),
        };
    }

    public int Receive(int connection, byte* buffer, int size)
    {
        int received = _sockets[connection].Receive(new Span<byte>(buffer, size), SocketFlags.None,
            out SocketError error);
        return error switch
        {
            SocketError.Success when received == 0 =>
                throw new LoadException("the server closed a connection"),
            SocketError.Success => received,
            SocketError.WouldBlock => 0,
            _ => throw new LoadException($"recv: {error}"),
        };
    }

    public int Wait(Span<int> ready, long timeoutNs)
    {
        _readable.Clear();
        _readable.AddRange(_sockets);
        _writable.Clear();
        _writable.AddRange(_watched);
        long microseconds = timeoutNs < 0 ? MicrosecondsMax : timeoutNs / NsPerMicrosecond;
        Socket.Select(_readable, _writable, null, (int)long.Min(microseconds, MicrosecondsMax));
        int count = 0;
        foreach (Socket socket in _readable)
        {
            if (count < ready.Length) ready[count++] = _indices[socket];
            _writable.Remove(socket);
        }
        foreach (Socket socket in _writable)
            if (count < ready.Length) ready[count++] = _indices[socket];
        return count;
    }

    public void WatchOutput(int connection, bool isWatched)
    {
        if (isWatched) _watched.Add(_sockets[connection]);
        else _watched.Remove(_sockets[connection]);
    }

    public void Dispose()
    {
        foreach (Socket socket in _sockets) socket.Dispose();
    }
}
