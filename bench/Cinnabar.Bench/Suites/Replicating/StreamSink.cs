using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Cinnabar.Load;

namespace Cinnabar.Bench.Suites.Replicating;

/// <summary>A replica that reads everything, keeps nothing, and acknowledges every second, as replicas
/// do.</summary>
internal sealed class StreamSink : IDisposable
{
    private const int TimeoutMs = 60_000;
    private const int BufferSize = 1 << 18;
    private const int MarkSize = 40;
    private const string MarkHead = "EOF:";
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1);
    private readonly Socket _socket;
    private readonly NetworkStream _connection;
    private readonly Thread _thread;
    private readonly byte[] _buffer = new byte[BufferSize];
    private long _offset;
    private volatile bool _isDisposed;
    private volatile string? _failure;

    private StreamSink(ServerAddress master, int? core)
    {
        _socket = ServerLink.Open(master, new SessionOptions());
        _socket.ReceiveTimeout = TimeoutMs;
        _connection = new NetworkStream(_socket);
        _thread = new Thread(() => Run(core)) { Name = "bench-sink", IsBackground = true };
    }

    /// <summary>The offset up to which it has read.</summary>
    public long Offset => Volatile.Read(ref _offset);

    /// <summary>Follows a master; returns when it has the master's data.</summary>
    /// <param name="master">The master.</param>
    /// <param name="core">The core on which it reads; null: any.</param>
    /// <exception cref="LoadException">The master does not let it.</exception>
    public static StreamSink Follow(ServerAddress master, int? core)
    {
        var sink = new StreamSink(master, core);
        try
        {
            sink.Synchronise();
        }
        catch (Exception failure)
        {
            sink._connection.Dispose();
            if (failure is IOException)
                throw new LoadException($"no synchronisation: {failure.Message}");
            throw;
        }
        sink._thread.Start();
        return sink;
    }

    /// <summary>Waits until it has read up to an offset.</summary>
    /// <exception cref="LoadException">It does not come so far within a minute.</exception>
    public void Await(long offset)
    {
        long start = Stopwatch.GetTimestamp();
        while (Offset < offset)
        {
            if (_failure is not null) throw new LoadException($"the sink ended: {_failure}");
            if (Stopwatch.GetElapsedTime(start).TotalMilliseconds > TimeoutMs)
                throw new LoadException($"the master has sent {Offset} of {offset} bytes");
            Thread.Sleep(1);
        }
    }

    public void Dispose()
    {
        _isDisposed = true;
        _connection.Dispose();
        _socket.Dispose();
        _thread.Join();
    }

    private void Synchronise()
    {
        Send("REPLCONF", "listening-port", "1");
        Expect("+OK");
        Send("REPLCONF", "capa", "eof", "capa", "psync2");
        Expect("+OK");
        Send("PSYNC", "?", "-1");
        string[] words = ReadLine().Split(' ');
        if (words is not ["+FULLRESYNC", _, { } offset]) throw new LoadException($"PSYNC: {words[0]}");
        string head;
        do head = ReadLine();
        while (head.Length == 0); // The master says that it is still there.
        if (head[0] != '$') throw new LoadException($"no data but {head}");
        if (head[1..].StartsWith(MarkHead, StringComparison.Ordinal))
            SkipTo(Encoding.Latin1.GetBytes(head[(1 + MarkHead.Length)..]));
        else
            Skip(long.Parse(head[1..], CultureInfo.InvariantCulture));
        _offset = long.Parse(offset, CultureInfo.InvariantCulture);
        Acknowledge();
    }

    private void Skip(long count)
    {
        while (count > 0)
        {
            int received = Read((int)long.Min(count, _buffer.Length));
            count -= received;
        }
    }

    // Nothing follows the mark before the first acknowledgement.
    private void SkipTo(byte[] mark)
    {
        if (mark.Length != MarkSize) throw new LoadException("the mark of the end has another length");
        byte[] last = new byte[MarkSize];
        while (!last.AsSpan().SequenceEqual(mark))
        {
            int received = Read(_buffer.Length);
            int kept = int.Max(0, MarkSize - received);
            last.AsSpan(MarkSize - kept).CopyTo(last);
            _buffer.AsSpan(received - (MarkSize - kept), MarkSize - kept).CopyTo(last.AsSpan(kept));
        }
    }

    private void Run(int? core)
    {
        if (core is { } number) ProcessorPin.ThisThread(number);
        long acknowledged = Stopwatch.GetTimestamp();
        try
        {
            while (!_isDisposed)
            {
                if (_socket.Poll(s_pause, SelectMode.SelectRead))
                    Volatile.Write(ref _offset, _offset + Read(_buffer.Length));
                if (Stopwatch.GetElapsedTime(acknowledged) < s_pause) continue;
                acknowledged = Stopwatch.GetTimestamp();
                Acknowledge();
            }
        }
        catch (Exception failure) when (
            failure is IOException or SocketException or ObjectDisposedException or LoadException)
        {
            _failure = failure.Message;
        }
    }

    private int Read(int countMax)
    {
        int received = _connection.Read(_buffer, 0, countMax);
        return received > 0 ? received : throw new LoadException("the master closed the connection");
    }

    private void Acknowledge() =>
        Send("REPLCONF", "ACK", _offset.ToString(CultureInfo.InvariantCulture));

    private void Send(params string[] words)
    {
        var text = new StringBuilder($"*{words.Length}\r\n");
        foreach (string word in words) text.Append($"${word.Length}\r\n{word}\r\n");
        _connection.Write(Encoding.Latin1.GetBytes(text.ToString()));
    }

    private void Expect(string wanted)
    {
        string line = ReadLine();
        if (line != wanted) throw new LoadException($"{line} where {wanted} should be");
    }

    // Byte by byte, so that the data stay in the socket.
    private string ReadLine()
    {
        var line = new StringBuilder();
        while (true)
        {
            int next = _connection.ReadByte();
            if (next < 0) throw new LoadException("the master closed the connection");
            if (next == '\n') return line.ToString().TrimEnd('\r');
            line.Append((char)next);
        }
    }
}
