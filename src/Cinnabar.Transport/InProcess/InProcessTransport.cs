using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.InProcess;

/// <summary>Serves in-process connections on a loop beside those of its socket transport.</summary>
internal sealed unsafe class InProcessTransport : LoopTransport
{
    private readonly Loop _loop;
    private readonly LoopTransport _sockets;
    private readonly HashSet<Session> _sessions = [];
    private readonly HashSet<InProcessConnection> _connections = [];
    private bool _isAbandoned;

    /// <summary>Puts itself between a loop and its socket transport.</summary>
    public InProcessTransport(Loop loop, LoopTransport sockets)
    {
        _loop = loop;
        _sockets = sockets;
        loop.Attach(this);
    }

    /// <summary>Whether the loop has ended.</summary>
    public bool IsEnded { get; private set; }

    public Loop Loop => _loop;

    /// <summary>Makes a connection to the loop; it has ended already if the loop has. From any
    /// thread.</summary>
    /// <param name="received">Called, on the loop, when there is something to read or the connection has
    /// ended; it must be quick.</param>
    /// <param name="isTrusted">Whether it may do everything.</param>
    public InProcessConnection Connect(Action received, bool isTrusted = false)
    {
        lock (_connections)
        {
            var connection = new InProcessConnection(this, received, _isAbandoned) { IsTrusted = isTrusted };
            if (!_isAbandoned)
                _connections.Add(connection);
            return connection;
        }
    }

    /// <summary>Forgets a connection that has ended. From any thread.</summary>
    public void Forget(InProcessConnection connection)
    {
        lock (_connections)
            _connections.Remove(connection);
    }

    /// <summary>Ends the connections that have not reached the loop before its end, and all later
    /// ones.</summary>
    public void Abandon()
    {
        InProcessConnection[] connections;
        lock (_connections)
        {
            _isAbandoned = true;
            connections = [.. _connections];
        }

        foreach (InProcessConnection connection in connections)
            connection.End();
    }

    /// <summary>Notes a session of an in-process connection; on the loop.</summary>
    public void Add(Session session) => _sessions.Add(session);

    /// <summary>Closes all in-process sessions for good; on the loop's thread.</summary>
    public void End()
    {
        IsEnded = true;
        Session[] sessions = [.. _sessions];
        foreach (Session session in sessions)
            _loop.Disconnected(session);
    }

    public override string MultiplexingApi => _sockets.MultiplexingApi;

    public override void Prepare(Session session, in OutputSegment run)
    {
        if (session.TransportState is not InProcessConnection)
            _sockets.Prepare(session, in run);
    }

    public override long Send(Session session, OutputSegment* segments, int count) =>
        session.TransportState is InProcessConnection connection
            ? connection.Take(segments, count)
            : _sockets.Send(session, segments, count);

    public override void SetReading(Session session, bool isReading)
    {
        if (session.TransportState is InProcessConnection connection)
            connection.SetReading(isReading);
        else
            _sockets.SetReading(session, isReading);
    }

    public override void Close(Session session)
    {
        if (session.TransportState is not InProcessConnection connection)
        {
            _sockets.Close(session);
            return;
        }

        _sessions.Remove(session);
        connection.End();
    }

    public override bool TryRelease(Session session) =>
        session.TransportState is not InProcessConnection && _sockets.TryRelease(session);

    public override void Adopt(Session session) => _sockets.Adopt(session);

    public override void WakeUp() => _sockets.WakeUp();
}
