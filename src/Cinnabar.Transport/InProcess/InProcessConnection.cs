// A connection without a socket: two byte streams between any threads and a loop.
//
//   Write (any thread)  ->  _input   ->  Deliver, on the loop  ->  Loop.Receive, Received
//   received callback   <-  Take, on the loop  <-  Loop's Send
//
// Deliver hands over one piece a turn, as a socket would, and posts itself again while there is more; so a
// client in process cannot starve others. What the client has not taken is bounded like a socket's buffer:
// beyond it the loop keeps the replies and counts them against the output limits.

using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.InProcess;

/// <summary>A connection to a server in this process. Any thread may use it.</summary>
public sealed unsafe class InProcessConnection
{
    private const int OutputMax = 4 << 20;

    private readonly Lock _lock = new();
    private readonly InProcessTransport _transport;
    private readonly Action _received;
    private readonly Action _deliver;
    private readonly Action _continueOutput;
    private readonly ByteQueue _input = new();
    private readonly ByteQueue _output = new();
    private Session? _session;
    private bool _isDelivering;
    private bool _isReading = true;
    private bool _isOutputFull;
    private bool _isClosing;
    private bool _isEnded;

    internal InProcessConnection(InProcessTransport transport, Action received, bool isEnded)
    {
        _transport = transport;
        _received = received;
        _isEnded = isEnded;
        _deliver = Deliver;
        _continueOutput = ContinueOutput;
    }

    /// <summary>Whether its session may do everything, whatever users there are.</summary>
    internal bool IsTrusted { get; init; }

    /// <summary>Whether the server has closed the connection; what it sent before can still be
    /// read.</summary>
    public bool IsEnded
    {
        get
        {
            lock (_lock)
                return _isEnded;
        }
    }

    /// <summary>Sends bytes to the server.</summary>
    /// <returns>False where the connection has ended.</returns>
    public bool Write(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            if (_isEnded || _isClosing)
                return false;
            _input.Append(bytes);
            Schedule();
        }

        return true;
    }

    /// <summary>Moves what the server has sent to the end of a buffer.</summary>
    public void ReadTo(ByteQueue target)
    {
        lock (_lock)
        {
            target.Append(_output.Span);
            _output.RemoveFront(_output.Count);
            if (!_isOutputFull)
                return;
            _isOutputFull = false;
        }

        _transport.Loop.Run(_continueOutput);
    }

    /// <summary>Closes the connection.</summary>
    public void Close()
    {
        lock (_lock)
        {
            _isClosing = true;
            if (!_isEnded)
                Schedule();
        }
    }

    /// <summary>The server, or its loop, has ended the connection.</summary>
    internal void End()
    {
        lock (_lock)
        {
            if (_isEnded)
                return;
            _isEnded = true;
        }

        _transport.Forget(this);
        _received();
    }

    /// <summary>Takes what the loop sends.</summary>
    /// <returns>How much of it.</returns>
    internal long Take(OutputSegment* segments, int count)
    {
        long taken = 0;
        lock (_lock)
        {
            for (int index = 0; index < count && !_isOutputFull; index++)
            {
                int length = (int)Math.Min(segments[index].Length, OutputMax - _output.Count);
                // SAFETY: the loop keeps the segments' bytes where they are during this call.
                _output.Append(new ReadOnlySpan<byte>(segments[index].Data, length));
                taken += length;
                _isOutputFull = length < segments[index].Length;
            }
        }

        _received();
        return taken;
    }

    internal void SetReading(bool isReading)
    {
        lock (_lock)
        {
            _isReading = isReading;
            if (isReading && (_input.Count > 0 || _isClosing))
                Schedule();
        }
    }

    private void Schedule()
    {
        if (_isDelivering)
            return;
        _isDelivering = true;
        _transport.Loop.Run(_deliver);
    }

    private void ContinueOutput()
    {
        if (_session is { IsClosed: false } session)
            _transport.Loop.Writable(session);
    }

    // Within a turn of the loop, before its inputs are executed.
    private void Deliver()
    {
        if (_transport.IsEnded || !OpenSession())
        {
            End();
            return;
        }

        Session session = _session!;
        bool isToClose;
        lock (_lock)
        {
            _isDelivering = false;
            isToClose = _isClosing && (_input.Count == 0 || !_isReading);
            if (!session.IsClosed && _isReading && _input.Count > 0)
            {
                if (!_transport.Loop.IsInputFull)
                    DeliverPiece(session);
                if (_input.Count > 0 || _isClosing)
                    Schedule();
            }
        }

        if (isToClose && !session.IsClosed)
            _transport.Loop.Disconnected(session);
    }

    private void DeliverPiece(Session session)
    {
        _transport.Loop.Receive(session, out byte* place, out int room);
        int count = Math.Min(room, _input.Count);
        // SAFETY: the loop has room for so many bytes at the place.
        _input.Span[..count].CopyTo(new Span<byte>(place, room));
        _input.RemoveFront(count);
        _transport.Loop.Received(session, count);
    }

    private bool OpenSession()
    {
        if (_session is not null)
            return true;
        const string Address = "in-process:0";
        var endpoint = new SessionEndpoint(Address, Address, -1, ConnectionKind.InProcess, true)
        {
            IsTrusted = IsTrusted,
        };
        _session = _transport.Loop.OpenSession(endpoint, out ReadOnlySpan<byte> _);
        if (_session is null)
            return false;
        _session.TransportState = this;
        _transport.Add(_session);
        return true;
    }
}
