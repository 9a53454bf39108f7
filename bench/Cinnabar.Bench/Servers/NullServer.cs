using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;
using Cinnabar.Bench.Load;

namespace Cinnabar.Bench.Servers;

/// <summary>
/// The floor under every server: answers each N bytes of input with one reply of M bytes, without reading
/// what stands in them and without keeping anything. What it costs, the system's calls and copies cost, so no
/// server over the same calls can be faster. It is good for plans whose requests and replies have one size
/// each.
/// </summary>
internal sealed unsafe class NullServer
{
    private const int InputSize = 65536;
    private const int ReplyCountMax = 4096;
    private readonly int _requestSize;
    private readonly int _replySize;
    private readonly byte* _replies;
    private readonly byte* _input = (byte*)NativeMemory.Alloc(InputSize);
    private readonly EpollEvents _events = new(256);
    private readonly Dictionary<int, long> _inputSizes = [];
    private readonly Dictionary<int, long> _owed = [];
    private readonly int _epoll = LibC.epoll_create1(LibC.CloseOnExec);

    /// <summary>A server for requests of <paramref name="requestSize"/> bytes; its replies are bulk strings
    /// of
    /// <paramref name="replySize"/> bytes in all.</summary>
    public NullServer(int requestSize, int replySize)
    {
        _requestSize = requestSize;
        _replySize = replySize;
        _replies = (byte*)NativeMemory.Alloc((nuint)replySize * ReplyCountMax);
        byte[] reply = Reply(replySize);
        for (int index = 0; index < ReplyCountMax; index++)
            reply.CopyTo(new Span<byte>(_replies + (long)index * replySize, replySize));
    }

    /// <summary>Serves a port of 127.0.0.1 until the process ends.</summary>
    public void Run(int port)
    {
        int listener = LibC.socket(LibC.InternetFamily, LibC.Stream | LibC.NonBlocking | LibC.CloseOnExec, 0);
        int on = 1;
        _ = LibC.setsockopt(listener, LibC.SolSocket, LibC.ReuseAddress, &on, sizeof(int));
        var address = InternetAddress.Loopback(port);
        if (LibC.bind(listener, &address, sizeof(InternetAddress)) < 0 || LibC.listen(listener, 1024) < 0)
            throw new LoadException($"port {port} is taken");
        _events.Control(_epoll, LibC.EpollAdd, listener, LibC.EpollIn, listener);
        while (true)
        {
            int count = _events.Wait(_epoll, 256, -1);
            for (int index = 0; index < count; index++)
            {
                int socket = _events.Connection(index);
                if (socket == listener) Accept(listener);
                else Serve(socket);
            }
        }
    }

    private static byte[] Reply(int size)
    {
        for (int length = size; length >= 0; length--)
        {
            string reply = $"${length}\r\n{new string('x', length)}\r\n";
            if (reply.Length == size) return Encoding.ASCII.GetBytes(reply);
        }
        throw new LoadException($"no bulk string has {size} bytes");
    }

    private void Accept(int listener)
    {
        int on = 1;
        int socket;
        while ((socket = LibC.accept4(listener, null, null, LibC.NonBlocking | LibC.CloseOnExec)) >= 0)
        {
            _ = LibC.setsockopt(socket, LibC.ProtocolTcp, LibC.NoDelay, &on, sizeof(int));
            _inputSizes[socket] = 0;
            _owed[socket] = 0;
            _events.Control(_epoll, LibC.EpollAdd, socket, LibC.EpollIn, socket);
        }
    }

    private void Serve(int socket)
    {
        long owed = _owed[socket];
        if (owed == 0)
        {
            int received = (int)LibC.recv(socket, _input, InputSize, 0);
            if (received <= 0)
            {
                LibC.close(socket);
                return;
            }
            long size = _inputSizes[socket] + received;
            owed = size / _requestSize * _replySize;
            _inputSizes[socket] = size % _requestSize;
        }
        Pay(socket, owed);
    }

    private void Pay(int socket, long owed)
    {
        bool wasOwing = _owed[socket] > 0;
        while (owed > 0)
        {
            // Where in a reply the last send ended, so that this one goes on there.
            long done = (_replySize - owed % _replySize) % _replySize;
            long size = Math.Min(owed, (long)_replySize * ReplyCountMax - done);
            long sent = LibC.send(socket, _replies + done, (nint)size, LibC.NoSignal);
            if (sent < 0) break;
            owed -= sent;
        }
        _owed[socket] = owed;
        if (owed > 0 == wasOwing) return;
        uint readiness = owed > 0 ? LibC.EpollOut : LibC.EpollIn;
        _events.Control(_epoll, LibC.EpollModify, socket, readiness, socket);
    }
}
