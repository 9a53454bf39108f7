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

namespace Cinnabar.Transport.Epoll;

/// <summary>A loop's transport over epoll.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class EpollTransport : LoopTransport, ILoopDriver
{
    // An end that comes together with earlier input is no event of its own.
    private const uint Incoming = EpollCalls.In | EpollCalls.PeerHangUp | EpollCalls.Urgent;
    private const uint Ended = EpollCalls.Error | EpollCalls.HangUp | EpollCalls.PeerHangUp;

    private readonly Loop _loop;
    private readonly EpollTransport[] _peers;
    private readonly LoopLoad _load;
    private readonly EpollListeners _listeners;
    private readonly EpollSet _set = new();
    private readonly int _wakeUp;
    private readonly List<int> _closing = [];
    private readonly Lock _wakeUpLock = new();
    private Connection[] _connections = new Connection[64];
    private BriefPolling _polling = new();
    private bool _isDisposed;
    private volatile bool _isStopping;

    /// <summary>Makes the transport of a loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="peers">The transports of all loops, by the loops' index.</param>
    /// <param name="load">Decides which of them a connection belongs to.</param>
    /// <param name="options">How accepted sockets are set up.</param>
    public EpollTransport(Loop loop, EpollTransport[] peers, LoopLoad load, ListenerOptions options)
    {
        _loop = loop;
        _peers = peers;
        _load = load;
        _listeners = new EpollListeners(loop, _set, options, HandOver);
        _wakeUp = EpollCalls.EventDescriptor(0, EpollCalls.CloseOnExec | EpollCalls.NonBlocking);
        if (_wakeUp < 0)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        _set.Add(_wakeUp, EpollCalls.In, _wakeUp);
        loop.Attach(this);
    }

    public void AddListener(Socket listener) => _loop.Run(() =>
    {
        if (!_isStopping)
            _listeners.Add(listener);
    });

    // A listener that is shut down refuses connections, and its address can be taken by another socket: the
    // caller need not wait until the loop closes it.
    public void RemoveListener(Socket listener)
    {
        listener.Shutdown(SocketShutdown.Both);
        _loop.Run(() => _listeners.Remove(listener));
    }

    public void Run()
    {
        while (!_isStopping)
            RunOnce();
        foreach (Connection connection in _connections)
        {
            if (connection.Session is { } session)
                _loop.Disconnected(session);
        }

        CloseClosing();
    }

    public void Stop()
    {
        _isStopping = true;
        WakeUp();
    }

    public override long Send(Session session, OutputSegment* segments, int count)
    {
        int descriptor = session.TransportHandle;
        long sent = EpollSending.Send(descriptor, segments, count, out bool isAll);
        if (!isAll)
            SetInterest(descriptor, _connections[descriptor].Interest | EpollCalls.Out);
        return sent;
    }

    public override void SetReading(Session session, bool isReading)
    {
        ref Connection connection = ref _connections[session.TransportHandle];
        connection.IsReading = isReading;
        if (isReading && (connection.Interest & EpollCalls.In) == 0)
            SetInterest(session.TransportHandle, (connection.Interest & EpollCalls.Out) | Incoming);
    }

    public override void Close(Session session)
    {
        _connections[session.TransportHandle] = default;
        _closing.Add(session.TransportHandle);
    }

    public override bool TryRelease(Session session)
    {
        ref Connection connection = ref _connections[session.TransportHandle];
        Debug.Assert(connection.Session == session);
        if (_isStopping || connection.Interest != Incoming || !connection.IsReading)
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
        _connections[descriptor] = new Connection
        {
            Session = session,
            Interest = Incoming,
            IsReading = true,
            IsUnix = session.Endpoint.Kind == ConnectionKind.Unix,
        };
        // Adding it reports input that came before, too.
        if (_isStopping
            || !_set.TryAdd(descriptor, Incoming | EpollCalls.EdgeTriggered, descriptor))
            _loop.Disconnected(session);
        // It was moving when the loops ended.
        if (_isDisposed)
            CloseClosing();
    }

    public override void WakeUp()
    {
        ulong one = 1;
        lock (_wakeUpLock)
        {
            // A thread may wake a loop that has ended: the descriptor may be another file's by then.
            if (!_isDisposed)
                EpollCalls.Write(_wakeUp, (byte*)&one, sizeof(ulong));
        }
    }

    public void Dispose()
    {
        lock (_wakeUpLock)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
            EpollCalls.Close(_wakeUp);
        }

        // Only a loop that a fault ended has left any.
        for (int descriptor = 0; descriptor < _connections.Length; descriptor++)
        {
            if (_connections[descriptor].Session is not null)
                EpollCalls.Close(descriptor);
        }

        CloseClosing();
        _set.Dispose();
    }

    // A method of its own, so that the JIT recompiles it once it is hot.
    private void RunOnce()
    {
        int timeoutMs = _listeners.WaitMs(_loop.BeginWait());
        int count = _polling.Wait(_set, timeoutMs);
        _loop.EndWait();
        for (int index = 0; index < count; index++)
        {
            _set.Read(index, out long mark, out uint events);
            if (EpollListeners.IsMarked(mark))
                _listeners.Accept(mark);
            else if (mark == _wakeUp)
                ClearWakeUp();
            else
                SeeConnection((int)mark, events);
        }

        _loop.Turn();
        CloseClosing();
        _load.EndTurn(_polling.SleptTicks, _polling.PolledTicks);
    }

    /// <summary>Closes the descriptors of ended connections, after all events of the last wait, so that none
    /// is reused while events of the old one are still handled.</summary>
    private void CloseClosing()
    {
        foreach (int descriptor in _closing)
            EpollCalls.Close(descriptor);
        _closing.Clear();
    }

    private void Open(int descriptor, SessionEndpoint endpoint)
    {
        ReadOnlySpan<byte> refusal = default;
        Session? session = _isStopping ? null : _loop.OpenSession(endpoint, out refusal);
        if (session is null)
        {
            fixed (byte* text = refusal)
                EpollCalls.Send(descriptor, text, refusal.Length, EpollCalls.NoSignal);
            EpollCalls.Close(descriptor);
            return;
        }

        session.TransportHandle = descriptor;
        Adopt(session);
    }

    private void SeeConnection(int descriptor, uint events)
    {
        ref Connection connection = ref _connections[descriptor];
        if (connection.Session is not { } session)
            return;
        if ((events & EpollCalls.Out) != 0)
        {
            SetInterest(descriptor, connection.Interest & ~EpollCalls.Out);
            _loop.Writable(session);
            if (session.IsClosed)
                return;
        }

        if ((events & (EpollCalls.In | Ended)) == 0)
            return;
        if (_connections[descriptor].IsReading && _loop.IsInputFull)
            _loop.Turn();
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
            _loop.PeerGone(session);
        else if (hasEnded)
            _loop.InputEnded(session);
    }

    private void Receive(Session session, int descriptor, bool mayStopShort)
    {
        _loop.Receive(session, out byte* place, out int room);
        bool isUnix = _connections[descriptor].IsUnix;
        int received = EpollReceiving.Receive(descriptor, place, room, isUnix, out bool isShort);
        if (received > 0)
            _loop.Received(session, received);
        else if (received == 0)
            _loop.InputEnded(session);
        else if (received != EpollReceiving.Nothing)
            _loop.Disconnected(session);
        bool hasMore = received == room || received == 0 || (received > 0 && (mayStopShort || isShort));
        if (hasMore && !session.IsClosed)
            Rearm(descriptor);
    }

    private void HandOver(int descriptor, SessionEndpoint endpoint)
    {
        EpollTransport peer = _peers[_load.PlaceNew()];
        if (peer == this)
            Open(descriptor, endpoint);
        else
            peer._loop.Run(() => peer.Open(descriptor, endpoint));
    }

    private void ClearWakeUp()
    {
        ulong value;
        EpollCalls.Read(_wakeUp, (byte*)&value, sizeof(ulong));
    }

    private void SetInterest(int descriptor, uint interest)
    {
        ref Connection connection = ref _connections[descriptor];
        if (connection.Interest == interest)
            return;
        connection.Interest = interest;
        Rearm(descriptor);
    }

    /// <summary>Makes epoll report the current readiness again.</summary>
    private void Rearm(int descriptor) => _set.Change(
        descriptor, _connections[descriptor].Interest | EpollCalls.EdgeTriggered, descriptor);

    private struct Connection
    {
        public Session? Session;
        public uint Interest;
        public bool IsReading;
        public bool IsUnix;
    }
}
