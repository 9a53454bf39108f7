// The link of a replica to its master: one thread that connects, shakes hands, receives the data where it
// must, and then applies the master's stream for as long as the connection lasts. When it breaks, the thread
// begins again (a second later where it was not connected) and asks to go on where it was.
//
//   Waiting ─► Connecting ─► Handshake ─┬─► Transfer ─┬─► Connected
//      ▲                                └─────────────┘       │
//      └───── the connection breaks, or the master refuses ◄──┘          Stop ─► Stopped
//
// What was applied, and of which history, is kept by the replica's role: it outlives the link.

using System.Net.Sockets;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Statistics;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Follows one master.</summary>
internal sealed class MasterLink : IDisposable
{
    private const int RetryMs = 1000;
    private const int PollMs = 100;
    private const long NsPerMs = 1_000_000;
    private const long NsPerS = 1_000_000_000;
    private const string Version = "8.6.0";

    private readonly IReplicaServer _server;
    private readonly ReplicaRole _role;
    private readonly StreamApplier _applier;
    private readonly SemaphoreSlim _woken = new(0);
    private readonly Thread _thread;
    private readonly MasterLink? _predecessor;
    private volatile MasterConnection? _connection;
    private Session? _client;
    private volatile bool _isStopped;
    private long _stateNs;
    private int _state;
    private long _acknowledgedNs;
    private DurableOffset _durable;

    /// <param name="server">The server.</param>
    /// <param name="role">Keeps what was applied.</param>
    /// <param name="master">The master.</param>
    /// <param name="predecessor">The link before it, which has been stopped; null: none.</param>
    public MasterLink(IReplicaServer server, ReplicaRole role, MasterAddress master, MasterLink? predecessor)
    {
        (_server, _role, Master, _predecessor) = (server, role, master, predecessor);
        _durable = new DurableOffset(server.Data);
        _applier = new StreamApplier(server) { Database = server.Replication.Database };
        DownSinceNs = server.Clock.MonotonicNanoseconds;
        _thread = new Thread(Run) { Name = "cinnabar-link", IsBackground = true };
    }

    /// <summary>The master.</summary>
    public MasterAddress Master { get; }

    /// <summary>Keeps what was applied.</summary>
    public ReplicaRole Role => _role;

    /// <summary>Its state; from any thread.</summary>
    public LinkState State => (LinkState)Volatile.Read(ref _state);

    /// <summary>When the link was lost, or first missing, in monotonic nanoseconds.</summary>
    public long DownSinceNs
    {
        get => Volatile.Read(ref _stateNs);
        private set => Volatile.Write(ref _stateNs, value);
    }

    /// <summary>The synchronisation that is under way; null: none is.</summary>
    public SnapshotTransfer? Transfer { get; private set; }

    /// <summary>The master as a client of this server, while its stream is applied; else null.</summary>
    public Session? Client => Volatile.Read(ref _client);

    /// <summary>Seconds since the master last sent something; −1: there is no connection.</summary>
    public long IdleSeconds => _connection is { } connection
        ? (_server.Clock.MonotonicNanoseconds - connection.LastReceivedNs) / NsPerS : -1;

    /// <summary>Bytes of the stream that were received and not applied.</summary>
    public long HeldBytes => State == LinkState.Connected && _connection is { } connection
        ? Math.Max(0, connection.HeldCount) : 0;

    private int TimeoutMs =>
        (int)Math.Min(_server.Configuration.NumberOf("repl-timeout") * 1000, int.MaxValue);

    // A socket waits for microseconds, of which an int has room for.
    private int SocketTimeoutMs => Math.Min(TimeoutMs, int.MaxValue / 1000);

    /// <summary>Begins.</summary>
    public void Start() => _thread.Start();

    /// <summary>Lets nothing of the stream take effect any more; the thread ends later. From any
    /// thread.</summary>
    public void Stop()
    {
        _isStopped = true;
        _applier.Stop();
        _connection?.Abandon();
        _woken.Release();
    }

    /// <summary>Ends the connection, after which a new one is made. From any thread.</summary>
    public void Drop() => _connection?.Abandon();

    /// <summary>Waits until the thread has ended; after <see cref="Stop"/>.</summary>
    public void Dispose()
    {
        Debug.Assert(_isStopped, "a link is stopped first");
        _thread.Join();
        _applier.Dispose();
        _woken.Dispose();
    }

    /// <summary>Receives something, or fails.</summary>
    /// <exception cref="LinkException">Nothing comes within <c>repl-timeout</c>.</exception>
    internal void Receive(MasterConnection connection)
    {
        while (!connection.TryReceive(PollMs))
        {
            CheckStopped();
            long silentMs = (_server.Clock.MonotonicNanoseconds - connection.LastReceivedNs) / NsPerMs;
            if (silentMs > TimeoutMs)
            {
                throw new LinkException(State == LinkState.Transfer
                    ? "Timeout receiving bulk data from MASTER... If the problem persists try to set the "
                        + "'repl-timeout' parameter in redis.conf to a larger value."
                    : "Timeout connecting to the MASTER...");
            }
        }
    }

    /// <summary>Waits for a line that a function takes.</summary>
    /// <param name="connection">The connection.</param>
    /// <param name="take">Null where the next line is wanted.</param>
    internal T AwaitLine<T>(MasterConnection connection, Func<string, T?> take)
        where T : class
    {
        while (true)
        {
            CheckStopped();
            if (connection.TryTakeLine() is not { } line)
                Receive(connection);
            else if (take(line) is { } taken)
                return taken;
        }
    }

    private void Run()
    {
        try
        {
            _predecessor?.Dispose();
            while (!_isStopped)
            {
                bool wasConnected = Follow();
                if (!_isStopped && !wasConnected)
                    _woken.Wait(RetryMs);
            }
        }
        catch (Exception fault)
        {
            _server.Fail(fault);
        }

        Enter(LinkState.Stopped);
    }

    /// <summary>Follows the master for one connection.</summary>
    /// <returns>Whether the stream was applied.</returns>
    private bool Follow()
    {
        bool wasConnected = false;
        try
        {
            Connect();
            Synchronise(_connection!);
            Enter(LinkState.Connected);
            wasConnected = true;
            Session client = _server.Sessions.ForMaster(_server.Loops[0], _connection!.Endpoint);
            _applier.Peer = client.Endpoint;
            Volatile.Write(ref _client, client);
            Stream(_connection, client);
        }
        catch (SocketException fault)
        {
            Log(LogLevel.Warning, $"Error condition on socket for SYNC: {fault.Message}");
        }
        catch (LinkException fault)
        {
            if (!_isStopped)
                Log(LogLevel.Warning, fault.Message);
        }
        catch (OperationCanceledException)
        {
            // The server ends while it loads.
            _isStopped = true;
        }
        finally
        {
            Disconnect(wasConnected);
        }

        return wasConnected;
    }

    private void Connect()
    {
        Log(LogLevel.Notice, $"Connecting to MASTER {Master.Host}:{Master.Port}");
        Enter(LinkState.Connecting);
        string source = ConfigurationText.ToPath(_server.Configuration.TextOf("bind-source-addr"));
        bool isMultipath = _server.Configuration.NumberOf("repl-mptcp") != 0;
        _connection = MasterConnection.Connect(Master, source, isMultipath, SocketTimeoutMs, _server.Clock);
        _connection.Received = CountReceived;
        if (_server.Configuration.NumberOf("tls-replication") != 0)
        {
            _connection.Secure(_server.Tls.Connect ?? throw new LinkException("This server has no TLS."),
                Master.Host, SocketTimeoutMs);
        }

        Log(LogLevel.Notice, "MASTER <-> REPLICA sync started");
        Enter(LinkState.Handshake);
        Log(LogLevel.Notice, "Non blocking connect for SYNC fired the event.");
    }

    private void Disconnect(bool wasConnected)
    {
        MasterConnection? connection = _connection;
        _connection = null;
        Volatile.Write(ref _client, null);
        connection?.Dispose();
        Transfer = null;
        _applier.Restart();
        if (State == LinkState.Connected)
            DownSinceNs = _server.Clock.MonotonicNanoseconds;
        if (wasConnected && !_isStopped)
            Log(LogLevel.Notice, "Caching the disconnected master state.");
        Enter(LinkState.Waiting);
        CountChanges();
    }

    private void Synchronise(MasterConnection connection)
    {
        var handshake = new MasterHandshake(_role.HandshakeOptions(Version), _server.Log);
        HandshakeResult result = HandshakeResult.UnderWay;
        while (result == HandshakeResult.UnderWay)
        {
            if (handshake.Step != HandshakeStep.Psync)
                connection.Send(handshake.Next(), SocketTimeoutMs);
            result = handshake.Take(AwaitLine(connection, static line => line));
        }

        CheckStopped();
        if (handshake.Step == HandshakeStep.Over)
            _role.Failover.NoteAnswer(result is HandshakeResult.Full or HandshakeResult.Continued);
        switch (result)
        {
            case HandshakeResult.Full:
                Enter(LinkState.Transfer);
                Transfer = new SnapshotTransfer(_server, this);
                Transfer.Run(
                    connection, new SnapshotLoad(_server, _role, _applier), handshake.HistoryId!);
                Transfer = null;
                _applier.Database = _server.Data.Loading.Moment?.Database ?? 0;
                _applier.RunHoldingAll(_ => _role.Adopt(handshake.HistoryId!, handshake.Offset));
                break;
            case HandshakeResult.Continued:
                Log(LogLevel.Notice, "MASTER <-> REPLICA sync: Master accepted a Partial Resynchronization.");
                _role.Continue(handshake.HistoryId);
                break;
            default:
                throw new LinkException("The MASTER cannot be followed now; it is tried again.");
        }
    }

    private void Stream(MasterConnection connection, Session client)
    {
        _durable = new DurableOffset(_server.Data);
        ApplyUnlessPaused(connection, client);
        // A master may wait for it before it sends its stream.
        Acknowledge(connection, _server.Clock.MonotonicNanoseconds);
        while (true)
        {
            bool hasReceived = connection.TryReceive(PollMs);
            CheckStopped();
            if (hasReceived)
            {
                client.NoteInteraction(_server.Clock.UnixMicroseconds / 1000);
                client.BytesReceived = connection.ReceivedCount;
            }

            ApplyUnlessPaused(connection, client);

            long nowNs = _server.Clock.MonotonicNanoseconds;
            if (_applier.IsOffsetWanted || nowNs - _acknowledgedNs >= NsPerS)
                Acknowledge(connection, nowNs);
            if ((nowNs - connection.LastReceivedNs) / NsPerMs > TimeoutMs)
                throw new LinkException("MASTER timeout: no data nor PING received...");
        }
    }

    // CLIENT PAUSE holds the stream as it holds the clients that write; it is received nevertheless.
    private void ApplyUnlessPaused(MasterConnection connection, Session client)
    {
        if (_server.Gates.Has(ServerGates.Paused))
            return;
        _applier.Apply(connection);
        client.Database = _applier.Database;
    }

    private void Acknowledge(MasterConnection connection, long nowNs)
    {
        _applier.IsOffsetWanted = false;
        _acknowledgedNs = nowNs;
        long applied = _role.Offset;
        string offset = applied.ToString(CultureInfo.InvariantCulture);
        long durable = _durable.Look(applied);
        connection.Send(durable < 0 ? ["REPLCONF", "ACK", offset] : ["REPLCONF", "ACK", offset, "FACK",
            durable.ToString(CultureInfo.InvariantCulture)], SocketTimeoutMs);
        CountChanges();
    }

    // The first loop counts them with its own.
    private void CountChanges()
    {
        KeyspaceStatistics counted = _applier.TakeStatistics();
        Loop loop = _server.Loops[0];
        if (counted.Changes != 0)
            loop.Run(() => loop.KeyspaceStatistics.Add(counted));
    }

    private void CountReceived(int byteCount)
    {
        LoopStatistics counters = _server.Replication.Link;
        counters.BytesReceived += byteCount;
        counters.MasterBytesReceived += byteCount;
    }

    private void CheckStopped()
    {
        if (_isStopped)
            throw LinkException.Stopped();
    }

    private void Enter(LinkState state)
    {
        Debug.Assert(state switch
        {
            LinkState.Waiting => State is > LinkState.Waiting and < LinkState.Stopped,
            LinkState.Connecting => State == LinkState.Waiting,
            LinkState.Handshake => State == LinkState.Connecting,
            LinkState.Transfer => State == LinkState.Handshake,
            LinkState.Connected => State is LinkState.Handshake or LinkState.Transfer,
            // A fault ends it wherever it is.
            _ => State != LinkState.Stopped,
        }, $"a link goes from {State} to {state}");
        Volatile.Write(ref _state, (int)state);
        _role.LinkChanged();
    }

    private void Log(LogLevel level, string message) => _server.Log.Write(level, message);
}
