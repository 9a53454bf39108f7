// From the completions of receives to the sessions. A buffer's bytes are copied to where the session's next
// bytes belong, and the buffer goes back to the kernel:
//
//   buffer ──► Loop.Receive's place ──► Loop.Received          the session takes input
//          ──► UringStash ──► … when it takes input again      it does not
//          ──► UringWire ──► TlsConnection ──► place           with TLS; its stash has encrypted bytes
//
// A session that takes no input is received for until its stash has StashBytesMax: nearly always the session
// goes on before. Then the receive is canceled; what was on its way in the ring comes into the stash, too. So
// a stash is bounded by that and the ring's buffers.
//
// A poll watches every connection for its peer's end, for two reasons. While nothing is received only the
// poll sees it. And a receive of many completions can miss it for ever: on kernels to 7.0 when the peer shuts
// down right behind its last bytes, and on some later ones still when it resets. A receive that is in flight
// when the poll completes is canceled and begun again, and so is each one after it that brings bytes: only
// one that finds none is sure to see the end.
//
// The poll completes once for the end of the input and once for that of the connection (multishot, of
// changes): one that ends with its first event would complete at once, again and again, while a connection is
// half closed, since the kernel adds that event to every poll.
//
// A receive ends (no F_MORE) for five reasons:
//   no buffers            they have been given back by now: it begins again
//   canceled, or a full completion ring: it begins again, unless the stash is full
//   the peer's end, or an error: kept until the session has seen what came before, then reported (End)
//
// The end is reported a turn later than the bytes before it: a peer may send, reset the connection and count
// on being executed. Where the session goes on reading behind an end, the receive begins again and reports it
// again, as the loop expects.

using System.Runtime.Versioning;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Uring;

/// <summary>Receives for the sessions of a loop. Only the loop uses it.</summary>
/// <param name="loop">The loop.</param>
/// <param name="kernel">The kernel.</param>
/// <param name="buffers">The buffers of the loop's ring.</param>
/// <param name="connections">The loop's connections.</param>
/// <param name="stashBytesMax">Bytes that a session which takes no input keeps before its receive is
/// canceled.</param>
[SupportedOSPlatform("linux")]
internal sealed unsafe class UringReceiving(Loop loop, UringKernel kernel, UringBuffers buffers,
    UringConnections connections, int stashBytesMax) : IDisposable
{
    private readonly Loop _loop = loop;
    private readonly UringKernel _kernel = kernel;
    private readonly UringBuffers _buffers = buffers;
    private readonly UringConnections _connections = connections;
    private readonly int _stashBytesMax = stashBytesMax;
    private readonly TlsSessions _ready = new();
    private uint _turn;

    /// <summary>Whether a session has input, or an end, without a completion.</summary>
    public bool HasReady => _ready.HasReady;

    /// <summary>The buffers of the loop's TLS connections.</summary>
    public TlsPipe Pipe => _ready.Pipe;

    /// <summary>Takes a session over whose connection was added.</summary>
    public void Adopt(Session session) =>
        _ready.Adopt(session, session.TransportState as TlsConnection);

    /// <summary>Begins with a session that was taken over.</summary>
    public void Begin(Session session)
    {
        // A change wakes what was added last first: so the receive mostly sees an end before the poll does.
        _connections.Watch(session.TransportHandle);
        _connections.Receive(session.TransportHandle);
        // The end of a handshake may not have found room, and its peer may wait for it.
        if (session.TransportState is TlsConnection { HasUnsent: true })
            _connections.AwaitRoom(session.TransportHandle);
    }

    /// <summary>Starts or stops giving a session its input.</summary>
    public void SetReading(Session session, bool isReading)
    {
        int descriptor = session.TransportHandle;
        ref UringConnection connection = ref _connections[descriptor];
        connection.IsReading = isReading;
        if (!isReading)
            return;
        bool hasEnded = connection.End != UringConnection.NotEnded;
        if (connection.Stash.Length > 0 || hasEnded
            || session.TransportState is TlsConnection { HasInput: true })
            _ready.Add(session);
        if (!hasEnded)
            _connections.Receive(descriptor);
    }

    /// <summary>Takes the completion of a receive.</summary>
    public void Completed(in UringCompletion completion)
    {
        Session? session = _connections.Note(in completion, UringUses.Receive);
        if (completion.Buffer >= 0)
        {
            // SAFETY: the buffer is the loop's until it is returned.
            if (session is not null && completion.Result > 0)
                Take(session, _buffers.At(completion.Buffer), completion.Result);
            _buffers.Return(completion.Buffer);
        }

        if (session is null || session.IsClosed)
            return;
        if (completion.HasMore)
        {
            if (_connections[completion.Mark.Index].Seen != 0)
                _connections.CancelReceive(completion.Mark.Index);
            return;
        }

        if (completion.Result > 0 || -completion.Result is EpollCalls.NoBuffers or UringCalls.Canceled
            or EpollCalls.Interrupted or EpollCalls.Again or EpollCalls.NoMemory)
            GoOn(session);
        else
            NoteEnd(session, completion.Result);
    }

    /// <summary>Takes a completion of the poll that watches for the peer's end.</summary>
    public void Watched(in UringCompletion completion)
    {
        int descriptor = completion.Mark.Index;
        Session? session = _connections.Note(in completion, UringUses.Watch);
        if (session is null)
            return;
        // It has failed for want of memory, was canceled, or found the ring full. A new one sees the state.
        if (!completion.HasMore)
            _connections.Watch(descriptor);
        if (completion.Result < 0)
            return;
        ref UringConnection connection = ref _connections[descriptor];
        connection.Seen |= (uint)completion.Result;
        if ((connection.InFlight & UringUses.Receive) != 0)
            _connections.CancelReceive(descriptor);
        // Else a receive has seen it, or the next one will.
        else if (!connection.IsReading && connection.End == UringConnection.NotEnded)
            ReportEnd(session, connection.Seen);
    }

    /// <summary>Gives sessions what does not come with a completion.</summary>
    public void SeeReady()
    {
        for (int count = _ready.ReadyCount; count > 0; count--)
        {
            Session session = _ready.Take();
            int descriptor = session.TransportHandle;
            // It may have moved to another loop since.
            if (session.IsClosed || _connections.SessionOf(descriptor) != session)
                continue;
            if (_connections[descriptor].IsReading)
                TakeStash(session);
            if (!session.IsClosed && _connections[descriptor].End != UringConnection.NotEnded)
                SeeEnd(session);
        }
    }

    /// <summary>Notes that a turn of the loop has run.</summary>
    public void EndTurn() => _turn++;

    public void Dispose() => _ready.Dispose();

    private void RunTurn()
    {
        _loop.Turn();
        EndTurn();
    }

    private void Take(Session session, byte* data, int length)
    {
        int descriptor = session.TransportHandle;
        ref UringConnection connection = ref _connections[descriptor];
        if (!connection.IsReading || connection.Stash.Length > 0)
            Stash(descriptor, data, length);
        else if (connection.Wire is { } wire)
            Decrypt(session, wire, data, length);
        else
            Give(session, data, length);
    }

    private void Give(Session session, byte* data, int length)
    {
        int descriptor = session.TransportHandle;
        while (length > 0)
        {
            if (!_connections[descriptor].IsReading)
            {
                Stash(descriptor, data, length);
                return;
            }

            if (_loop.IsInputFull)
            {
                RunTurn();
                if (session.IsClosed)
                    return;
                continue;
            }

            _loop.Receive(session, out byte* place, out int room);
            int count = Math.Min(room, length);
            // SAFETY: the loop has so much room at the place.
            Buffer.MemoryCopy(data, place, room, count);
            _connections[descriptor].Turn = _turn;
            _loop.Received(session, count);
            if (session.IsClosed)
                return;
            data += count;
            length -= count;
        }
    }

    private void Decrypt(Session session, UringWire wire, byte* data, int length)
    {
        int descriptor = session.TransportHandle;
        wire.Offer(data, length);
        bool goesOn = true;
        while (goesOn && wire.OfferedLength > 0)
        {
            if (!_connections[descriptor].IsReading)
                break;
            if (_loop.IsInputFull)
            {
                RunTurn();
                goesOn = !session.IsClosed;
                continue;
            }

            goesOn = ReceiveTls(session);
        }

        data = wire.TakeRest(out length);
        if (goesOn && length > 0)
            Stash(descriptor, data, length);
    }

    /// <summary>Has a TLS connection decrypt what its wire is offered.</summary>
    /// <returns>Whether more can come.</returns>
    private bool ReceiveTls(Session session)
    {
        var tls = (TlsConnection)session.TransportState!;
        _loop.Receive(session, out byte* place, out int room);
        int received = tls.Receive(place, room);
        if (tls.HasUnsent)
            _connections.AwaitRoom(session.TransportHandle);
        if (received > 0)
        {
            _connections[session.TransportHandle].Turn = _turn;
            _loop.Received(session, received);
        }
        else if (received == TlsWire.Ended)
        {
            _loop.InputEnded(session);
        }
        else if (received == TlsWire.Failed)
        {
            _loop.Disconnected(session);
        }

        if (session.IsClosed)
            return false;
        if (tls.HasInput)
            _ready.Add(session);
        return received > 0 || received == TlsWire.Nothing;
    }

    private void Stash(int descriptor, byte* data, int length)
    {
        ref UringConnection connection = ref _connections[descriptor];
        connection.Stash.Append(data, length);
        if (connection.Stash.Length > _stashBytesMax && (connection.InFlight & UringUses.Receive) != 0)
            _connections.CancelReceive(descriptor);
    }

    private void TakeStash(Session session)
    {
        ref UringConnection connection = ref _connections[session.TransportHandle];
        if (connection.Stash.Length > 0)
        {
            byte* data = connection.Stash.Take(out int length);
            Take(session, data, length);
            NativeMemory.Free(data);
        }
        else if (session.TransportState is TlsConnection { HasInput: true })
        {
            if (_loop.IsInputFull)
                RunTurn();
            if (!session.IsClosed)
                ReceiveTls(session);
        }
    }

    /// <summary>Goes on receiving for a session, unless it has enough.</summary>
    private void GoOn(Session session)
    {
        int descriptor = session.TransportHandle;
        ref UringConnection connection = ref _connections[descriptor];
        if (connection.IsReading || connection.Stash.Length <= _stashBytesMax)
            _connections.Receive(descriptor);
        else if (connection.Seen != 0)
            ReportEnd(session, connection.Seen);
    }

    private void NoteEnd(Session session, int result)
    {
        ref UringConnection connection = ref _connections[session.TransportHandle];
        connection.End = result;
        if (connection.Turn == _turn || (connection.IsReading && connection.Stash.Length > 0))
            _ready.Add(session);
        else
            SeeEnd(session);
    }

    private void SeeEnd(Session session)
    {
        int descriptor = session.TransportHandle;
        ref UringConnection connection = ref _connections[descriptor];
        if (connection.Turn == _turn || (connection.IsReading && connection.Stash.Length > 0))
        {
            _ready.Add(session);
            return;
        }

        int end = connection.End;
        connection.End = UringConnection.NotEnded;
        if (!connection.IsReading)
        {
            // A peer that has gone altogether gets no replies.
            ReportEnd(session, end < 0 || _kernel.HasGone(descriptor) ? EpollCalls.HangUp : 0);
            return;
        }

        if (connection.Wire is { } wire)
        {
            wire.OfferEnd(end == 0 ? TlsWire.Ended : TlsWire.Failed);
            if (_loop.IsInputFull)
                RunTurn();
            if (!session.IsClosed)
                ReceiveTls(session);
        }
        else if (end == 0)
        {
            _loop.InputEnded(session);
        }
        else
        {
            _loop.Disconnected(session);
        }

        if (!session.IsClosed && _connections[descriptor].IsReading)
            _connections.Receive(descriptor);
    }

    /// <summary>Reports the end of a peer whose session takes no input.</summary>
    private void ReportEnd(Session session, uint events)
    {
        if ((events & (EpollCalls.Error | EpollCalls.HangUp)) != 0)
            _loop.PeerGone(session);
        else
            _loop.InputEnded(session);
    }
}
