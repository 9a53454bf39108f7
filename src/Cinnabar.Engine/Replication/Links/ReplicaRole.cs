// A server as a replica: which master it follows, what it has of which history, and what that means for its
// clients. REPLICAOF, the configuration and the end of the server change it, one at a time.
//
// What was applied, and of which history, is the server's replication stream (Streams/ReplicationState), in
// both roles: of a master the journal feeds it, of a replica the link. A role changes under all stripes, so
// the stream's end names exactly what the data are.
//
//   master ──Follow──► replica of A ──Follow──► replica of B ──Promote──► master
//
// A replica leaves expired keys to its master: they are masked (Keyspace.IsReplica). Clients' writes are
// refused while replica-read-only is yes (ServerGates.ReplicaReadOnly), and nearly everything while the link
// is down and replica-serve-stale-data is no (ServerGates.MasterDown).

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Replication.Streams;
using Cinnabar.Keyspace;
using Cinnabar.Replication;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>What a server is to its master. Thread-safe.</summary>
internal sealed class ReplicaRole : IDisposable
{
    private readonly IReplicaServer _server;
    private readonly Lock _lock = new();
    private volatile MasterLink? _link;
    private volatile bool _hasPast;
    private MasterLink? _predecessor;
    private bool _isDisposed;

    /// <param name="server">The server.</param>
    public ReplicaRole(IReplicaServer server)
    {
        _server = server;
        Failover = new PlannedFailover(server, this);
        server.Replicas.Changed = Failover.LookSoon;
        string[] words = server.Configuration.TextOf("replicaof").Split(' ');
        if (words.Length == 2)
        {
            Master = new MasterAddress(
                ConfigurationText.ToPath(words[0]), int.Parse(words[1], CultureInfo.InvariantCulture));
            IsReplica = server.Keyspace.IsReplica = true;
            Redirect();
        }

        server.Data.RdbFiles.Moment = MomentOfData;
        server.Data.Loading.ResumeStream = Resume;
        server.Configuration.Follow("replica-read-only", SetGates);
        server.Configuration.Follow("replica-serve-stale-data", SetGates);
    }

    /// <summary>The link to the master; null: the server is a master.</summary>
    public MasterLink? Link => _link;

    /// <summary>Hands the role of a master over.</summary>
    public PlannedFailover Failover { get; }

    /// <summary>Whether the server is a replica, or is to be one when its data are loaded.</summary>
    public bool IsReplica { get; private set; }

    /// <summary>The master; null: the server is one.</summary>
    public MasterAddress? Master { get; private set; }

    /// <summary>The history whose data it has; null: none that a master could go on with.</summary>
    public string? HistoryId => _hasPast ? Replication.Id : null;

    /// <summary>The offset of the last byte that was applied.</summary>
    public long Offset => Replication.Offset;

    private ReplicationState Replication => _server.Replication;

    /// <summary>Goes on with the stream that the server's own file came out of, when it is loaded and before
    /// clients are served.</summary>
    private void Resume(StoredMoment moment)
    {
        if (IsReplica)
        {
            Adopt(moment.Id, moment.Offset, moment.Database);
            return;
        }

        Replication.Resume(moment.Id, moment.Offset);
        Replication.Stream.Attach();
    }

    /// <summary>Begins to follow the configured master when the data are loaded. The cron calls it.</summary>
    public void RunCron()
    {
        if (Master is null || _link is not null || _server.Data.Loading.IsActive)
            return;
        lock (_lock)
        {
            if (!_isDisposed && Master is { } master && _link is null)
                Start(master);
        }
    }

    /// <summary>Follows a master. A master that becomes a replica asks the other to go on where it is: that
    /// one may have been its replica. The caller holds all stripes.</summary>
    public void Follow(MasterAddress master)
    {
        lock (_lock)
        {
            if (_isDisposed)
                return;
            StopLink();
            Master = master;
            bool wasMaster = !IsReplica;
            if (wasMaster)
            {
                Replication.Stream.Detach();
                _hasPast = Replication.Backlog is not null;
            }

            IsReplica = _server.Keyspace.IsReplica = true;
            _server.Log.NoteRole(isReplica: true);
            SetGates();
            Redirect();
            if (wasMaster)
            {
                foreach (Loop loop in _server.Loops)
                    loop.Run(loop.Runner.Executions.Suspended.EndByDemotion);
            }

            Start(master);
        }
    }

    /// <summary>Becomes a master: its stream goes on under a name of its own. The caller holds all
    /// stripes.</summary>
    public void Promote()
    {
        lock (_lock)
        {
            StopLink();
            Master = null;
            if (_hasPast)
            {
                Replication.Shift();
                Replication.Stream.Attach();
                ReplicationHistory history = Replication.History;
                _server.Log.Write(LogLevel.Notice,
                    $"Setting secondary replication ID to {history.SecondId}, valid up to offset: "
                        + $"{history.SecondOffset}. New replication ID is {history.Id}");
            }
            else
            {
                Replication.End();
            }

            _hasPast = false;
            // They are told the new name when they come back.
            _server.Replicas.DisconnectAll();
            IsReplica = _server.Keyspace.IsReplica = false;
            OwnDeadlines.Forget(_server.Keyspace);
            _server.Log.NoteRole(isReplica: false);
            SetGates();
            Redirect();
        }

        _server.Data.Rewrites.Resume();
        // The loops now remove keys whose deadline has passed.
        foreach (Loop loop in _server.Loops)
            loop.Notify();
    }

    /// <summary>What the link tells the master.</summary>
    public HandshakeOptions HandshakeOptions(string version)
    {
        string Text(string name) => _server.Configuration.TextOf(name);
        long announced = _server.Configuration.NumberOf("replica-announce-port");
        bool isSecure = _server.Configuration.NumberOf("tls-replication") != 0;
        int securePort = isSecure ? _server.Settings.TlsPort : 0;
        int own = securePort != 0 ? securePort : _server.Settings.Port;
        return new HandshakeOptions
        {
            User = Text("masteruser"),
            Password = Text("masterauth"),
            Port = (int)(announced != 0 ? announced : own),
            Address = Text("replica-announce-ip"),
            Version = version,
            HistoryId = HistoryId,
            Offset = Offset,
            IsFailover = Failover.State == FailoverState.InProgress,
        };
    }

    /// <summary>The data are about to be replaced: replicas of this server are to ask anew.</summary>
    public void Forget()
    {
        _hasPast = false;
        _server.Replicas.DisconnectAll();
    }

    /// <summary>The data of a history were loaded: from its master, or from the server's own file.</summary>
    public void Adopt(string historyId, long offset, int database = 0)
    {
        Replication.Adopt(historyId, offset, database);
        _hasPast = true;
    }

    /// <summary>The master goes on with what there is.</summary>
    /// <param name="historyId">Its name of the history; null: the one that it was asked for.</param>
    public void Continue(string? historyId)
    {
        Debug.Assert(_hasPast, "there was nothing to go on with");
        if (historyId is null || historyId == Replication.Id)
            return;
        Replication.Shift(historyId);
        _server.Replicas.DisconnectAll();
        _server.Log.Write(LogLevel.Warning, $"Master replication ID changed to {historyId}");
    }

    /// <summary>A failover is over: clients that follow redirections may go to the new master.</summary>
    public void NoteFailoverEnd()
    {
        lock (_lock)
            Redirect();
    }

    /// <summary>The link has another state.</summary>
    public void LinkChanged() => SetGates();

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            StopLink();
        }

        _predecessor?.Dispose();
        _predecessor = null;
    }

    // The caller holds all stripes: the data are exactly what the stream has led to.
    private StoredMoment? MomentOfData()
    {
        if (IsReplica ? !_hasPast : !Replication.Stream.IsAttached)
            return null;
        int database = IsReplica ? Replication.Database : _server.Data.Journal.Drain!.GiveAll();
        return new StoredMoment(Replication.Id, Replication.Offset, Math.Max(database, 0));
    }

    private void Start(MasterAddress master)
    {
        _link = new MasterLink(_server, this, master, _predecessor);
        _link.Start();
    }

    // Its thread may still have to come to its end: the next link waits for that.
    private void StopLink()
    {
        if (_link is not { } link)
            return;
        link.Stop();
        _predecessor = link;
        _link = null;
    }

    private void Redirect() => _server.Gates.Redirect(Master is not { } master ? null
        : new Redirection(master.Host, master.Port, Failover.State == FailoverState.InProgress));

    private void SetGates()
    {
        bool isReplica = IsReplica;
        _server.ReplicaMinimum.Recount();
        _server.Gates.Set(ServerGates.ReplicaReadOnly,
            isReplica && _server.Configuration.NumberOf("replica-read-only") != 0);
        _server.Gates.Set(ServerGates.MasterDown,
            isReplica && _server.Configuration.NumberOf("replica-serve-stale-data") == 0
                && _link is not { State: LinkState.Connected });
    }
}
