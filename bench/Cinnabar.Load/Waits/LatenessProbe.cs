// How late keys are removed after their deadlines, seen from outside. The keys' deadlines are known in their
// order and lie close together. The probe asks DBSIZE, one question after the other without a pause. A reply
// shows how many keys are left, and so which is the oldest one: it is late by the time since its deadline.
// The time is read when the reply is here, so a delay of the reply counts as lateness too.
//
// Single-threaded.
using System;
using System.Buffers.Text;
using System.Collections.Generic;
using System.Net.Sockets;

namespace Cinnabar.Load.Waits;

/// <summary>Counts keys with DBSIZE and measures how late the oldest expired one is.</summary>
public sealed class LatenessProbe : IProbe, IDisposable
{
    private const int ReplySizeMax = 64;
    private readonly IReadOnlyList<long> _deadlinesMs;
    private readonly long _otherCount;
    private readonly byte[] _reply = new byte[ReplySizeMax];
    private readonly Socket _socket;
    private int _replySize;

    /// <summary>Connects.</summary>
    /// <param name="options">Where to.</param>
    /// <param name="deadlinesMs">The deadlines of the server's keys in Unix milliseconds, ascending.</param>
    /// <param name="otherCount">How many keys the server has besides.</param>
    /// <exception cref="LoadException">The server cannot be reached, or refuses.</exception>
    public LatenessProbe(LoadOptions options, IReadOnlyList<long> deadlinesMs, long otherCount)
    {
        (_deadlinesMs, _otherCount) = (deadlinesMs, otherCount);
        _socket = ServerLink.Open(options.Server, options.Session);
        _socket.Blocking = false;
    }

    /// <summary>How late the oldest key was in each reply; 0 where none was.</summary>
    public LatencyHistogram Lateness { get; } = new();

    /// <inheritdoc/>
    public bool IsAnswered { get; private set; } = true;

    /// <inheritdoc/>
    public string? FirstError { get; private set; }

    /// <inheritdoc/>
    public void Start()
    {
    }

    /// <inheritdoc/>
    public void Step(bool isAsking)
    {
        if (IsAnswered && isAsking)
        {
            if (_socket.Send("DBSIZE\r\n"u8) < 0) throw new LoadException("a question was not sent");
            (IsAnswered, _replySize) = (false, 0);
        }
        if (IsAnswered) return;
        int size = _socket.Receive(_reply.AsSpan(_replySize), SocketFlags.None, out SocketError error);
        if (error == SocketError.WouldBlock) return;
        if (error != SocketError.Success || size == 0)
            throw new LoadException($"the server closed a connection: {error}");
        _replySize += size;
        if (_reply[_replySize - 1] != (byte)'\n') return;
        IsAnswered = true;
        Take(_reply.AsSpan(0, _replySize));
    }

    /// <inheritdoc/>
    public void Skip()
    {
    }

    public void Dispose() => _socket.Dispose();

    private void Take(ReadOnlySpan<byte> reply)
    {
        if (reply[0] != (byte)':' || !Utf8Parser.TryParse(reply[1..], out long count, out _))
        {
            FirstError ??= System.Text.Encoding.ASCII.GetString(reply);
            return;
        }
        long nowNs = (DateTime.UtcNow - DateTime.UnixEpoch).Ticks * 100;
        long goneCount = _deadlinesMs.Count - (count - _otherCount);
        if (goneCount >= _deadlinesMs.Count || nowNs < _deadlinesMs[0] * 1_000_000) return;
        Lateness.Record(nowNs - _deadlinesMs[(int)long.Max(goneCount, 0)] * 1_000_000);
    }
}
