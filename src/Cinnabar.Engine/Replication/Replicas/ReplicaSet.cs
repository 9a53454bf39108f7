// The replicas of a server: all sessions that have asked for its stream. Few, and they change seldom: each
// change makes a new array, which readers use without a lock.
//
// Once a second the set looks after them: a PING in the stream of a master every repl-ping-replica-period,
// an empty line to those that wait for data, the end of those that are silent for repl-timeout, and of the
// stream when no replica has been there for repl-backlog-ttl.

using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Replication.Streams;
using Cinnabar.Memory;
using Cinnabar.Replication;

namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>The replicas of a server. Thread-safe.</summary>
internal sealed class ReplicaSet
{
    private const long SecondMs = 1000;

    private readonly IReplicationServer _server;
    private readonly Lock _lock = new();
    private volatile Replica[] _all = [];
    private long _lookedMs;
    private long _pingedMs;
    private long _lastSeenMs;

    /// <param name="server">The server.</param>
    /// <param name="pool">Where the blocks of its data come from.</param>
    public ReplicaSet(IReplicationServer server, SharedBlockPool pool)
    {
        _server = server;
        // As in Redis the periods are counted from the start.
        _pingedMs = _lastSeenMs = server.Clock.UnixMicroseconds / 1000;
        Synchronisation = new FullSynchronisation(server, this, pool);
        Waits = new AcknowledgementWaits(server, this);
        CatchUp = new LastCatchUp(server, this);
        Minimum = new ReplicaMinimum(server.Configuration, server.Gates)
        {
            Count = CountGood,
            IsMaster = () => !server.Keyspace.IsReplica,
        };
        server.Replication.Grown = Wake;
    }

    /// <summary>All of them, in the order in which they came.</summary>
    public ReadOnlySpan<Replica> All => _all;

    /// <summary>Called when one has acknowledged, has come or gone; on any thread.</summary>
    public Action? Changed { get; set; }

    /// <summary>Has the end of the server wait for them.</summary>
    public LastCatchUp CatchUp { get; }

    /// <summary>Refuses writes while too few of them are good.</summary>
    public ReplicaMinimum Minimum { get; }

    /// <summary>The clients that wait for their acknowledgements.</summary>
    public AcknowledgementWaits Waits { get; }

    /// <summary>Gives them all data.</summary>
    public FullSynchronisation Synchronisation { get; }

    /// <summary>The first that waits for a snapshot; null: none does.</summary>
    public Replica? FirstWaiting => Array.Find(_all, static one => one.IsWaiting);

    /// <summary>How many wait for a snapshot.</summary>
    public int WaitingCount => Array.FindAll(_all, static one => one.IsWaiting).Length;

    /// <summary>Takes one up that has asked for the stream.</summary>
    public void Add(Replica replica)
    {
        lock (_lock)
        {
            Debug.Assert(!Array.Exists(_all, one => one == replica), "it is there already");
            _all = [.. _all, replica];
        }

        NoteChange();
    }

    /// <summary>Forgets one whose session is closed.</summary>
    public void Remove(Replica replica)
    {
        lock (_lock)
        {
            _all = Array.FindAll(_all, one => one != replica);
            _lastSeenMs = NowMs;
        }

        Log(LogLevel.Notice, $"Connection with replica {replica.LogName} lost.");
        NoteChange();
    }

    /// <summary>How many are in a phase.</summary>
    public int CountOf(ReplicaPhase phase)
    {
        int count = 0;
        foreach (Replica replica in _all)
            count += replica.Phase == phase ? 1 : 0;
        return count;
    }

    /// <summary>How many have all data and have acknowledged within a number of seconds.</summary>
    public int CountGood(long lagSMax)
    {
        int count = 0;
        long nowMs = NowMs;
        foreach (Replica replica in _all)
            count += replica.HasAllData && replica.LagSeconds(nowMs) <= lagSMax ? 1 : 0;
        return count;
    }

    /// <summary>Those that wait for a snapshot which serves all of them.</summary>
    public Replica[] TakeWaiting(ReplicaAnnouncement wanted) => Array.FindAll(_all,
        one => one.IsWaiting && one.Announcement.IsServedWith(wanted));

    /// <summary>The stream has grown; from any thread.</summary>
    public void Wake()
    {
        if (_all.Length > 0)
            Measure();
        foreach (Replica replica in _all)
        {
            if (replica.IsOnline)
                replica.Wake();
        }
    }

    /// <summary>Bytes of the backlog, as many as are wanted, and those beyond that replicas have not
    /// taken.</summary>
    public (long Backlog, long Beyond) StreamBytes
    {
        get
        {
            ReplicationBacklog? stream = _server.Replication.Backlog;
            (long kept, long start) = (stream?.MemoryBytes ?? 0, stream?.StartOffset ?? 0);
            long backlog = Math.Min(kept, _server.Settings.BacklogBytes);
            long beyond = kept - backlog;
            foreach (Replica replica in _all)
                beyond += replica.UnsentBytes(start);
            return (backlog, beyond);
        }
    }

    /// <summary>Ends all connections: the history has another name, or the data are replaced.</summary>
    public void DisconnectAll()
    {
        foreach (Replica replica in _all)
            replica.Disconnect();
    }

    /// <summary>One has acknowledged.</summary>
    public void NoteAcknowledged() => NoteChange();

    /// <summary>One has got all data.</summary>
    public void NoteTransferred(Replica replica)
    {
        Log(LogLevel.Notice, replica.Phase switch
        {
            ReplicaPhase.Finished => $"RDB transfer completed, rdb only replica ({replica.LogName}) should "
                + "be disconnected asap",
            ReplicaPhase.WaitingForAcknowledgement => $"Streamed RDB transfer with replica {replica.LogName} "
                + "succeeded (socket). Waiting for REPLCONF ACK from replica to enable streaming",
            _ => $"RDB transfer with replica {replica.LogName} completed",
        });
        NoteChange();
    }

    /// <summary>One gets the stream from now on.</summary>
    public void NoteOnline(Replica replica)
    {
        Log(LogLevel.Notice, $"Synchronization with replica {replica.LogName} succeeded");
        NoteChange();
    }

    /// <summary>Prepares the end that a signal asks for: waits for them, and saves.</summary>
    /// <param name="isInterrupt">Whether SIGINT has asked for it, not SIGTERM.</param>
    /// <param name="done">Called when the server may end, or (false) must go on; on any thread.</param>
    public void PrepareEnd(bool isInterrupt, Action<bool> done)
    {
        if (_server.Data.Ending.IsAtOnce(isInterrupt) || !CatchUp.TryBegin(GoOn))
            GoOn(isReady: true);

        void GoOn(bool isReady)
        {
            if (isReady)
                _server.Data.Ending.Prepare(isInterrupt, Done);
            else
                Done(ends: false);
        }

        void Done(bool ends)
        {
            if (!ends)
                CatchUp.Release();
            done(ends);
        }
    }

    /// <summary>Looks after them; on the first loop, some times a second.</summary>
    public void RunCron(long nowMs)
    {
        Synchronisation.RunCron(nowMs);
        CatchUp.Look();
        Measure();
        if (nowMs - _lookedMs < SecondMs)
            return;
        _lookedMs = nowMs;
        // What is counted of them may have become old.
        NoteChange();
        foreach (Replica replica in _all)
            LookAfter(replica, nowMs);
        // What was loaded of a stream, or taken over from a master, lives as long from there on.
        if (_all.Length > 0 || _server.Keyspace.IsReplica || !_server.Replication.Stream.IsAttached)
            _lastSeenMs = nowMs;
        // A replica's stream is its master's, which keeps it alive.
        if (_server.Keyspace.IsReplica)
            return;
        long periodMs = _server.Configuration.NumberOf("repl-ping-replica-period") * SecondMs;
        if (nowMs - _pingedMs >= periodMs && CountOf(ReplicaPhase.Online) > 0)
            Ping(nowMs);
        EndStreamIfUnused(nowMs);
    }

    /// <summary>Ends what is under way: the loops have ended.</summary>
    public void End()
    {
        foreach (Replica replica in _all)
            replica.Close();
        Synchronisation.End();
    }

    // While clients are paused the stream must stand still: another is to catch up with it.
    private void Ping(long nowMs)
    {
        if (_server.Gates.Has(ServerGates.Paused) || _server.Data.Ending.IsSaving)
            return;
        _pingedMs = nowMs;
        _server.Journal.AppendForReplicas("*1\r\n$4\r\nPING\r\n"u8);
        _server.Journal.DrainAll();
    }

    private void LookAfter(Replica replica, long nowMs)
    {
        long timeoutMs = _server.Configuration.NumberOf("repl-timeout") * SecondMs;
        switch (replica.Phase)
        {
            case ReplicaPhase.WaitingForMoment or ReplicaPhase.WaitingForFile:
                replica.KeepAlive();
                break;
            case ReplicaPhase.Transfer when nowMs - replica.ProgressMs > timeoutMs:
                Log(LogLevel.Warning, $"Disconnecting timedout replica (full sync): {replica.LogName}");
                replica.Disconnect();
                break;
            case ReplicaPhase.Online or ReplicaPhase.WaitingForAcknowledgement or ReplicaPhase.Finished
                when nowMs - replica.AcknowledgedMs > timeoutMs:
                Log(LogLevel.Warning, $"Disconnecting timedout replica (streaming sync): {replica.LogName}");
                replica.Disconnect();
                break;
        }
    }

    private void EndStreamIfUnused(long nowMs)
    {
        long lifeS = _server.Configuration.NumberOf("repl-backlog-ttl");
        ReplicationState state = _server.Replication;
        if (lifeS == 0 || !state.Stream.IsAttached || _all.Length > 0
            || nowMs - _lastSeenMs < lifeS * SecondMs)
            return;
        bool isEnded = AllStripes.TryRun(_server.Keyspace, () =>
        {
            state.Stream.Detach();
            state.End();
        });
        if (isEnded)
        {
            Log(LogLevel.Notice,
                $"Replication backlog freed after {lifeS} seconds without connected replicas.");
        }
    }

    // One has acknowledged, has come or gone; or a second has passed.
    private void NoteChange()
    {
        Waits.Wake();
        Minimum.Recount();
        CatchUp.Look();
        Changed?.Invoke();
    }

    // maxmemory does not count what is kept for replicas only: keys evicted for it would make it grow, by
    // their DELs.
    private void Measure() =>
        _server.Keyspace.ReplicaBytes = StreamBytes.Beyond + Synchronisation.MemoryBytes;

    private long NowMs => _server.Clock.UnixMicroseconds / 1000;

    private void Log(LogLevel level, string message) => _server.Log.Write(level, message);
}
