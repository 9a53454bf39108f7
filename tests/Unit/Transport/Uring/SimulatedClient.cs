using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>A client of the simulated kernel: it sends numbered requests in random pieces, reads slowly, and
/// checks that each is answered once and in order; then it ends its input, or resets the connection, then or
/// before. Over records in place of TLS, where the listener is one of these.</summary>
internal sealed class SimulatedClient
{
    private const int RequestCount = 60;
    private const int SizeMax = 3000;
    private const int RoomMin = 500;
    private const int RecordMax = 1000;
    private const ulong ResetEvery = 500;

    private readonly SimulatedSocket _socket;
    private readonly int _index;
    private readonly SimulatedRecords? _encoding;
    private readonly SimulatedRecords _decoding = new();
    private readonly Queue<byte> _unsent = new();
    private readonly Queue<byte> _expected = new();
    private readonly bool _resets;
    private RandomSource _random;
    private int _askedCount;
    private readonly bool _endsAtOnce;
    private bool _isGreeted;
    private bool _hasEndedRecords;

    /// <summary>Connects.</summary>
    /// <param name="sockets">The kernel's connections.</param>
    /// <param name="listener">The descriptor of the listener.</param>
    /// <param name="hasRecords">Whether it is one of records.</param>
    /// <param name="index">Its number among the clients.</param>
    /// <param name="random">Decides.</param>
    public SimulatedClient(
        SimulatedSockets sockets, int listener, bool hasRecords, int index, RandomSource random)
    {
        _random = random;
        _index = index;
        _socket = sockets.Connect(listener, RoomMin + (int)_random.NextBelow(4000));
        _resets = _random.NextBelow(4) == 0;
        IsVictim = _random.NextBelow(4) == 0;
        _endsAtOnce = _random.NextBelow(2) == 0;
        if (!hasRecords)
            return;
        _encoding = new SimulatedRecords();
        Send(SimulatedRecords.Hello, new byte[8]);
    }

    /// <summary>Its connection.</summary>
    public SimulatedSocket Socket => _socket;

    /// <summary>Whether the server is to read no more from it.</summary>
    public bool IsToStop { get; set; }

    /// <summary>Whether the server perhaps does not read from it now: it goes on, but does not end its
    /// input.</summary>
    public bool IsStopped { get; set; }

    /// <summary>Whether it may be killed; the others show that none is forgotten.</summary>
    public bool IsVictim { get; }

    /// <summary>Whether the server is to close it.</summary>
    public bool IsKilled { get; set; }

    /// <summary>Whether all is done: the connection is closed.</summary>
    public bool IsDone { get; private set; }

    /// <summary>Whether its input has ended, and how it ends is up to the server.</summary>
    public bool IsEnding => _socket.IsInputEnded || _socket.IsReset || _hasEndedRecords;

    private bool HasSentAll =>
        _askedCount == RequestCount && _unsent.Count == 0 && (_endsAtOnce || _socket.Input.Count == 0);

    /// <summary>Does one of the things that it can do.</summary>
    public void Act()
    {
        switch (_random.NextBelow(3))
        {
            case 0:
                Ask();
                break;
            case 1:
                SendSome();
                break;
            default:
                ReadSome();
                break;
        }

        if (!IsEnding)
            EndSometimes();
        else if (_hasEndedRecords && HasSentAll && _random.NextBelow(10) == 0)
            _socket.IsInputEnded = true;
        if (!_socket.IsClosed || _socket.Output.Count > 0 && !_resets)
            return;
        Assert.True(IsEnding || IsKilled, "the server closes no connection by itself");
        Assert.True(_resets || IsKilled || _expected.Count == 0, "all replies have come before the end");
        IsDone = true;
    }

    private void EndSometimes()
    {
        if (_resets && (HasSentAll || _random.NextBelow(ResetEvery) == 0))
        {
            _socket.IsReset = true;
        }
        else if (HasSentAll && !IsStopped && _encoding is not null && _random.NextBelow(2) == 0)
        {
            // What ends the records is input like any other.
            _hasEndedRecords = true;
            Send(SimulatedRecords.End, []);
        }
        else if (HasSentAll && !IsStopped)
        {
            _socket.IsInputEnded = true;
        }
    }

    private void Ask()
    {
        if (_askedCount == RequestCount || (_encoding is not null && !_isGreeted))
            return;
        _askedCount++;
        string text = string.Create(CultureInfo.InvariantCulture, $"{_index}:{_askedCount}:");
        int length = text.Length + (int)_random.NextBelow(SizeMax);
        text = text.PadRight(length, (char)('a' + (_askedCount % 26)));
        string body = $"${text.Length}\r\n{text}\r\n";
        byte[] request = Encoding.ASCII.GetBytes($"*2\r\n$4\r\nECHO\r\n{body}");
        if (_encoding is null)
            Append(_unsent, request);
        for (int sent = 0; _encoding is not null && sent < request.Length;)
        {
            int count = Math.Min(1 + (int)_random.NextBelow(RecordMax), request.Length - sent);
            Send(SimulatedRecords.Data, request.AsSpan(sent, count));
            sent += count;
        }

        Append(_expected, Encoding.ASCII.GetBytes(body));
    }

    private void Send(byte kind, ReadOnlySpan<byte> plain)
    {
        byte[] record = new byte[SimulatedRecords.HeaderSize + plain.Length];
        _encoding!.Encode(kind, plain, record);
        Append(_unsent, record);
    }

    private void SendSome()
    {
        for (ulong left = _random.NextBelow((ulong)_unsent.Count + 1); left > 0; left--)
            _socket.Input.Enqueue(_unsent.Dequeue());
    }

    private void ReadSome()
    {
        for (ulong left = _random.NextBelow((ulong)_socket.Output.Count + 1); left > 0; left--)
        {
            byte next = _socket.Output.Dequeue();
            if (_encoding is null)
                Check([next]);
            else if (_decoding.Decode(next) is { } plain)
                Read(plain);
        }
    }

    private void Read(byte[] plain)
    {
        _isGreeted |= _decoding.Kind == SimulatedRecords.Hello;
        if (_decoding.Kind == SimulatedRecords.Data)
            Check(plain);
    }

    private void Check(ReadOnlySpan<byte> bytes)
    {
        foreach (byte one in bytes)
        {
            Assert.True(_expected.Count > 0, "a reply too many");
            Assert.Equal(_expected.Dequeue(), one);
        }
    }

    private static void Append(Queue<byte> queue, ReadOnlySpan<byte> bytes)
    {
        foreach (byte one in bytes)
            queue.Enqueue(one);
    }
}
