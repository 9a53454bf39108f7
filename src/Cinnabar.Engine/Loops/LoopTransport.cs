// The contract between a transport and the engine, pinned before the first command was written.
//
// A loop has one transport and one caller at a time (not one OS thread: completions may arrive on any). The
// transport owns sockets and waiting; the loop owns sessions, parsing, execution and output. One turn:
//
//   transport                                   loop
//   OpenSession(endpoint)                  ->   a Session, or the bytes of a refusal
//   Receive(session, out place, out room)  ->   where the next bytes of this session belong: the loop's
// input slab, the
//                                               half command that it already sent, or the block of a big
// argument, so
//                                               that a 512 MB value is copied once. A completion transport
// that has the
//                                               bytes in a buffer of its own copies them there.
//   Received(session, count)               ->   notes them
//   Turn()                                 ->   executes everything noted; calls back: Send, SetReading,
// Close
//   Writable(session)                      ->   the socket takes bytes again
//   SendCompleted(session, count)          ->   a send that was answered with SendPending has ended
//   InputEnded(session)                    ->   the peer sends no more; it may still want its replies
//   PeerGone(session)                      ->   the peer has gone, while its input is not read
//   Disconnected(session)                  ->   the connection is over
//   GiveSessions(loop, share)              ->   between two turns: idle sessions go on with another loop, of
//                                               whose transport it is an Adopt after a TryRelease here
//
// Outcomes of a turn per session: it needs more input (nothing to do), it is done (reply sent), it is
// suspended (its input stops: SetReading(false), and goes on later), or it closes (Close). Wake-ups come from
// any thread through the loop's mailbox; WakeUp makes a waiting transport run a turn.

using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>A loop's view of its transport. All but <see cref="WakeUp"/> are called within a
/// turn.</summary>
public abstract unsafe class LoopTransport
{
    /// <summary>Answer of <see cref="Send"/>: the transport holds all segments until it reports
    /// completion.</summary>
    public const int SendPending = -1;

    /// <summary>Answer of <see cref="Send"/>: the connection has failed.</summary>
    public const int SendFailed = -2;

    /// <summary>What it waits with, as INFO shows it.</summary>
    public virtual string MultiplexingApi => "none";

    /// <summary>Says what <see cref="Send"/> will send next. The loop prepares several runs, at most one a
    /// session while it has no unsent output, and then sends each of them: a transport that can sends all of
    /// them in one call.</summary>
    public virtual void Prepare(Session session, in OutputSegment run)
    {
    }

    /// <summary>Sends bytes.</summary>
    /// <returns>
    /// Bytes taken now, fewer than asked where the peer is slow (the loop keeps the rest and waits for
    /// <see cref="Loop.Writable"/>), or <see cref="SendPending"/> or <see cref="SendFailed"/>.
    /// </returns>
    public abstract long Send(Session session, OutputSegment* segments, int count);

    /// <summary>
    /// Starts or stops delivering the session's input. Meanwhile the transport still reports that the peer
    /// has gone (<see cref="Loop.PeerGone"/>), and once the end of input (<see cref="Loop.InputEnded"/>), if
    /// the system shows them.
    /// </summary>
    public abstract void SetReading(Session session, bool isReading);

    /// <summary>Closes the connection; the session is gone for the transport.</summary>
    public abstract void Close(Session session);

    /// <summary>Parts with the connection of a session that has nothing under way, so that the transport of
    /// another loop can take it over; between two turns.</summary>
    /// <returns>False where it cannot.</returns>
    public virtual bool TryRelease(Session session) => false;

    /// <summary>Takes over the connection of a session that the transport of another loop has released.
    /// </summary>
    public virtual void Adopt(Session session) => throw new NotSupportedException();

    /// <summary>Makes the transport run a turn soon. From any thread.</summary>
    public abstract void WakeUp();
}
