// How late a subscriber gets the `expired` events of keys whose deadlines are known: key number N is called
// due:N. The time is read when a message is here, so what the way to the subscriber takes counts as lateness.
//
// Single-threaded.
using System;
using System.Buffers.Text;
using System.Collections.Generic;
using System.Net.Sockets;

namespace Cinnabar.Load.Waits;

/// <summary>Subscribes to `expired` events and measures how late each comes.</summary>
public sealed class EventLatenessProbe : IProbe, IDisposable
{
    private const int ReadSize = 1 << 16;
    private readonly IReadOnlyList<long> _deadlinesMs;
    private readonly byte[] _text = new byte[2 * ReadSize];
    private readonly Socket _socket;
    private int _length;

    /// <summary>Connects and subscribes.</summary>
    /// <param name="options">Where to.</param>
    /// <param name="deadlinesMs">The deadlines of the keys by their numbers, in Unix milliseconds.</param>
    /// <exception cref="LoadException">The server cannot be reached, or refuses.</exception>
    public EventLatenessProbe(LoadOptions options, IReadOnlyList<long> deadlinesMs)
    {
        _deadlinesMs = deadlinesMs;
        _socket = ServerLink.Open(options.Server, options.Session);
        _socket.Send("SUBSCRIBE __keyevent@0__:expired\r\n"u8);
        int size = _socket.Receive(_text);
        if (size == 0 || _text[0] == '-') throw new LoadException("the server refuses SUBSCRIBE");
        _socket.Blocking = false;
    }

    /// <summary>The name of a key.</summary>
    public static string KeyOf(int number) => $"due:{number}";

    /// <summary>How late each event came.</summary>
    public LatencyHistogram Lateness { get; } = new();

    /// <summary>How many events came.</summary>
    public int Count { get; private set; }

    /// <inheritdoc/>
    public bool IsAnswered => true;

    /// <inheritdoc/>
    public string? FirstError => null;

    /// <inheritdoc/>
    public void Start()
    {
    }

    /// <inheritdoc/>
    public void Step(bool isAsking)
    {
        int size = _socket.Receive(_text.AsSpan(_length, ReadSize), SocketFlags.None, out SocketError error);
        if (error == SocketError.WouldBlock) return;
        if (error != SocketError.Success || size == 0)
            throw new LoadException($"the server closed a connection: {error}");
        _length += size;
        long nowNs = (DateTime.UtcNow - DateTime.UnixEpoch).Ticks * 100;
        ReadOnlySpan<byte> rest = _text.AsSpan(0, _length);
        for (int end = rest.IndexOf((byte)'\n'); end >= 0; end = rest.IndexOf((byte)'\n'))
        {
            Take(rest[..end], nowNs);
            rest = rest[(end + 1)..];
        }
        rest.CopyTo(_text);
        _length = rest.Length;
    }

    /// <inheritdoc/>
    public void Skip()
    {
    }

    public void Dispose() => _socket.Dispose();

    // A line of a message: its key, or something else.
    private void Take(ReadOnlySpan<byte> line, long nowNs)
    {
        ReadOnlySpan<byte> start = "due:"u8;
        if (!line.StartsWith(start)
            || !Utf8Parser.TryParse(line[start.Length..], out int number, out _)) return;
        Lateness.Record(long.Max(0, nowNs - _deadlinesMs[number] * 1_000_000));
        Count++;
    }
}
