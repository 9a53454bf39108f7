using System;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>A master that a test plays: one replica gets data without a key from it, then the bytes of a
/// stream as far as the test says. After a cut the replica goes on where it was.</summary>
/// <param name="stream">The whole stream.</param>
public sealed class ScriptedMaster(byte[] stream) : IDisposable
{
    private const int TimeoutMs = 300_000;
    private static readonly string s_history = new('1', 40);

    private readonly TcpListener _listener = Listen();
    private Socket? _socket;
    private NetworkStream? _connection;

    /// <summary>Its port on 127.0.0.1.</summary>
    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Bytes of the stream that were sent.</summary>
    public int Position { get; private set; }

    /// <summary>Waits for the replica and shakes hands.</summary>
    /// <returns>The offset that it goes on from.</returns>
    public int Accept()
    {
        if (!_listener.Server.Poll(TimeSpan.FromMilliseconds(TimeoutMs), SelectMode.SelectRead))
            throw new TimeoutException("no replica came");
        _socket = _listener.AcceptSocket();
        _socket.ReceiveTimeout = _socket.SendTimeout = TimeoutMs;
        _socket.NoDelay = true;
        _connection = new NetworkStream(_socket);
        var requests = new RespReader(new BufferedStream(_connection));
        while (true)
        {
            RespValue request = requests.Read();
            switch (request.Items[0].Text.ToUpperInvariant())
            {
                case "PSYNC":
                    Position = Begin(request);
                    return Position;
                case "PING":
                    Write("+PONG\r\n");
                    break;
                default:
                    Write("+OK\r\n");
                    break;
            }
        }
    }

    /// <summary>Sends the stream up to a position, or as far as the replica takes it.</summary>
    public void SendTo(int end)
    {
        try
        {
            _connection!.Write(stream.AsSpan(Position, end - Position));
            Position = end;
        }
        catch (IOException)
        {
            // The replica has ended the connection: it was promoted.
        }
    }

    /// <summary>Ends the connection.</summary>
    public void Cut()
    {
        _connection?.Dispose();
        _socket?.Dispose();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Cut();
        _listener.Dispose();
    }

    private static TcpListener Listen()
    {
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return listener;
    }

    private int Begin(RespValue request)
    {
        if (request.Items[1].Text == s_history)
        {
            Write("+CONTINUE\r\n");
            return int.Parse(request.Items[2].Text, CultureInfo.InvariantCulture) - 1;
        }

        // A file of version 9 with nothing but its end, and no checksum.
        string data = "REDIS0009\xff" + new string('\0', sizeof(ulong));
        Write($"+FULLRESYNC {s_history} 0\r\n${data.Length}\r\n{data}");
        return 0;
    }

    private void Write(string text) => _connection!.Write(Encoding.Latin1.GetBytes(text));
}
