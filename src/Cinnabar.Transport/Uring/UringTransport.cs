// Completions on Linux: a ring of io_uring with direct system calls (UringRing), for Linux 6.1 and later. One
// call of the system a turn, while there is work:
//
//   take what the ring brought   receives come with their bytes, in the ring's buffers (UringReceiving)
//   run the loop's turn          its sends of one piece go into the ring, and one call does up to 256 of them
//                                (UringOutput); the same call brings what has come meanwhile
//   else wait                    a call of its own, only where nothing has come
//
// Each connection has a receive in flight that completes again and again (multishot); each listener an
// accept (UringListeners). The loop stays on the thread that calls Run, the only one that submits: the kernel
// runs its work for the ring in that thread's calls, without interrupting it and without a lock.
//
// Completions come in the order in which the kernel noticed input, so requests on one loop are executed in
// the order of their arrival, across connections: from Linux 6.4 on (docs/adr/0039).
//
// A descriptor is closed when the last of its operations has completed (UringConnections); the loop ends when
// nothing is in flight, and only then its memory is freed. A session moves to another loop when its receive
// has been canceled and nothing came meanwhile.
//
// Memory of the kernel's is not used: no thread of the kernel polls the ring (SQPOLL takes a core), and sends
// are not zero-copy (their completion comes after the peer's acknowledgment, and replies are small). What was
// measured, and when this transport is used: docs/adr/0039.

using System.Net.Sockets;
using System.Runtime.Versioning;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Drivers;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Placing;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Uring;

/// <summary>A loop's transport over io_uring.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class UringTransport : SocketTransport<int>
{
    private readonly UringTransport[] _peers;
    private readonly UringSystem _system;
    private readonly UringKernel _kernel;
    private readonly UringRing _ring;
    private readonly UringConnections _connections;
    private readonly UringBacklog _backlog;
    private readonly UringReceiving _receiving;
    private readonly UringOutput _output;
    private readonly UringListeners _listeners;
    private readonly UringWakeUp _wakeUp;
    private BriefPolling _polling = new();
    private volatile int _thread;
    private bool _hasEnded;
    private bool _isDisposed;
    private volatile bool _isStopping;

    /// <summary>Makes the transport of a loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="peers">The transports of all loops, by the loops' index.</param>
    /// <param name="load">Decides which of them a connection belongs to.</param>
    /// <param name="options">How accepted sockets are set up.</param>
    /// <param name="system">The kernel, and the loop's ring and wake-up; this object disposes of those
    /// two.</param>
    public UringTransport(Loop loop, UringTransport[] peers, LoopLoad load, ListenerOptions options,
        UringSystem system)
        : base(loop, peers, load)
    {
        _peers = peers;
        (_system, _kernel, _ring, _wakeUp) = (system, system.Kernel, system.Ring, system.WakeUp);
        _connections = new UringConnections(_kernel, _ring);
        _backlog = new UringBacklog(_kernel, _ring, _connections);
        _output = new UringOutput(_kernel, _ring, _connections, _backlog);
        _receiving = new UringReceiving(
            loop, _kernel, _ring.Buffers, _connections, system.Sizes.StashBytesMax);
        _listeners = new UringListeners(loop, _kernel, _ring, options, HandOver);
        loop.Attach(this);
    }

    public override string MultiplexingApi => "io_uring";

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
        _ring.Enable();
        try
        {
            _thread = Environment.CurrentManagedThreadId;
            _wakeUp.Read();
            while (!_isStopping)
                RunOnce();
        }
        finally
        {
            // Another thread may get its number.
            _thread = 0;
        }

        foreach (Session session in _connections.Sessions)
            Loop.Disconnected(session);
        CancelAll();
        _connections.CloseClosed();
        _listeners.CloseHeld();
        _hasEnded = true;
    }

    public override void Stop()
    {
        _isStopping = true;
        _wakeUp.Signal();
    }

    public override void Prepare(Session session, in OutputSegment run) => _output.Prepare(session, in run);

    public override long Send(Session session, OutputSegment* segments, int count) =>
        _output.Send(session, segments, count);

    public override void SetReading(Session session, bool isReading) =>
        _receiving.SetReading(session, isReading);

    public override void Close(Session session)
    {
        // A loop that a fault ended has closed its descriptors already.
        if (_connections.SessionOf(session.TransportHandle) != session)
            return;
        _output.Settle(session.TransportHandle);
        (session.TransportState as TlsConnection)?.Close();
        _connections.Close(session.TransportHandle);
        if (_hasEnded)
            _connections.CloseClosed();
    }

    public override bool TryRelease(Session session)
    {
        int descriptor = session.TransportHandle;
        ref UringConnection connection = ref _connections[descriptor];
        Debug.Assert(connection.Session == session, "the session is this loop's");
        if (_isStopping || connection.InFlight != UringUses.Idle || connection.IsCanceling
            || !connection.IsReading || connection.Stash.Length > 0
            || connection.End != UringConnection.NotEnded || connection.Sending != UringSending.None
            || session.TransportState is TlsConnection { HasInput: true } or TlsConnection { HasUnsent: true }
            || !TryPart(descriptor))
            return false;
        _connections.End(descriptor, UringUses.Idle);
        _connections.Release(descriptor);
        return true;
    }

    public override void Adopt(Session session)
    {
        var tls = session.TransportState as TlsConnection;
        var wire = tls?.Wire as UringWire;
        wire?.BeginRing();
        _connections.Add(session.TransportHandle, session, wire);
        _receiving.Adopt(session);
        if (_isStopping)
            Loop.Disconnected(session);
        else
            _receiving.Begin(session);
    }

    public override void WakeUp()
    {
        int thread = Environment.CurrentManagedThreadId;
        foreach (UringTransport peer in _peers)
        {
            if (peer._thread != thread)
                continue;
            peer._wakeUp.Send(_ring, Loop.Index);
            return;
        }

        _wakeUp.Signal();
    }

    public override void Dispose()
    {
        if (_isDisposed)
            return;
        // A session that was on its way here is still adopted, and closed at once.
        _isDisposed = _hasEnded = true;
        // Where a fault has ended the loop, the kernel has canceled what was in flight when its thread ended.
        _connections.Abandon();
        _listeners.Dispose();
        _system.Dispose();
        _receiving.Dispose();
    }

    // A method of its own, so that the JIT of the managed form recompiles it once it is hot.
    private void RunOnce()
    {
        int timeoutMs = _listeners.WaitMs(Loop.BeginWait());
        // What the kernel has to do now is work, and no part of a wait.
        if (_backlog.Wait(0) == 0 && !_receiving.HasReady)
            _polling.Wait(_backlog, timeoutMs);
        Loop.EndWait();
        _receiving.SeeReady();
        // The sends of turns bring more, which is for the next time.
        for (int count = _backlog.Count; count > 0; count--)
            See(_backlog.Take());
        Loop.Turn();
        _receiving.EndTurn();
        _connections.CloseClosed();
        Load.EndTurn(_polling.SleptTicks, _polling.PolledTicks);
    }

    private void See(in UringCompletion completion)
    {
        switch (completion.Mark.Operation)
        {
            case UringOperation.Receive:
                _receiving.Completed(in completion);
                break;
            case UringOperation.Watch:
                _receiving.Watched(in completion);
                break;
            case UringOperation.AwaitRoom:
                SeeRoom(in completion);
                break;
            case UringOperation.Accept:
                _listeners.Completed(in completion);
                break;
            case UringOperation.WakeUp when !_isStopping:
                _wakeUp.Read();
                break;
            case UringOperation.MessageSending when completion.Result < 0:
                _peers[completion.Mark.Index]._wakeUp.Signal();
                break;
            case UringOperation.CancelReceive or UringOperation.CancelWatch or UringOperation.CancelAwaitRoom:
                _connections.Canceled(completion.Mark, completion.Result);
                break;
        }
    }

    private void SeeRoom(in UringCompletion completion)
    {
        int descriptor = completion.Mark.Index;
        Session? session = _connections.Note(in completion, UringUses.AwaitRoom);
        if (session is null)
            return;
        const uint Awaited = EpollCalls.Out | EpollCalls.Error | EpollCalls.HangUp;
        if (completion.Result >= 0 && ((uint)completion.Result & Awaited) == 0)
        {
            // The peer's input has ended: from now on changes complete it.
            _connections.AwaitRoom(descriptor, ofChanges: true);
            return;
        }

        // A broken connection is seen by the loop's next send or receive.
        if (session.TransportState is TlsConnection tls && tls.TryFlush() && tls.HasUnsent)
            _connections.AwaitRoom(descriptor);
        else
            Loop.Writable(session);
    }

    protected override bool IsStopping => _isStopping;

    protected override TlsPipe Pipe => _receiving.Pipe;

    protected override void Begin(Session session, int descriptor, TlsConnection? tls)
    {
        session.TransportHandle = descriptor;
        session.TransportState = tls;
        Adopt(session);
    }

    protected override void CloseUnserved(int descriptor) => _kernel.Close(descriptor);

    protected override void Refuse(int descriptor, ReadOnlySpan<byte> reason)
    {
        fixed (byte* text = reason)
        {
            var segment = new OutputSegment { Data = text, Length = reason.Length };
            if (!reason.IsEmpty)
                _kernel.Send(descriptor, &segment, 1, out _);
        }
    }

    /// <summary>Cancels what is in flight for a connection, and waits for the last completions.</summary>
    /// <returns>False where something has come meanwhile: the loop sees it in its next turn, and the receive
    /// and the poll begin again.</returns>
    private bool TryPart(int descriptor)
    {
        UringMark receive = _connections.MarkOf(descriptor, UringOperation.Receive);
        UringMark watch = _connections.MarkOf(descriptor, UringOperation.Watch);
        for (int index = 0; index < _backlog.Count; index++)
        {
            if (_backlog[index].Mark == receive || _backlog[index].Mark == watch)
                return false;
        }

        int seen = _backlog.Count;
        UringUses left = UringUses.Idle;
        _connections.Cancel(descriptor, left);
        bool isSilent = true;
        while (left != UringUses.None)
        {
            _ring.Enter(1, -1);
            _backlog.Read();
            for (; seen < _backlog.Count; seen++)
            {
                UringCompletion completion = _backlog[seen];
                UringOperation operation = completion.Mark.Operation;
                // What was between two states is canceled the next time.
                if (completion.Result < 0 && completion.Mark == _connections.MarkOf(descriptor, operation))
                    _connections.Cancel(descriptor, left & UringConnections.CanceledBy(operation));
                if (completion.Mark != receive && completion.Mark != watch)
                    continue;
                isSilent &= completion.Result == -UringCalls.Canceled;
                if (!completion.HasMore)
                    left &= completion.Mark == receive ? ~UringUses.Receive : ~UringUses.Watch;
            }
        }

        return isSilent;
    }

    /// <summary>Ends all that is in flight, and sees what has come. The connections, which are closing, end
    /// first: for each operation that the last cancellation finds, the kernel looks at all again.</summary>
    private void CancelAll()
    {
        var mark = new UringMark(UringOperation.Cancel, int.MaxValue);
        bool isCanceling = false;
        while (_ring.InFlight > 0 || _backlog.Count > 0)
        {
            while (_backlog.Count > 0)
            {
                UringCompletion completion = _backlog.Take();
                isCanceling &= completion.Mark != mark;
                SeeLast(in completion);
            }

            if (_ring.InFlight == 0)
                continue;
            // What was between two states is canceled the next time.
            if (!isCanceling && _connections.Count == 0)
            {
                // SAFETY: the entry is filled before the ring is used for anything else.
                _ring.Prepare(UringCalls.OpCancel, -1, mark)->OperationFlags =
                    UringCalls.CancelAny | UringCalls.CancelAll;
                isCanceling = true;
            }

            _ring.Enter(1, -1);
            _backlog.Read();
        }
    }

    private void SeeLast(in UringCompletion completion)
    {
        UringMark mark = completion.Mark;
        switch (mark.Operation)
        {
            case UringOperation.Accept when completion.Result >= 0:
                _kernel.Close(completion.Result);
                break;
            case UringOperation.MessageSending when completion.Result < 0:
                _peers[mark.Index]._wakeUp.Signal();
                break;
            case UringOperation.Receive:
                _connections.Note(in completion, UringUses.Receive);
                break;
            case UringOperation.Watch:
                _connections.Note(in completion, UringUses.Watch);
                break;
            case UringOperation.AwaitRoom:
                _connections.Note(in completion, UringUses.AwaitRoom);
                break;
            case UringOperation.CancelReceive or UringOperation.CancelWatch or UringOperation.CancelAwaitRoom:
                _connections.Canceled(mark, completion.Result);
                break;
        }
    }
}
