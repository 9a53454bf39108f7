// Readiness on every system, by the runtime's own sockets. None of them blocks; a turn waits in
// Socket.Select, receives synchronously from readable sockets into the place that the loop names, runs the
// loop's turn, which sends synchronously. That is one wait, and one receive and one send a connection: the
// asynchronous interface costs a system call more and two changes of threads (docs/adr/0001 has the figures).
//
// Select checks every socket that it is given. So it is given only connections in use: the others are parked,
// each with an asynchronous receive of no bytes, whose end makes it polled again. A check in vain costs about
// 0.1 µs, parking and unparking some 10 µs: a connection is parked after as many checks in vain as cost the
// same, which is at most twice the cost of the best choice in hindsight. Idle connections cost a wait
// nothing.
//
// A session whose input must stand still is watched, polled or parked as others are, for the end of its
// input: what becomes readable is looked at and left. Where that is input and not its end, the session is
// polled for errors only from then on, so that a peer's reset is seen where the system reports it (Linux,
// macOS); an end behind unread input is seen when the session reads again.
//
// A listener is closed by the thread that removes it. The runtime waits with the closing until no system call
// uses the socket: the loop is woken from its wait for that.
//
// Limits: a wait polls at most PolledCountMax connections; those above are parked at once.
//
// Loop 0 accepts. Placement chooses the loop of a connection (LoopLoad); one that is parked does not move.

using System.Net.Sockets;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Drivers;
using Cinnabar.Transport.Listening;
using Cinnabar.Transport.Placing;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Portable;

/// <summary>A loop's transport over the runtime's own sockets, on every system.</summary>
internal sealed unsafe class PortableTransport : SocketTransport<Socket>
{
    private const int FruitlessCountMax = 128;
    private const int PolledCountMax = 16 * 1024;

    private readonly PortableListeners _listeners;
    private readonly WakeUpSocket _wakeUp = new();
    private readonly ParkedReceives _parked;
    private readonly List<PortableConnection> _returned = [];
    private readonly Dictionary<Socket, PortableConnection> _connections = [];
    private readonly PolledConnections _polled = new();
    private readonly List<Socket> _readable = [];
    private readonly List<Socket> _writable = [];
    private readonly List<Socket> _failed = [];
    private readonly PortableSender _sender = new();
    private readonly TlsSessions _tls = new();
    private long _sleptTicks;
    private volatile bool _isStopping;

    /// <summary>Makes the transport of a loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="peers">The transports of all loops, by the loops' index.</param>
    /// <param name="load">Which of them a connection belongs to.</param>
    public PortableTransport(Loop loop, PortableTransport[] peers, LoopLoad load)
        : base(loop, peers, load)
    {
        _parked = new ParkedReceives(_wakeUp);
        _listeners = new PortableListeners(loop, HandOver);
        loop.Attach(this);
    }

    public override string MultiplexingApi => "sockets";

    public override void AddListener(Socket listener, bool isTls = false)
    {
        _listeners.Add(listener, isTls);
        WakeUp();
    }

    public override void RemoveListener(Socket listener)
    {
        _listeners.Remove(listener);
        WakeUp();
        Listener.Close(listener);
    }

    public override void Run()
    {
        while (!_isStopping)
            RunOnce();
        PortableConnection[] connections = [.. _connections.Values];
        foreach (PortableConnection connection in connections)
            Loop.Disconnected(connection.Session);
    }

    public override void Stop()
    {
        _isStopping = true;
        WakeUp();
    }

    public override long Send(Session session, OutputSegment* segments, int count)
    {
        var connection = (PortableConnection)session.TransportState!;
        long length = 0;
        for (int index = 0; index < count; index++)
            length += segments[index].Length;
        long sent = connection.Tls is { } tls
            ? tls.Send(segments, count)
            : _sender.Send(connection.Socket, segments, count);
        if (sent >= 0 && sent < length)
        {
            connection.IsWriting = true;
            _polled.Add(connection);
        }

        return sent;
    }

    public override void SetReading(Session session, bool isReading)
    {
        var connection = (PortableConnection)session.TransportState!;
        if (isReading != connection.IsReading)
            connection.IsWatched = true;
        connection.IsReading = isReading;
        connection.IsGone = false;
        connection.FruitlessCount = 0;
        if (connection.Parked is null)
            _polled.Add(connection);
        if (isReading && connection.Tls is { HasInput: true })
            _tls.Add(session);
    }

    public override void Close(Session session)
    {
        var connection = (PortableConnection)session.TransportState!;
        connection.Tls?.Close();
        _polled.Remove(connection);
        _connections.Remove(connection.Socket);
        connection.Socket.Dispose();
    }

    public override bool TryRelease(Session session)
    {
        var connection = (PortableConnection)session.TransportState!;
        Debug.Assert(_connections.ContainsKey(connection.Socket), "another transport has the connection");
        if (_isStopping || connection.Parked is not null || connection.IsWriting || !connection.IsReading
            || !connection.IsWatched || connection.Tls is { HasInput: true } or { HasUnsent: true })
            return false;
        _polled.Remove(connection);
        return _connections.Remove(connection.Socket);
    }

    public override void Adopt(Session session)
    {
        var connection = (PortableConnection)session.TransportState!;
        connection.FruitlessCount = 0;
        _tls.Adopt(session, connection.Tls);
        connection.IsWriting |= connection.Tls is { HasUnsent: true };
        _connections.Add(connection.Socket, connection);
        _polled.Add(connection);
        if (_isStopping)
            Loop.Disconnected(session);
    }

    public override void WakeUp() => _wakeUp.Signal();

    public override void Dispose()
    {
        _wakeUp.Dispose();
        _tls.Dispose();
    }

    // A method of its own, so that the JIT of the managed form recompiles it once it is hot.
    private void RunOnce()
    {
        int timeoutMs = Loop.BeginWait();
        CollectSockets(ref timeoutMs);
        Wait(_tls.HasReady ? 0 : timeoutMs);
        Loop.EndWait();
        SeeReady();
        SeeParked();
        foreach (Socket socket in _failed)
        {
            if (_connections.TryGetValue(socket, out PortableConnection? connection))
                Leave(connection);
        }

        foreach (Socket socket in _writable)
        {
            if (!_connections.TryGetValue(socket, out PortableConnection? connection))
                continue;
            connection.IsWriting = connection.Tls is { } tls && tls.TryFlush() && tls.HasUnsent;
            if (!connection.IsWriting)
                Loop.Writable(connection.Session);
        }

        foreach (Socket socket in _readable)
        {
            if (_connections.TryGetValue(socket, out PortableConnection? connection))
                Receive(connection);
            else if (socket == _wakeUp.Socket)
                _wakeUp.Clear();
            else
                _listeners.TryAccept(socket);
        }

        Loop.Turn();
        Load.EndTurn(_sleptTicks, polledTicks: 0);
    }

    private void Wait(int timeoutMs)
    {
        long startTicks = Stopwatch.GetTimestamp();
        try
        {
            Socket.Select(_readable, _writable, _failed, timeoutMs < 0 ? -1 : timeoutMs * 1000);
        }
        catch (ObjectDisposedException)
        {
            // A listener was removed after the sockets had been collected: the next wait is without it.
            _readable.Clear();
            _writable.Clear();
            _failed.Clear();
        }

        _sleptTicks += Stopwatch.GetTimestamp() - startTicks;
    }

    private void CollectSockets(ref int timeoutMs)
    {
        _readable.Clear();
        _writable.Clear();
        _failed.Clear();
        _readable.Add(_wakeUp.Socket);
        _listeners.AddTo(_readable, ref timeoutMs);
        int fruitlessCountMax = _polled.Count > PolledCountMax ? 0 : FruitlessCountMax;
        for (int index = _polled.Count - 1; index >= 0; index--)
        {
            // Parking a connection puts the last one, already handled, in its place.
            PortableConnection connection = _polled[index];
            if (connection.IsWriting)
                _writable.Add(connection.Socket);
            else if (connection.FruitlessCount >= fruitlessCountMax && connection.IsWatched
                && Park(connection))
                continue;
            if (!connection.IsWatched && !connection.IsGone)
                _failed.Add(connection.Socket);
            else if (connection.IsWatched && connection.Parked is null)
                _readable.Add(connection.Socket);
            connection.FruitlessCount++;
        }
    }

    private void Receive(PortableConnection connection)
    {
        connection.FruitlessCount = 0;
        if (Loop.IsInputFull)
            Loop.Turn();
        Session session = connection.Session;
        if (session.IsClosed)
            return;
        if (!connection.IsReading)
        {
            LookForEnd(connection);
            return;
        }

        Loop.Receive(session, out byte* place, out int room);
        if (connection.Tls is { } tls)
        {
            ReceiveTls(connection, tls, place, room);
            return;
        }

        // SAFETY: the loop has room for so many bytes at the place until it learns of them.
        var target = new Span<byte>(place, room);
        int received = connection.Socket.Receive(target, SocketFlags.None, out SocketError error);
        if (error == SocketError.Success && received > 0)
            Loop.Received(session, received);
        else if (error == SocketError.Success)
            Loop.InputEnded(session);
        else if (error is not (SocketError.WouldBlock or SocketError.Interrupted))
            Loop.Disconnected(session);
    }

    private void ReceiveTls(PortableConnection connection, TlsConnection tls, byte* place, int room)
    {
        Session session = connection.Session;
        int received = tls.Receive(place, room);
        if (tls.HasUnsent)
        {
            connection.IsWriting = true;
            _polled.Add(connection);
        }

        if (received > 0)
            Loop.Received(session, received);
        else if (received == TlsWire.Ended)
            Loop.InputEnded(session);
        else if (received == TlsWire.Failed)
            Loop.Disconnected(session);
        if (tls.HasInput && !session.IsClosed)
            _tls.Add(session);
    }

    /// <summary>Receives what TLS connections have that their sockets do not report.</summary>
    private void SeeReady()
    {
        for (int count = _tls.ReadyCount; count > 0; count--)
        {
            Session session = _tls.Take();
            if (!session.IsClosed
                && session.TransportState is PortableConnection { IsReading: true } connection
                && _connections.ContainsKey(connection.Socket))
                Receive(connection);
        }
    }

    /// <summary>Peeks at what has become readable while the session reads nothing.</summary>
    private void LookForEnd(PortableConnection connection)
    {
        Span<byte> first = stackalloc byte[1];
        int count = connection.Socket.Receive(first, SocketFlags.Peek, out SocketError error);
        if (error is SocketError.WouldBlock or SocketError.Interrupted)
            return;
        connection.IsWatched = false;
        if (error != SocketError.Success)
            Leave(connection);
        else if (count == 0)
            Loop.InputEnded(connection.Session);
    }

    private void Leave(PortableConnection connection)
    {
        connection.IsGone = true;
        Loop.PeerGone(connection.Session);
    }

    protected override bool IsStopping => _isStopping;

    protected override TlsPipe Pipe => _tls.Pipe;

    protected override void Begin(Session session, Socket socket, TlsConnection? tls)
    {
        session.TransportState = new PortableConnection(socket, session, tls);
        Adopt(session);
    }

    protected override void Refuse(Socket socket, ReadOnlySpan<byte> reason) =>
        socket.Send(reason, SocketFlags.None, out SocketError _);

    protected override void CloseUnserved(Socket socket) => socket.Dispose();

    private bool Park(PortableConnection connection)
    {
        if (!_parked.TryPark(connection))
            return false;
        _polled.Remove(connection);
        return true;
    }

    private void SeeParked()
    {
        _parked.TakeEnded(_returned);
        foreach (PortableConnection connection in _returned)
        {
            if (connection.Session.IsClosed)
                continue;
            _polled.Add(connection);
            Receive(connection);
        }

        _returned.Clear();
    }
}
