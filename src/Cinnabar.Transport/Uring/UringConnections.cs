// The connections of a loop by their descriptors. A descriptor is closed, or given to another loop, only when
// none of its operations is in flight: so its number comes back only when all completions of the earlier use
// have been read. The generation in every mark makes sure of it.
//
//   open      Watch, which sees the peer's end, and Receive, while the session takes input and a while longer
//             (UringReceiving). AwaitRoom, where a send did not take everything
//   closing   all are canceled; the last completion ends it
//   closed    the descriptor is closed at the end of the turn

using System.Runtime.Versioning;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Epoll;

namespace Cinnabar.Transport.Uring;

/// <summary>The connections of a loop, and their operations in its ring. Only the loop uses it.</summary>
/// <param name="kernel">The kernel.</param>
/// <param name="ring">The loop's ring.</param>
[SupportedOSPlatform("linux")]
internal sealed unsafe class UringConnections(UringKernel kernel, UringRing ring)
{
    private readonly UringKernel _kernel = kernel;
    private readonly UringRing _ring = ring;
    private readonly List<int> _closed = [];
    private UringConnection[] _connections = new UringConnection[64];

    /// <summary>How many there are, with those that are being closed.</summary>
    public int Count { get; private set; }

    /// <summary>The connection of a descriptor. It moves when another one is added.</summary>
    public ref UringConnection this[int descriptor] => ref _connections[descriptor];

    /// <summary>The sessions of all connections.</summary>
    public IEnumerable<Session> Sessions
    {
        get
        {
            foreach (UringConnection connection in _connections)
            {
                if (connection.Session is { } session)
                    yield return session;
            }
        }
    }

    /// <summary>The session of a descriptor; null: it has none in this loop.</summary>
    public Session? SessionOf(int descriptor) =>
        descriptor < _connections.Length ? _connections[descriptor].Session : null;

    /// <summary>Whether a completion is of what is now known by its descriptor.</summary>
    public bool IsCurrent(UringMark mark) =>
        mark.Index < _connections.Length && mark.IsOf(_connections[mark.Index].Generation);

    /// <summary>Adds a session's connection.</summary>
    public void Add(int descriptor, Session session, UringWire? wire)
    {
        if (descriptor >= _connections.Length)
            Array.Resize(ref _connections, Math.Max(descriptor + 1, 2 * _connections.Length));
        ref UringConnection connection = ref _connections[descriptor];
        Debug.Assert(connection.Session is null && connection.InFlight == 0, "a descriptor has one use");
        connection = new UringConnection
        {
            Session = session,
            Wire = wire,
            Generation = connection.Generation + 1,
            End = UringConnection.NotEnded,
            IsReading = true,
        };
        Count++;
    }

    /// <summary>Forgets a connection that stays open and has nothing in flight.</summary>
    public void Release(int descriptor)
    {
        ref UringConnection connection = ref _connections[descriptor];
        Debug.Assert(connection.InFlight == 0 && connection.Stash.Length == 0, "nothing is under way");
        connection = new UringConnection { Generation = connection.Generation + 1 };
        Count--;
    }

    /// <summary>Closes a connection as soon as nothing of it is in flight.</summary>
    public void Close(int descriptor)
    {
        ref UringConnection connection = ref _connections[descriptor];
        Debug.Assert(connection.Session is not null && !connection.IsClosing, "a connection is closed once");
        connection.Stash.Clear();
        connection.Session = null;
        connection.Wire = null;
        connection.IsClosing = true;
        if (connection.InFlight == UringUses.None)
            EndClosing(descriptor);
        else
            Cancel(descriptor, connection.InFlight);
    }

    /// <summary>Closes the descriptors that are no longer used.</summary>
    public void CloseClosed()
    {
        foreach (int descriptor in _closed)
            _kernel.Close(descriptor);
        _closed.Clear();
    }

    /// <summary>Notes a completion of a connection's operation, which may be its last one.</summary>
    /// <returns>The connection's session; null where there is none any more.</returns>
    public Session? Note(in UringCompletion completion, UringUses use)
    {
        int descriptor = completion.Mark.Index;
        if (!IsCurrent(completion.Mark))
            return null;
        return completion.HasMore ? _connections[descriptor].Session : End(descriptor, use);
    }

    /// <summary>Notes the end of operations.</summary>
    /// <returns>Their connection's session; null where there is none any more.</returns>
    public Session? End(int descriptor, UringUses use)
    {
        ref UringConnection connection = ref _connections[descriptor];
        Debug.Assert((connection.InFlight & use) != 0, "an operation ends once");
        connection.InFlight &= ~use;
        if (connection.IsClosing && connection.InFlight == UringUses.None)
            EndClosing(descriptor);
        return connection.Session;
    }

    /// <summary>Receives, again and again, into provided buffers.</summary>
    // SAFETY: here and below an entry is filled before the ring is used for anything else.
    public void Receive(int descriptor)
    {
        ref UringConnection connection = ref _connections[descriptor];
        if ((connection.InFlight & UringUses.Receive) != 0)
            return;
        connection.InFlight |= UringUses.Receive;
        connection.IsCanceling = false;
        UringSubmission* submission = _ring.Prepare(
            UringCalls.OpReceive, descriptor, MarkOf(descriptor, UringOperation.Receive));
        submission->Flags = UringCalls.SubmissionSelectsBuffer;
        submission->SocketFlags = UringCalls.ReceiveMultishot;
        submission->BufferGroup = UringBuffers.Group;
    }

    /// <summary>Cancels the receive.</summary>
    public void CancelReceive(int descriptor)
    {
        ref UringConnection connection = ref _connections[descriptor];
        Debug.Assert((connection.InFlight & UringUses.Receive) != 0, "what is canceled is in flight");
        if (connection.IsCanceling)
            return;
        connection.IsCanceling = true;
        Cancel(descriptor, UringUses.Receive);
    }

    /// <summary>Cancels operations in flight, each by its mark: by the descriptor the kernel would look at
    /// all that the ring has in flight.</summary>
    public void Cancel(int descriptor, UringUses uses)
    {
        if ((uses & UringUses.Receive) != 0)
            Cancel(descriptor, UringOperation.Receive, UringOperation.CancelReceive);
        if ((uses & UringUses.Watch) != 0)
            Cancel(descriptor, UringOperation.Watch, UringOperation.CancelWatch);
        if ((uses & UringUses.AwaitRoom) != 0)
            Cancel(descriptor, UringOperation.AwaitRoom, UringOperation.CancelAwaitRoom);
    }

    /// <summary>What a cancellation is of.</summary>
    public static UringUses CanceledBy(UringOperation cancellation) => cancellation switch
    {
        UringOperation.CancelReceive => UringUses.Receive,
        UringOperation.CancelWatch => UringUses.Watch,
        UringOperation.CancelAwaitRoom => UringUses.AwaitRoom,
        _ => UringUses.None,
    };

    /// <summary>Watches for the ends of the peer's input and of the connection, each of which completes
    /// once.</summary>
    public void Watch(int descriptor) => Poll(
        descriptor, UringUses.Watch, UringOperation.Watch, EpollCalls.PeerHangUp, ofChanges: true);

    /// <summary>Waits until the connection takes output.</summary>
    /// <param name="descriptor">The connection.</param>
    /// <param name="ofChanges">Whether the poll completes with each change: where the peer's input has ended,
    /// every poll completes at once.</param>
    public void AwaitRoom(int descriptor, bool ofChanges = false) =>
        Poll(descriptor, UringUses.AwaitRoom, UringOperation.AwaitRoom, EpollCalls.Out, ofChanges);

    /// <summary>Notes the end of a cancellation. One that came while its operation was between two states is
    /// repeated.</summary>
    public void Canceled(UringMark mark, int result)
    {
        if (result >= 0 || !IsCurrent(mark))
            return;
        ref UringConnection connection = ref _connections[mark.Index];
        UringUses missed = CanceledBy(mark.Operation) & connection.InFlight;
        if (connection.IsClosing || (connection.IsCanceling && missed == UringUses.Receive))
            Cancel(mark.Index, missed);
    }

    /// <summary>Closes what a loop has left that a fault ended; its thread has ended.</summary>
    public void Abandon()
    {
        for (int descriptor = 0; descriptor < _connections.Length; descriptor++)
        {
            ref UringConnection connection = ref _connections[descriptor];
            if (connection.Session is null && !connection.IsClosing)
                continue;
            connection.Stash.Clear();
            _kernel.Close(descriptor);
            connection = default;
            Count--;
        }

        CloseClosed();
    }

    public UringMark MarkOf(int descriptor, UringOperation operation) =>
        new(operation, descriptor, _connections[descriptor].Generation);

    private void Poll(
        int descriptor, UringUses use, UringOperation operation, uint events, bool ofChanges)
    {
        ref UringConnection connection = ref _connections[descriptor];
        if ((connection.InFlight & use) != 0)
            return;
        connection.InFlight |= use;
        UringMark mark = MarkOf(descriptor, operation);
        UringSubmission* submission = _ring.Prepare(UringCalls.OpPollAdd, descriptor, mark);
        submission->OperationFlags = events;
        submission->Length = ofChanges ? UringCalls.PollMultishot : 0;
    }

    private void Cancel(int descriptor, UringOperation operation, UringOperation cancellation) =>
        _ring.Prepare(UringCalls.OpCancel, -1, MarkOf(descriptor, cancellation))->Address =
            MarkOf(descriptor, operation).Value;

    private void EndClosing(int descriptor)
    {
        _closed.Add(descriptor);
        _connections[descriptor] = new UringConnection
        {
            Generation = _connections[descriptor].Generation + 1,
        };
        Count--;
    }
}
