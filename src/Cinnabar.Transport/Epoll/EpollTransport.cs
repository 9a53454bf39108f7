// Readiness on Linux: an epoll with direct system calls. A turn is: wait, receive from every ready socket
// into the place that the loop names, run the loop's turn, which sends. With 64 clients that is one wait and
// one receive and one send each: nothing else.
//
// While requests come within microseconds the wait polls for a moment before it sleeps (BriefPolling). Which
// thread drives a loop, and what it waits in, is EpollThread's affair.
//
// Connections are edge-triggered: a level-triggered one keeps its place among what is ready until the next
// wait, and what comes there meanwhile would be reported before what others had sent earlier. Where a receive
// may have left something in the socket (EpollReceiving), the kernel is to look again.
//
// A session whose input must stand still (never for long: Session.IsInputWanted) is taken out of the poll set
// only when it becomes ready meanwhile; what is then still reported is that its peer has gone, and once the
// end of its input. Behind more unread input than the kernel buffers that end is not seen until it is read.
//
// Descriptors are closed at the end of a turn: the kernel gives none of them to a new connection while events
// of the old one are still looked at. Loop 0 accepts (EpollListeners) and hands connections round.

using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Drivers;

namespace Cinnabar.Transport.Epoll;

/// <summary>A loop's transport over epoll.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class EpollTransport : LoopTransport, ILoopDriver
{
    // An end that comes together with what was sent before it is no event of its own.
    private const uint Incoming = EpollCalls.In | EpollCalls.PeerHangUp | EpollCalls.Urgent;
    private const uint Ended = EpollCalls.Error | EpollCalls.HangUp | EpollCalls.PeerHangUp;

    private readonly Loop _loop;
    private readonly EpollTransport[] _peers;
    private readonly EpollListeners _listeners;
    private readonly EpollSet _own = new();
    private readonly int _wakeUp;
    private readonly List<int> _closing = [];
    private readonly Lock _wakeUpLock = new();
    private Connection[] _connections = new Connection[64];
    private EpollSet _set;
    private int _peerNext;
    private bool _isDisposed;
    private volatile bool _isStopping;
    private volatile EpollThread _driver;

    /// <summary>Makes the transport of a loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="peers">The transports of all loops, among which accepted connections are handed
    /// round.</param>
    /// <param name="options">How accepted sockets are set up.</param>
    public EpollTransport(Loop loop, EpollTransport[] peers, ListenerOptions options)
    {
        _loop = loop;
        _peers = peers;
        _set = _own;
        _listeners = new EpollListeners(loop, _set, options, HandOver);
        _wakeUp = EpollCalls.EventDescriptor(0, EpollCalls.CloseOnExec | EpollCalls.NonBlocking);
        if (_wakeUp < 0)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        _set.Add(_wakeUp, EpollCalls.In, MarkOf(_wakeUp));
        Home = _driver = new EpollThread(this);
        loop.Attach(this);
    }

    /// <summary>The loop's own thread.</summary>
    public EpollThread Home { get; }

    /// <summary>The thread that is to drive the loop: its own one in the end.</summary>
    public EpollThread Driver => _isStopping ? Home : _driver;

    /// <summary>Whether the loop is to end.</summary>
    public bool IsStopping => _isStopping;

    /// <summary>Its place among the server's loops.</summary>
    public int Index => _loop.Index;

    /// <summary>The loop's own set of descriptors.</summary>
    public EpollSet Own => _own;

    /// <summary>Whether others want something of the loop.</summary>
    public bool HasMail => _loop.HasMail;

    /// <summary>Connections that it has.</summary>
    public int ConnectionCount { get; private set; }

    /// <summary>Commands that the loop has executed.</summary>
    public long CommandCount => _loop.CommandCount;

    /// <inheritdoc/>
    public void AddListener(Socket listener) => _loop.Run(() =>
    {
        if (!_isStopping)
            _listeners.Add(listener);
    });

    /// <inheritdoc/>
    // A listener that is shut down refuses connections, and its address can be taken by another: nobody
    // needs to wait for the loop to close it.
    public void RemoveListener(Socket listener)
    {
        listener.Shutdown(SocketShutdown.Both);
        _loop.Run(() => _listeners.Remove(listener));
    }

    private void Adopt(int descriptor, SessionEndpoint endpoint)
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
        if (descriptor >= _connections.Length)
            Array.Resize(ref _connections, Math.Max(descriptor + 1, 2 * _connections.Length));
        _connections[descriptor] = new Connection
        {
            Session = session,
            Interest = Incoming,
            IsReading = true,
            IsUnix = endpoint.Kind == ConnectionKind.Unix,
        };
        ConnectionCount++;
        if (!_set.TryAdd(descriptor, Incoming | EpollCalls.EdgeTriggered, MarkOf(descriptor)))
            _loop.Disconnected(session);
    }

    /// <inheritdoc/>
    public void Run()
    {
        Home.Run();
        foreach (Connection connection in _connections)
        {
            if (connection.Session is { } session)
                _loop.Disconnected(session);
        }

        CloseClosing();
    }

    /// <summary>Has another thread drive the loop, from its next turn on. From any thread.</summary>
    public void MoveTo(EpollThread driver)
    {
        _driver = driver;
        WakeUp();
    }

    /// <summary>Says that its thread is about to wait.</summary>
    /// <returns>For how long it may, in milliseconds; −1: for ever.</returns>
    public int BeginWait() => _listeners.WaitMs(_loop.BeginWait());

    /// <summary>Ends <see cref="BeginWait"/>.</summary>
    public void EndWait() => _loop.EndWait();

    /// <summary>Has another set wait for all that the loop waits for; between two turns, by its
    /// driver.</summary>
    public void WaitIn(EpollSet set)
    {
        set.Add(_wakeUp, EpollCalls.In, MarkOf(_wakeUp));
        _set.Remove(_wakeUp);
        _listeners.MoveTo(set);
        for (int descriptor = 0; descriptor < _connections.Length; descriptor++)
        {
            ref Connection connection = ref _connections[descriptor];
            if (connection.Session is not { } session)
                continue;
            uint events = connection.Interest | EpollCalls.EdgeTriggered;
            if (set.TryAdd(descriptor, events, MarkOf(descriptor)))
                _set.Remove(descriptor);
            else
                _loop.Disconnected(session);
        }

        _set = set;
        CloseClosing();
    }

    /// <summary>Sees to what a wait in the loop's own set has found, then runs a turn of the loop.</summary>
    public void Turn(int count)
    {
        for (int index = 0; index < count; index++)
        {
            _own.Read(index, out EpollMark mark, out uint events);
            See(mark, events);
        }

        Turn();
        CloseClosing();
    }

    /// <summary>Sees to what a wait has found for the loop.</summary>
    public void See(EpollMark mark, uint events)
    {
        if (EpollListeners.IsMarked(mark))
            _listeners.Accept(mark);
        else if (mark.Descriptor == _wakeUp)
            ClearWakeUp();
        else
            SeeConnection(mark.Descriptor, events);
    }

    /// <summary>Runs a turn of the loop; <see cref="CloseClosing"/> is due after it.</summary>
    public void Turn() => _loop.Turn();

    /// <summary>Closes the descriptors of connections that have ended: when all that the last wait has found
    /// was seen to, so that none is used again while events of the old one are still looked at.</summary>
    public void CloseClosing()
    {
        foreach (int descriptor in _closing)
            EpollCalls.Close(descriptor);
        _closing.Clear();
    }

    /// <inheritdoc/>
    public void Stop()
    {
        _isStopping = true;
        WakeUp();
    }

    /// <inheritdoc/>
    public override long Send(Session session, OutputSegment* segments, int count)
    {
        int descriptor = session.TransportHandle;
        long sent = EpollSending.Send(descriptor, segments, count, out bool isAll);
        if (!isAll)
            SetInterest(descriptor, _connections[descriptor].Interest | EpollCalls.Out);
        return sent;
    }

    /// <inheritdoc/>
    public override void SetReading(Session session, bool isReading)
    {
        ref Connection connection = ref _connections[session.TransportHandle];
        connection.IsReading = isReading;
        if (isReading && (connection.Interest & EpollCalls.In) == 0)
            SetInterest(session.TransportHandle, (connection.Interest & EpollCalls.Out) | Incoming);
    }

    /// <inheritdoc/>
    public override void Close(Session session)
    {
        _connections[session.TransportHandle].Session = null;
        ConnectionCount--;
        _closing.Add(session.TransportHandle);
    }

    /// <inheritdoc/>
    public override void WakeUp()
    {
        ulong one = 1;
        lock (_wakeUpLock)
        {
            // Somebody may want to wake a loop that has ended: the descriptor may be another's by then.
            if (!_isDisposed)
                EpollCalls.Write(_wakeUp, (byte*)&one, sizeof(ulong));
        }
    }

    /// <inheritdoc/>
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
        Home.Dispose();
        _own.Dispose();
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

    /// <summary>Sees to a session that is not read from: something has arrived all the same.</summary>
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
            LookAgain(descriptor);
    }

    // A peer that waits in the same set is driven by the same thread. It takes the connection at once: so
    // those who connect one after the other are heard one after the other.
    private void HandOver(int descriptor, SessionEndpoint endpoint)
    {
        EpollTransport peer = _peers[_peerNext];
        _peerNext = _peerNext + 1 == _peers.Length ? 0 : _peerNext + 1;
        if (peer == this)
            Adopt(descriptor, endpoint);
        else
            peer._loop.Run(() => peer.Adopt(descriptor, endpoint));
        if (peer != this && peer._set == _set)
            peer.Turn();
    }

    private EpollMark MarkOf(int descriptor) => new(descriptor, Index);

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
        LookAgain(descriptor);
    }

    /// <summary>Has what is ready now reported, whether it was before or not.</summary>
    private void LookAgain(int descriptor) => _set.Change(
        descriptor, _connections[descriptor].Interest | EpollCalls.EdgeTriggered, MarkOf(descriptor));

    private struct Connection
    {
        public Session? Session;
        public uint Interest;
        public bool IsReading;
        public bool IsUnix;
    }
}
