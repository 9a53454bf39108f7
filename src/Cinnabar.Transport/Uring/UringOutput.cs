// The sends of a turn in one call. The loop says by Prepare which runs it sends next, and then sends them one
// by one, as over every transport. The first of these sends has the kernel do all prepared ones; each gets
// its own result. They never wait (MSG_DONTWAIT): a socket takes what it takes at once, so the bytes need not
// stay longer than the call, and the loop keeps what was not taken, as with epoll.
//
// The same call runs the kernel's deferred work: what has come meanwhile is in the ring for the next turn,
// which then needs no call to wait.
//
// A connection has one prepared send: a second one could overtake the rest of the first. Output of several
// segments, and of TLS, is sent by calls of its own.

using System.Runtime.Versioning;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Uring;

/// <summary>Sends for the sessions of a loop. Only the loop uses it.</summary>
/// <param name="kernel">The kernel.</param>
/// <param name="ring">The loop's ring.</param>
/// <param name="connections">The loop's connections.</param>
/// <param name="backlog">Reads the ring.</param>
[SupportedOSPlatform("linux")]
internal sealed unsafe class UringOutput(
    UringKernel kernel, UringRing ring, UringConnections connections, UringBacklog backlog)
{
    private readonly UringKernel _kernel = kernel;
    private readonly UringRing _ring = ring;
    private readonly UringConnections _connections = connections;
    private readonly UringBacklog _backlog = backlog;

    /// <summary>Prepares a send; see <see cref="LoopTransport.Prepare"/>.</summary>
    public void Prepare(Session session, in OutputSegment run)
    {
        int descriptor = session.TransportHandle;
        ref UringConnection connection = ref _connections[descriptor];
        Debug.Assert(connection.Session == session, "the session is this loop's");
        if (connection.Wire is not null || connection.Sending != UringSending.None
            || run.Length > int.MaxValue)
            return;
        connection.Sending = UringSending.Prepared;
        UringSubmission* submission = _ring.Prepare(
            UringCalls.OpSend, descriptor, _connections.MarkOf(descriptor, UringOperation.Send));
        // SAFETY: the loop holds the run until Send has returned its result.
        submission->Address = (ulong)run.Data;
        submission->Length = (uint)run.Length;
        submission->OperationFlags = EpollCalls.NoSignal | EpollCalls.DoNotWait;
    }

    /// <summary>Sends; see <see cref="LoopTransport.Send"/>.</summary>
    public long Send(Session session, OutputSegment* segments, int count)
    {
        int descriptor = session.TransportHandle;
        bool isAll;
        long sent;
        if (session.TransportState is TlsConnection tls)
            (sent, isAll) = (tls.Send(segments, count), !tls.HasUnsent);
        else if (_connections[descriptor].Sending == UringSending.None)
            sent = _kernel.Send(descriptor, segments, count, out isAll);
        else
            sent = TakeResult(descriptor, segments, count, out isAll);
        if (!isAll)
            _connections.AwaitRoom(descriptor);
        return sent;
    }

    /// <summary>Waits for the result of a prepared send, if there is one: its bytes are free then.</summary>
    public void Settle(int descriptor)
    {
        while (_connections[descriptor].Sending == UringSending.Prepared)
        {
            // Sends end within the call that submits them; the kernel may take fewer entries at a time.
            _ring.Enter(_ring.HasUnsubmitted ? 0 : 1, -1);
            _backlog.Read();
        }
    }

    private long TakeResult(int descriptor, OutputSegment* segments, int count, out bool isAll)
    {
        Debug.Assert(count == 1, "what was prepared is sent");
        Settle(descriptor);
        ref UringConnection connection = ref _connections[descriptor];
        connection.Sending = UringSending.None;
        int result = connection.SendResult;
        Debug.Assert(result <= segments[0].Length, "no more is sent than there is");
        isAll = true;
        // Without memory nothing was sent: the wait for room tries again.
        if (result < 0 && -result is not (EpollCalls.Again or EpollCalls.Interrupted or EpollCalls.NoMemory
            or EpollCalls.NoBuffers))
            return LoopTransport.SendFailed;
        long sent = Math.Max(result, 0);
        isAll = sent == segments[0].Length;
        return sent;
    }
}
