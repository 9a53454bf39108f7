// Readiness on Linux: an epoll with direct system calls. A turn is: wait, receive from every ready socket
// into the place that the loop names, run the loop's turn, which sends. With 64 clients that is one wait, and
// a receive and a send for each client. The loop stays on the thread that calls Run.
//
// While requests come within microseconds the wait polls for a moment before it sleeps (BriefPolling).
//
// The events of a wait are in the order of arrival, so requests on one loop are executed in that order,
// across connections. Connections are edge-triggered: a level-triggered one keeps its place in the ready list
// until the next wait, and its new input would be reported before earlier input of others. Where a receive
// may have left bytes in the socket (EpollReceiving), the kernel must check again.
//
// A session whose input must wait (never for long: Session.IsInputWanted) leaves the poll set only when it
// becomes ready meanwhile; then epoll still reports that its peer has gone, and once the end of its input.
// That end is not seen behind more unread input than the kernel buffers.
//
// Descriptors are closed at the end of a turn: the kernel gives none of them to a new connection while events
// of the old one are still looked at. Loop 0 accepts (EpollListeners); Placement chooses the loop of a
// connection (LoopLoad).

using System.ComponentModel;
using System.Net.Sockets;
using System.Runtime.Versioning;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Drivers;
using Cinnabar.Transport.Placing;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Epoll;

/// <summary>A loop's transport over epoll.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class EpollTransport : SocketTransport<int>
{
    // An end that comes together with earlier input is no event of its own.
    private const uint Incoming = EpollCalls.In | EpollCalls.PeerHangUp | EpollCalls.Urgent;
    private const uint Ended = EpollCalls.Error | EpollCalls.HangUp | EpollCalls.PeerHangUp;

    private readonly EpollListeners _listeners;
    private readonly EpollSet _set = new();
    private readonly EpollWakeUp _wakeUp;
    private readonly TlsSessions _tls = new();
    private readonly List<int> _closing = [];
    private EpollConnection[] _connections = new EpollConnection[64];
    private BriefPolling _polling = new();
    private bool _isDisposed;
    private volatile bool _isStopping;

    /// <summary>Makes the transport of a loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="peers">The transports of all loops, by the loops' index.</param>
    /// <param name="load">Decides which of them a connection belongs to.</param>
    /// <param name="options">How accepted sockets are set up.</param>
    public EpollTransport(Loop loop, EpollTransport[] peers, LoopLoad load, ListenerOptions options)
        : base(loop, peers, load)
    {
        _listeners = new EpollListeners(loop, _set, options, HandOver);
        _wakeUp = new EpollWakeUp(_set);
        loop.Attach(this);
    }

    public override string MultiplexingApi => "epoll";

    public override void AddListener(Socket listener, bool isTls = false) => Loop.Run(() =>
    {
        if (!_isStopping)
            _listeners.Add(listener, isTls);
    });

    // A listener that is shut down refuses connections, and its address can be taken by another socket: the
    // caller need not wait until the loop closes it.
    public override void RemoveListener(Socket listener)
    {
        listener.Shutdown(SocketShutdown.Both);
        Loop.Run(() => _listeners.Remove(listener));
    }

    public override void Run()
    {
        while (!_isStopping)
            RunOnce();
        foreach (EpollConnection connection in _connections)
        {
            if (connection.Session is { } session)
                Loop.Disconnected(session);
        }

        CloseClosing();
    }

    public override void Stop()
    {
        _isStopping = true;
        WakeUp();
    }

    public override long Send(Session session, OutputSegment* segments, int count)
    {
        int descriptor = session.TransportHandle;
        bool isAll;
        long sent;
        if (session.TransportState is TlsConnection tls)
            (sent, isAll) = (tls.Send(segments, count), !tls.HasUnsent);
        else
            sent = EpollSending.Send(descriptor, segments, count, out isAll);
        if (!isAll)
            SetInterest(descriptor, _connections[descriptor].Interest | EpollCalls.Out);
        return sent;
    }

    public override void SetReading(Session session, bool isReading)
    {
        ref EpollConnection connection = ref _connections[session.TransportHandle];
        connection.IsReading = isReading;
        if (isReading && (connection.Interest & EpollCalls.In) == 0)
            SetInterest(session.TransportHandle, (connection.Interest & EpollCalls.Out) | Incoming);
        if (isReading && session.TransportState is TlsConnection { HasInput: true })
            _tls.Add(session);
    }

    public override void Close(Session session)
    {
        (session.TransportState as TlsConnection)?.Close();
        _connections[session.TransportHandle] = default;
        _closing.Add(session.TransportHandle);
    }

    public override bool TryRelease(Session session)
    {
        ref EpollConnection connection = ref _connections[session.TransportHandle];
        Debug.Assert(connection.Session == session);
        if (_isStopping || connection.Interest != Incoming || !connection.IsReading)
            return false;
        if (session.TransportState is TlsConnection { HasInput: true } or TlsConnection { HasUnsent: true })
            return false;
        _set.Remove(session.TransportHandle);
        connection = default;
        return true;
    }

    public override void Adopt(Session session)
    {
        int descriptor = session.TransportHandle;
        if (descriptor >= _connections.Length)
            Array.Resize(ref _connections, Math.Max(descriptor + 1, 2 * _connections.Length));
        Debug.Assert(_connections[descriptor].Session is null);
        // The end of a handshake may not have found room, and its peer may wait for it.
        bool hasUnsent = session.TransportState is TlsConnection { HasUnsent: true };
        uint interest = hasUnsent ? Incoming | EpollCalls.Out : Incoming;
        _connections[descriptor] = new EpollConnection
        {
            Session = session,
            Interest = interest,
            IsReading = true,
            IsUnix = session.Endpoint.Kind == ConnectionKind.Unix,
        };
        _tls.Adopt(session, session.TransportState as TlsConnection);
        // Adding it reports input that came before, too.
        if (_isStopping
            || !_set.TryAdd(descriptor, interest | EpollCalls.EdgeTriggered, descriptor))
            Loop.Disconnected(session);
        // It was moving when the loops ended.
        if (_isDisposed)
            CloseClosing();
    }

    public override void WakeUp() => _wakeUp.Signal();

    public override void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _wakeUp.Dispose();
        // Only a loop that a fault ended has left any.
        for (int descriptor = 0; descriptor < _connections.Length; descriptor++)
        {
            if (_connections[descriptor].Session is not null)
                EpollCalls.Close(descriptor);
        }

        CloseClosing();
        _set.Dispose();
        _tls.Dispose();
    }

    // A method of its own, so that the JIT of the managed form recompiles it once it is hot.
    private void RunOnce()
    {
        int timeoutMs = _listeners.WaitMs(Loop.BeginWait());
        int count = _polling.Wait(_set, _tls.HasReady ? 0 : timeoutMs);
        Loop.EndWait();
        if (_tls.HasReady)
            SeeReady();
        for (int index = 0; index < count; index++)
        {
            _set.Read(index, out long mark, out uint events);
            if (EpollListeners.IsMarked(mark))
                _listeners.Accept(mark);
            else if (mark == _wakeUp.Mark)
                _wakeUp.Clear();
            else
                SeeConnection((int)mark, events);
        }

        Loop.Turn();
        CloseClosing();
        Load.EndTurn(_polling.SleptTicks, _polling.PolledTicks);
    }

    /// <summary>Closes the descriptors of ended connections, after all events of the last wait, so that none
    /// is reused while events of the old one are still handled.</summary>
    private void CloseClosing()
    {
        foreach (int descriptor in _closing)
            EpollCalls.Close(descriptor);
        _closing.Clear();
    }

    /// <summary>Receives what TLS connections have that their sockets do not report.</summary>
    private void SeeReady()
    {
        for (int count = _tls.ReadyCount; count > 0; count--)
        {
            Session session = _tls.Take();
            int descriptor = session.TransportHandle;
            if (session.IsClosed || !_connections[descriptor].IsReading)
                continue;
            if (Loop.IsInputFull)
                Loop.Turn();
            if (!session.IsClosed)
                Receive(session, descriptor, mayStopShort: false);
        }
    }

    protected override bool IsStopping => _isStopping;

    protected override TlsPipe Pipe => _tls.Pipe;

    protected override void Begin(Session session, int descriptor, TlsConnection? tls)
    {
        session.TransportHandle = descriptor;
        session.TransportState = tls;
        Adopt(session);
    }

    protected override void CloseUnserved(int descriptor) => EpollCalls.Close(descriptor);

    protected override void Refuse(int descriptor, ReadOnlySpan<byte> reason)
    {
        fixed (byte* text = reason)
            EpollCalls.Send(descriptor, text, reason.Length, EpollCalls.NoSignal | EpollCalls.DoNotWait);
    }

    private void SeeConnection(int descriptor, uint events)
    {
        ref EpollConnection connection = ref _connections[descriptor];
        if (connection.Session is not { } session)
            return;
        if ((events & EpollCalls.Out) != 0)
        {
            SetInterest(descriptor, connection.Interest & ~EpollCalls.Out);
            if (session.TransportState is TlsConnection tls && !TryFlush(tls, descriptor))
                return;
            Loop.Writable(session);
            if (session.IsClosed)
                return;
        }

        if ((events & (EpollCalls.In | Ended)) == 0)
            return;
        if (_connections[descriptor].IsReading && Loop.IsInputFull)
            Loop.Turn();
        if (session.IsClosed)
            return;
        if (_connections[descriptor].IsReading)
            Receive(session, descriptor, (events & (Ended | EpollCalls.Urgent)) != 0);
        else
            SeeUnread(session, descriptor, events);
    }

    /// <summary>Handles an event of a session that is not read from.</summary>
    private void SeeUnread(Session session, int descriptor, uint events)
    {
        uint interest = _connections[descriptor].Interest & EpollCalls.Out;
        bool hasEnded = (events & Ended) != 0;
        SetInterest(descriptor, hasEnded ? interest : interest | EpollCalls.PeerHangUp);
        if ((events & (EpollCalls.Error | EpollCalls.HangUp)) != 0)
            Loop.PeerGone(session);
        else if (hasEnded)
            Loop.InputEnded(session);
    }

    private void Receive(Session session, int descriptor, bool mayStopShort)
    {
        Loop.Receive(session, out byte* place, out int room);
        if (session.TransportState is TlsConnection tls)
        {
            ReceiveTls(session, tls, place, room, mayStopShort);
            return;
        }

        bool isUnix = _connections[descriptor].IsUnix;
        int received = EpollReceiving.Receive(descriptor, place, room, isUnix, out bool isShort);
        if (received > 0)
            Loop.Received(session, received);
        else if (received == 0)
            Loop.InputEnded(session);
        else if (received != EpollReceiving.Nothing)
            Loop.Disconnected(session);
        bool hasMore = received == room || received == 0 || (received > 0 && (mayStopShort || isShort));
        if (hasMore && !session.IsClosed)
            Rearm(descriptor);
    }

    private void ReceiveTls(Session session, TlsConnection tls, byte* place, int room, bool mayStopShort)
    {
        int descriptor = session.TransportHandle;
        int received = tls.Receive(place, room);
        // The end may be behind a part of a record, which makes no plain bytes.
        bool hasMore = tls.MayHaveMore || (mayStopShort && tls.HasTaken);
        if (tls.HasUnsent)
            SetInterest(descriptor, _connections[descriptor].Interest | EpollCalls.Out);
        if (received > 0)
            Loop.Received(session, received);
        else if (received == TlsWire.Ended)
            Loop.InputEnded(session);
        else if (received == TlsWire.Failed)
            Loop.Disconnected(session);
        if (tls.HasInput && !session.IsClosed)
            _tls.Add(session);
        if (hasMore && !session.IsClosed)
            Rearm(descriptor);
    }

    /// <summary>Sends what a TLS connection has encrypted.</summary>
    /// <returns>Whether the socket takes more.</returns>
    private bool TryFlush(TlsConnection tls, int descriptor)
    {
        // A broken connection is seen by the loop's next send or receive.
        if (!tls.TryFlush() || !tls.HasUnsent)
            return true;
        SetInterest(descriptor, _connections[descriptor].Interest | EpollCalls.Out);
        return false;
    }

    private void SetInterest(int descriptor, uint interest)
    {
        ref EpollConnection connection = ref _connections[descriptor];
        if (connection.Interest == interest)
            return;
        connection.Interest = interest;
        Rearm(descriptor);
    }

    /// <summary>Makes epoll report the current readiness again.</summary>
    private void Rearm(int descriptor) => _set.Change(
        descriptor, _connections[descriptor].Interest | EpollCalls.EdgeTriggered, descriptor);
}
