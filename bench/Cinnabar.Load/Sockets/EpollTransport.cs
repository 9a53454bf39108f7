using System;
using System.Collections.Generic;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Cinnabar.Load.Sockets;

/// <summary>Connections over Linux's own calls: one readiness call, one receive and one send per batch, and
/// nothing of the framework between them. The framework only opened the sockets, and closes them. Input is
/// reported once (edge-triggered): the system need not check a socket again that was just emptied.</summary>
internal sealed unsafe class EpollTransport : ILoadTransport
{
    private const int ReadyCountMax = 256;
    private const uint InputEdge = LibC.EpollIn | LibC.EpollEdge;
    private readonly List<Socket> _owners = [];
    private readonly List<int> _sockets = [];
    private readonly int _epoll;
    private readonly EpollEvents _events = new(ReadyCountMax);

    public EpollTransport()
    {
        _epoll = LibC.epoll_create1(LibC.CloseOnExec);
        if (_epoll < 0) throw Failure("epoll_create1");
    }

    public int Add(Socket socket)
    {
        _owners.Add(socket);
        _sockets.Add((int)socket.Handle);
        _events.Control(_epoll, LibC.EpollAdd, _sockets[^1], InputEdge, _sockets.Count - 1);
        return _sockets.Count - 1;
    }

    // SAFETY: the descriptors stay open until Dispose, their owners are in a list beside them.
    public int Send(int connection, byte* data, int size)
    {
        int socket = _sockets[connection];
        while (true)
        {
            int sent = (int)LibC.send(socket, data, size, LibC.NoSignal | LibC.DontWait);
            if (sent >= 0) return sent;
            if (!IsRetry(out bool isWait)) throw Failure("send");
            if (isWait) return 0;
        }
    }

    public int Receive(int connection, byte* buffer, int size)
    {
        int socket = _sockets[connection];
        while (true)
        {
            int received = (int)LibC.recv(socket, buffer, size, LibC.DontWait);
            if (received > 0) return received;
            if (received == 0) throw new LoadException("the server closed a connection");
            if (!IsRetry(out bool isWait)) throw Failure("recv");
            if (isWait) return 0;
        }
    }

    public int Wait(Span<int> ready, long timeoutNs)
    {
        int count = _events.Wait(_epoll, Math.Min(ready.Length, ReadyCountMax), timeoutNs);
        for (int index = 0; index < count; index++) ready[index] = _events.Connection(index);
        return count;
    }

    public void WatchOutput(int connection, bool isWatched) => _events.Control(_epoll, LibC.EpollModify,
        _sockets[connection], isWatched ? InputEdge | LibC.EpollOut : InputEdge, connection);

    public void Dispose()
    {
        foreach (Socket socket in _owners) socket.Dispose();
        LibC.close(_epoll);
        _events.Dispose();
    }

    private static bool IsRetry(out bool isWait)
    {
        int error = Marshal.GetLastPInvokeError();
        isWait = error == LibC.TryAgain;
        return isWait || error == LibC.Interrupted;
    }

    private static LoadException Failure(string call) =>
        new($"{call}: {Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError())}");
}
