using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Cinnabar.Load;
using Cinnabar.Load.Replies;

namespace Cinnabar.Bench.Suites.Replicating;

/// <summary>A master without data that one replica follows, and that sends it a stream of SETs as fast as the
/// replica takes it.</summary>
internal sealed class StreamMaster : IDisposable
{
    private const int TimeoutMs = 60_000;
    private const int PieceSize = 1 << 20;
    private const int KeyCount = 1_000_000;
    private const int ValueSize = 64;
    private const int Seed = 1;
    private const string GetAck = "*3\r\n$8\r\nREPLCONF\r\n$6\r\nGETACK\r\n$1\r\n*\r\n";
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly byte[] _stream;
    private readonly int _count;
    private Socket? _socket;
    private NetworkStream? _connection;
    private long _sentBytes;

    /// <summary>Listens.</summary>
    /// <param name="count">How many SETs the stream has before it is sent again.</param>
    public StreamMaster(int count)
    {
        _count = count;
        var text = new StringBuilder();
        var random = new Random(Seed);
        string value = new('x', ValueSize);
        for (int index = 0; index < count; index++)
            text.Append("*3\r\n$3\r\nSET\r\n$16\r\n")
                .Append(CultureInfo.InvariantCulture, $"key:{random.Next(KeyCount):D12}\r\n")
                .Append(CultureInfo.InvariantCulture, $"${ValueSize}\r\n{value}\r\n");
        _stream = Encoding.Latin1.GetBytes(text.ToString());
        _listener.Start();
    }

    /// <summary>Where it listens, on 127.0.0.1.</summary>
    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Waits for the replica and gives it data without a key.</summary>
    /// <exception cref="LoadException">The replica says what no replica says.</exception>
    public void Accept()
    {
        if (!_listener.Server.Poll(TimeSpan.FromMilliseconds(TimeoutMs), SelectMode.SelectRead))
            throw new LoadException("no replica came");
        _socket = _listener.AcceptSocket();
        _socket.ReceiveTimeout = _socket.SendTimeout = TimeoutMs;
        _socket.NoDelay = true;
        _connection = new NetworkStream(_socket);
        while (true)
        {
            string request = Receive();
            if (request.StartsWith("PSYNC", StringComparison.OrdinalIgnoreCase)) break;
            Send(request.StartsWith("PING", StringComparison.OrdinalIgnoreCase) ? "+PONG\r\n" : "+OK\r\n");
        }
        // A file of version 9 with nothing but its end, and no checksum.
        string data = "REDIS0009\xff" + new string('\0', sizeof(ulong));
        Send($"+FULLRESYNC {new string('1', 40)} 0\r\n${data.Length}\r\n{data}");
    }

    /// <summary>Sends the whole stream once.</summary>
    /// <returns>How many SETs a second were applied, from the first byte to the replica's word that all
    /// are.</returns>
    public double SendOnce() => Send(isOver: () => true);

    /// <summary>Sends the stream again and again for some seconds.</summary>
    /// <returns>As of <see cref="SendOnce"/>.</returns>
    public double SendFor(double seconds)
    {
        long start = Stopwatch.GetTimestamp();
        return Send(() => Stopwatch.GetElapsedTime(start).TotalSeconds >= seconds);
    }

    public void Dispose()
    {
        _connection?.Dispose();
        _socket?.Dispose();
        _listener.Dispose();
    }

    private double Send(Func<bool> isOver)
    {
        long start = Stopwatch.GetTimestamp();
        long count = 0;
        do
        {
            for (int at = 0; at < _stream.Length; at += PieceSize)
                Write(_stream.AsSpan(at, int.Min(PieceSize, _stream.Length - at)));
            count += _count;
        }
        while (!isOver());
        long wanted = _sentBytes;
        Write(Encoding.Latin1.GetBytes(GetAck));
        while (AcknowledgedBytes() < wanted) continue;
        return count / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    private long AcknowledgedBytes()
    {
        string[] words = Receive().Split('\n');
        return words.Length > 2 && words[1].Equals("ACK", StringComparison.OrdinalIgnoreCase)
            ? long.Parse(words[2], CultureInfo.InvariantCulture)
            : throw new LoadException($"the replica sends {words[0]} where it acknowledges");
    }

    private string Receive()
    {
        try
        {
            return new ReplyReader(_connection!).Read() ?? "";
        }
        catch (IOException failure)
        {
            throw new LoadException($"the replica says nothing more: {failure.Message}");
        }
    }

    private void Write(ReadOnlySpan<byte> bytes)
    {
        try
        {
            _connection!.Write(bytes);
        }
        catch (IOException failure)
        {
            throw new LoadException($"the replica takes nothing more: {failure.Message}");
        }
        _sentBytes += bytes.Length;
    }

    private void Send(string text) => _connection!.Write(Encoding.Latin1.GetBytes(text));
}
