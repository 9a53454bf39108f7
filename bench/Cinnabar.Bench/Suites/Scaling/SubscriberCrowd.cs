using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Cinnabar.Load;

namespace Cinnabar.Bench.Suites.Scaling;

/// <summary>Connections that listen to a channel; a thread of the load's core takes what comes. Disposing
/// ends them.</summary>
internal sealed class SubscriberCrowd : IDisposable
{
    private const int BufferBytes = 1 << 20;
    private const int WaitMicroseconds = 100_000;
    private readonly List<Socket> _sockets = [];
    private readonly Thread _thread;
    private readonly IReadOnlyList<int> _cores;
    private volatile bool _isOver;

    /// <summary>Subscribes them.</summary>
    /// <exception cref="LoadException">The server cannot be reached.</exception>
    public SubscriberCrowd(ServerAddress server, int count, IReadOnlyList<int> cores)
    {
        _cores = cores;
        byte[] request = Encoding.ASCII.GetBytes($"SUBSCRIBE {ScaleLoad.Channel}\r\n");
        try
        {
            for (int number = 0; number < count; number++)
            {
                _sockets.Add(server.Connect());
                _sockets[^1].Send(request);
            }
        }
        catch (SocketException failure)
        {
            Close();
            throw new LoadException($"{server}: {failure.Message}");
        }
        _thread = new Thread(Take) { IsBackground = true };
        _thread.Start();
    }

    /// <summary>How many bytes have come.</summary>
    public long ReceivedBytes { get; private set; }

    public void Dispose()
    {
        _isOver = true;
        _thread.Join();
        Close();
    }

    private void Close()
    {
        foreach (Socket socket in _sockets) socket.Dispose();
    }

    private void Take()
    {
        if (_cores.Count > 0) ProcessorPin.ThisThread(_cores[0]);
        byte[] buffer = new byte[BufferBytes];
        while (!_isOver)
        {
            List<Socket> readable = [.. _sockets];
            if (readable.Count > 0) Socket.Select(readable, null, null, WaitMicroseconds);
            foreach (Socket socket in readable)
            {
                int bytes = socket.Receive(buffer);
                if (bytes == 0) return; // The server has closed it, which the count of bytes shows.
                ReceivedBytes += bytes;
            }
        }
    }
}
