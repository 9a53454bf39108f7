using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Cinnabar.Bench.Load;

/// <summary>Connections over Linux's own calls: one readiness call, one receive and one send per batch, and
/// nothing of the framework between them.</summary>
internal sealed unsafe class EpollTransport : ILoadTransport
{
    private const int ReadyCountMax = 256;
    private readonly List<int> _sockets = [];
    private readonly int _epoll;
    private readonly EpollEvents _events = new(ReadyCountMax);

    public EpollTransport()
    {
        _epoll = LibC.epoll_create1(LibC.CloseOnExec);
        if (_epoll < 0) throw Failure("epoll_create1");
    }

    public int Open(int port)
    {
        int socket = LibC.socket(LibC.InternetFamily, LibC.Stream | LibC.CloseOnExec, 0);
        if (socket < 0) throw Failure("socket");
        var address = InternetAddress.Loopback(port);
        if (LibC.connect(socket, &address, sizeof(InternetAddress)) < 0)
        {
            LoadException failure = Failure("connect");
            LibC.close(socket);
            throw failure;
        }
        int on = 1;
        if (LibC.setsockopt(socket, LibC.ProtocolTcp, LibC.NoDelay, &on, sizeof(int)) < 0)
            throw Failure("setsockopt");
        int connection = _sockets.Count;
        _sockets.Add(socket);
        _events.Control(_epoll, LibC.EpollAdd, socket, LibC.EpollIn, connection);
        return connection;
    }

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

    public int Wait(Span<int> ready, int timeoutMs)
    {
        int count = _events.Wait(_epoll, Math.Min(ready.Length, ReadyCountMax), timeoutMs);
        for (int index = 0; index < count; index++) ready[index] = _events.Connection(index);
        return count;
    }

    public void WatchOutput(int connection, bool isWatched) => _events.Control(_epoll, LibC.EpollModify,
        _sockets[connection], isWatched ? LibC.EpollIn | LibC.EpollOut : LibC.EpollIn, connection);

    public void Dispose()
    {
        foreach (int socket in _sockets) LibC.close(socket);
        LibC.close(_epoll);
        _events.Dispose();
    }

    private static bool IsRetry(out bool isWait)
    {
        int error = Marshal.GetLastSystemError();
        isWait = error == LibC.TryAgain;
        return isWait || error == LibC.Interrupted;
    }

    private static LoadException Failure(string call)
    {
        int error = Marshal.GetLastSystemError();
        return new LoadException($"{call}: {Marshal.GetPInvokeErrorMessage(error)}");
    }
}
