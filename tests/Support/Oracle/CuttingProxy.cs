using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Sockets;
using System.Threading;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>Hands connections on to a server and cuts each after a random number of bytes that the server
/// has sent, until told to let them live.</summary>
public sealed class CuttingProxy : IDisposable
{
    private const int PieceSize = 16 << 10;

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly List<Socket> _open = [];
    private readonly List<Thread> _threads = [];
    private readonly Random _random;
    private readonly int _targetPort;
    private readonly int _cutBytesMax;
    private volatile bool _isCutting = true;
    private volatile bool _isDisposed;

    /// <summary>Begins to listen.</summary>
    /// <param name="targetPort">The server's port on this machine.</param>
    /// <param name="seed">Chooses where connections are cut.</param>
    /// <param name="cutBytesMax">The most bytes that come through one connection.</param>
    public CuttingProxy(int targetPort, int seed, int cutBytesMax)
    {
        (_targetPort, _cutBytesMax, _random) = (targetPort, cutBytesMax, new Random(seed));
        _listener.Start();
        Begin(Accept);
    }

    /// <summary>Its port on 127.0.0.1.</summary>
    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Connections that were cut.</summary>
    public int CutCount { get; private set; }

    /// <summary>Lets connections live from now on; those that are open are not cut either.</summary>
    public void StopCutting() => _isCutting = false;

    /// <summary>Cuts again.</summary>
    public void ResumeCutting() => _isCutting = true;

    /// <inheritdoc/>
    public void Dispose()
    {
        _isDisposed = true;
        _listener.Stop();
        lock (_open)
        {
            foreach (Socket socket in _open)
                socket.Dispose();
        }

        while (true)
        {
            Thread thread;
            lock (_threads)
            {
                if (_threads.Count == 0)
                    return;
                thread = _threads[^1];
                _threads.RemoveAt(_threads.Count - 1);
            }

            thread.Join();
        }
    }

    private void Begin(ThreadStart run)
    {
        var thread = new Thread(run) { IsBackground = true };
        lock (_threads)
            _threads.Add(thread);
        thread.Start();
    }

    private void Accept()
    {
        try
        {
            while (!_isDisposed)
            {
                Socket client = _listener.AcceptSocket();
                var server = new Socket(SocketType.Stream, ProtocolType.Tcp);
                lock (_open)
                    _open.AddRange([client, server]);
                int cutAt = _random.Next(1, _cutBytesMax);
                Begin(() => Join(client, server, cutAt));
            }
        }
        catch (SocketException)
        {
            // The listener was stopped.
        }
    }

    private void Join(Socket client, Socket server, int cutAt)
    {
        try
        {
            server.Connect(IPAddress.Loopback, _targetPort);
            Begin(() => Pump(client, server, int.MaxValue));
            Pump(server, client, cutAt);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            client.Dispose();
        }
    }

    private void Pump(Socket from, Socket to, int cutAt)
    {
        byte[] piece = new byte[PieceSize];
        try
        {
            for (long passed = 0; ;)
            {
                int count = from.Receive(piece);
                bool isCut = _isCutting && passed + count >= cutAt;
                count = isCut ? (int)(cutAt - Math.Min(passed, cutAt)) : count;
                for (int sent = 0; sent < count;)
                    sent += to.Send(piece, sent, count - sent, SocketFlags.None);
                passed += count;
                if (!isCut && count > 0)
                    continue;
                CutCount += isCut ? 1 : 0;
                break;
            }
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            // One end has gone: so does the other.
        }

        from.Dispose();
        to.Dispose();
    }
}
