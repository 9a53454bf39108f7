using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Sockets;
using System.Threading;

namespace Cinnabar.Tests.Unit.Bench;

/// <summary>A server of one thread that answers PING to all, and once, after so many answers, does nothing
/// for a while.</summary>
internal sealed class StallingServer : IDisposable
{
    private const int RequestSize = 14;
    private readonly Socket _listener = new(SocketType.Stream, ProtocolType.Tcp);
    private readonly List<Socket> _clients = [];
    private readonly Dictionary<Socket, int> _partSizes = [];
    private readonly Thread _thread;
    private readonly int _answersBefore;
    private readonly int _stallMs;
    private readonly ManualResetEventSlim _stop = new();
    private int _answerCount;

    public StallingServer(int answersBefore, int stallMs)
    {
        (_answersBefore, _stallMs) = (answersBefore, stallMs);
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen(64);
        _thread = new Thread(Serve) { IsBackground = true };
        _thread.Start();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    public void Dispose()
    {
        _stop.Set();
        _thread.Join();
        _listener.Dispose();
        _stop.Dispose();
        foreach (Socket client in _clients) client.Dispose();
    }

    private void Serve()
    {
        var ready = new List<Socket>();
        while (!_stop.IsSet)
        {
            ready.Clear();
            ready.Add(_listener);
            ready.AddRange(_clients);
            Socket.Select(ready, null, null, 10_000);
            foreach (Socket socket in ready)
            {
                if (socket == _listener) Accept();
                else Answer(socket);
            }
        }
    }

    private void Accept()
    {
        Socket client = _listener.Accept();
        client.NoDelay = true;
        _clients.Add(client);
        _partSizes[client] = 0;
    }

    private void Answer(Socket client)
    {
        Span<byte> buffer = stackalloc byte[4096];
        int size = client.Receive(buffer, SocketFlags.None, out SocketError error);
        if (error != SocketError.Success) size = 0; // A client that broke off is one that has closed.
        if (size == 0)
        {
            _clients.Remove(client);
            client.Dispose();
            return;
        }
        int whole = _partSizes[client] + size;
        _partSizes[client] = whole % RequestSize;
        for (int count = whole / RequestSize; count > 0; count--)
        {
            client.Send("+PONG\r\n"u8);
            if (++_answerCount == _answersBefore) _stop.Wait(_stallMs);
        }
    }
}
