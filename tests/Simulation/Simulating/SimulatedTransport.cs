// A loop's transport without sockets, threads or time. A send takes what fits the send buffer, or is held and
// completed later, its bytes read only then: a buffer that is used again too early shows. The loop sleeps as
// it would in a real wait, and may run only when it was woken, has an event, or its time has come: a wake-up
// that is lost shows.

using System;
using System.Collections.Generic;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>One loop's transport in a simulation.</summary>
internal sealed unsafe class SimulatedTransport : LoopTransport
{
    private readonly SimulationOptions _options;
    private readonly Clock _clock;
    private RandomSource _random;
    private bool _isAsleep;
    private bool _isWoken;
    private long _wakeNs;
    private bool _hasDropped;

    /// <summary>Attaches to a loop.</summary>
    public SimulatedTransport(Loop loop, Clock clock, ulong seed, SimulationOptions options)
    {
        Loop = loop;
        _clock = clock;
        _options = options;
        _random = new RandomSource(seed);
        loop.Attach(this);
    }

    /// <summary>The loop.</summary>
    public Loop Loop { get; }

    /// <summary>Connections, those included that the loop has closed while a send was pending.</summary>
    public List<SimulatedConnection> Connections { get; } = [];

    /// <summary>Whether a turn is due: the loop is awake, was woken, or has slept long enough.</summary>
    public bool IsDue => !_isAsleep || _isWoken || _clock.MonotonicNanoseconds >= _wakeNs;

    /// <summary>Whether no connection waits to send the rest of what it has begun to send.</summary>
    public bool HasSentAll => Connections.TrueForAll(static connection =>
        connection is { Pending: null, IsAwaitingRoom: false } or { IsClosed: true });

    /// <summary>Opens a connection.</summary>
    public SimulatedConnection Open(string address)
    {
        Rouse();
        var endpoint = new SessionEndpoint(address, "127.0.0.1:6379", -1, ConnectionKind.Tcp, true);
        Session session = Loop.OpenSession(endpoint, out _)
            ?? throw new InvalidOperationException("Refused.");
        var connection = new SimulatedConnection
        {
            Session = session,
            SendRoom = (long)_random.NextBelow(4096),
        };
        session.TransportState = connection;
        Connections.Add(connection);
        return connection;
    }

    /// <summary>Runs a turn, then lets the loop fall asleep.</summary>
    public void Turn()
    {
        Rouse();
        Loop.Turn();
        int waitMs = Loop.BeginWait();
        _isAsleep = true;
        _isWoken = false;
        _wakeNs = waitMs < 0 ? long.MaxValue : _clock.MonotonicNanoseconds + (waitMs * 1_000_000L);
        Connections.RemoveAll(static connection => connection is { IsClosed: true, Pending: null });
    }

    /// <summary>Delivers some of what a client has sent.</summary>
    public void Deliver(SimulatedConnection connection, int byteCountMax)
    {
        if (connection is { IsEnded: true, IsClosed: false }
            && (connection.InboundCount == 0 || !connection.IsReading))
        {
            Rouse();
            Loop.InputEnded(connection.Session);
        }

        if (connection.IsClosed || !connection.IsReading || connection.InboundCount == 0)
            return;
        if (Loop.IsInputFull)
            Turn();
        if (connection.IsClosed || !connection.IsReading)
            return;
        Rouse();
        Loop.Receive(connection.Session, out byte* place, out int room);
        int count = Math.Min(Math.Min(room, byteCountMax), connection.InboundCount);
        // SAFETY: the loop says that there is room for this many bytes.
        connection.TakeInbound(new Span<byte>(place, count));
        Loop.Received(connection.Session, count);
    }

    /// <summary>Makes room in a send buffer, or ends a pending send.</summary>
    public void Drain(SimulatedConnection connection, long byteCount)
    {
        connection.SendRoom += byteCount;
        if (connection.Pending is { } segments)
        {
            Rouse();
            connection.Pending = null;
            long sent = connection.IsBroken ? 0 : Take(connection, segments, byteCount);
            Loop.SendCompleted(connection.Session, sent);
        }
        else if (connection.IsAwaitingRoom && !connection.IsClosed)
        {
            Rouse();
            connection.IsAwaitingRoom = false;
            Loop.Writable(connection.Session);
        }
    }

    /// <summary>Lets the client vanish.</summary>
    public void Vanish(SimulatedConnection connection)
    {
        if (connection.IsClosed)
            return;
        Rouse();
        Loop.Disconnected(connection.Session);
    }

    /// <summary>Lets all clients vanish.</summary>
    public void VanishAll()
    {
        foreach (SimulatedConnection connection in Connections.ToArray())
        {
            Vanish(connection);
            Drain(connection, 1 << 20);
        }
    }

    /// <inheritdoc/>
    public override long Send(Session session, OutputSegment* segments, int count)
    {
        var connection = (SimulatedConnection)session.TransportState!;
        if (connection.Pending is not null || connection.IsClosed)
            throw new InvalidOperationException("A send while one is pending, or after the end.");
        if (connection.IsBroken)
            return SendFailed;
        OutputSegment[] all = new ReadOnlySpan<OutputSegment>(segments, count).ToArray();
        if (_random.NextBelow(4) == 0)
        {
            connection.Pending = all;
            return SendPending;
        }

        long total = 0;
        foreach (OutputSegment segment in all)
            total += segment.Length;
        long sent = Take(connection, all, connection.SendRoom);
        connection.SendRoom -= sent;
        connection.IsAwaitingRoom = sent < total;
        return sent;
    }

    /// <inheritdoc/>
    public override void SetReading(Session session, bool isReading) =>
        ((SimulatedConnection)session.TransportState!).IsReading = isReading;

    /// <inheritdoc/>
    public override void Close(Session session) =>
        ((SimulatedConnection)session.TransportState!).IsClosed = true;

    /// <inheritdoc/>
    public override bool TryRelease(Session session)
    {
        var connection = (SimulatedConnection)session.TransportState!;
        return connection is { Pending: null, IsAwaitingRoom: false, IsReading: true, IsClosed: false }
            && Connections.Remove(connection);
    }

    /// <inheritdoc/>
    public override void Adopt(Session session)
    {
        Connections.Add((SimulatedConnection)session.TransportState!);
        AdoptedCount++;
    }

    /// <summary>How many sessions other loops have given to this one.</summary>
    public long AdoptedCount { get; private set; }

    /// <inheritdoc/>
    public override void WakeUp() => _isWoken = true;

    private void Rouse()
    {
        if (!_isAsleep)
            return;
        Loop.EndWait();
        _isAsleep = false;
    }

    private long Take(SimulatedConnection connection, OutputSegment[] segments, long byteCountMax)
    {
        long taken = 0;
        foreach (OutputSegment segment in segments)
        {
            int count = (int)Math.Min(segment.Length, byteCountMax - taken);
            // SAFETY: a segment's bytes live until they are reported as sent.
            var bytes = new ReadOnlySpan<byte>(segment.Data, count);
            if (_options.DropsByte && !_hasDropped && count > 1 && _random.NextBelow(50) == 0)
            {
                _hasDropped = true;
                bytes = bytes[1..];
            }

            connection.Outbound.AddRange(bytes);
            taken += count;
        }

        return taken;
    }
}
