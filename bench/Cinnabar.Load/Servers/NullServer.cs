using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Threading;
using Cinnabar.Load.Sockets;

namespace Cinnabar.Load.Servers;

/// <summary>
/// The floor under every server: finds where requests end and answers each by its number of words alone, one
/// with <c>+PONG</c>, two (GET) with a value, more (SET) with <c>+OK</c>. It stores nothing and looks nothing
/// up. Its cost is that of system calls and copies, so no server over the same calls can be much faster; if
/// it is the fastest by little, the load generator or the system is the limit.
///
/// One thread, epoll, Linux only. An argument may be of any size, a request has at most 2^31 arguments.
/// </summary>
public sealed unsafe class NullServer : IDisposable
{
    private const int InputSize = 65536;
    private const int OutputSize = 1 << 20;
    private const int Backlog = 1024;
    private const int EventCountMax = 256;
    private const long StopNs = 100_000_000;
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly FloorRequests _requests;
    private readonly byte* _input = (byte*)NativeMemory.Alloc(InputSize);
    private readonly EpollEvents _events = new(EventCountMax);
    private readonly Dictionary<int, FloorConnection> _connections = [];
    private readonly int _epoll = LibC.epoll_create1(LibC.CloseOnExec);

    /// <summary>A server on a port of 127.0.0.1 (0: any free one) whose values have <paramref
    /// name="dataSize"/> bytes.</summary>
    /// <exception cref="LoadException">The port is taken.</exception>
    public NullServer(int port, int dataSize)
    {
        _requests = new FloorRequests(dataSize) { Output = new byte[OutputSize] };
        try
        {
            _listener.Bind(new IPEndPoint(IPAddress.Loopback, port));
            _listener.Listen(Backlog);
        }
        catch (SocketException failure)
        {
            Dispose();
            throw new LoadException($"port {port}: {failure.Message}");
        }
    }

    /// <summary>The port it serves.</summary>
    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    /// <summary>Serves until it is cancelled; calls after that are not allowed.</summary>
    // SAFETY: descriptors are closed only here, after they left the dictionary.
    public void Run(CancellationToken stop)
    {
        var listener = (int)_listener.Handle;
        _listener.Blocking = false;
        _events.Control(_epoll, LibC.EpollAdd, listener, LibC.EpollIn, listener);
        while (!stop.IsCancellationRequested)
        {
            int count = _events.Wait(_epoll, EventCountMax, StopNs);
            for (int index = 0; index < count; index++)
            {
                int socket = _events.Connection(index);
                if (socket == listener) Accept(listener);
                else if (!Serve(socket, _connections[socket]))
                {
                    _connections.Remove(socket);
                    LibC.close(socket);
                }
            }
        }
        foreach (int socket in _connections.Keys) LibC.close(socket);
    }

    public void Dispose()
    {
        _listener.Dispose();
        NativeMemory.Free(_input);
        _events.Dispose();
        LibC.close(_epoll);
    }

    private void Accept(int listener)
    {
        int on = 1;
        int socket;
        while ((socket = LibC.accept4(listener, null, null, LibC.NonBlocking | LibC.CloseOnExec)) >= 0)
        {
            _ = LibC.setsockopt(socket, LibC.ProtocolTcp, LibC.NoDelay, &on, sizeof(int));
            _connections[socket] = new FloorConnection();
            _events.Control(_epoll, LibC.EpollAdd, socket, LibC.EpollIn, socket);
        }
    }

    // A client that has not taken its replies is not read from. False when the connection is over.
    private bool Serve(int socket, FloorConnection connection)
    {
        if (connection.Unsent.Length > 0) return Send(socket, connection, connection.Unsent);
        int received = (int)LibC.recv(socket, _input, InputSize, 0);
        if (received <= 0) return received < 0 && Marshal.GetLastPInvokeError() == LibC.TryAgain;
        _requests.OutputSize = 0;
        int at = 0;
        while (at < received)
        {
            at = _requests.Answer(connection, _input, at, received);
            ReadOnlySpan<byte> replies = _requests.Output.AsSpan(0, _requests.OutputSize);
            if (connection.Unsent.Length > 0) connection.Unsent = [.. connection.Unsent, .. replies];
            else if (!Send(socket, connection, replies)) return false;
            _requests.OutputSize = 0;
        }
        return true;
    }

    private bool Send(int socket, FloorConnection connection, ReadOnlySpan<byte> replies)
    {
        bool wasOwing = connection.Unsent.Length > 0;
        int sent;
        fixed (byte* data = replies)
            sent = replies.Length == 0 ? 0 : (int)LibC.send(socket, data, replies.Length, LibC.NoSignal);
        if (sent < 0 && Marshal.GetLastPInvokeError() != LibC.TryAgain) return false;
        ReadOnlySpan<byte> rest = replies[Math.Max(sent, 0)..];
        connection.Unsent = rest.Length == 0 ? [] : rest.ToArray();
        if (rest.Length > 0 == wasOwing) return true;
        uint readiness = rest.Length > 0 ? LibC.EpollOut : LibC.EpollIn;
        _events.Control(_epoll, LibC.EpollModify, socket, readiness, socket);
        return true;
    }
}
