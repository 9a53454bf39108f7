// FAILOVER: a master hands its role to one of its replicas without losing a write.
//
//   None ──Begin──► WaitingForSync ──a replica has everything──► InProgress ──the target accepts──► None
//                        │   (or the time is over, with FORCE)       │
//                        └──► None: given up, or too late            └──► None: refused; a master again
//
// Writers are held (ClientPause) from the first step to the last, so the stream stands still and a replica
// can have all of it. Then the server becomes a replica of that one under all stripes, and its link asks by
// PSYNC ... FAILOVER: the target becomes the master and goes on with the stream from its end.
//
// Steps are taken under all stripes: by the commands, and by the first loop, which looks when a replica has
// acknowledged and in its cron.

using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Replication.Replicas;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Hands the role of a master over. Thread-safe.</summary>
/// <param name="server">The server.</param>
/// <param name="role">Its role.</param>
internal sealed class PlannedFailover(IReplicaServer server, ReplicaRole role)
{
    private readonly IReplicaServer _server = server;
    private readonly ReplicaRole _role = role;
    private readonly Lock _lock = new();
    private volatile FailoverState _state;
    private volatile bool _isRefused;
    private MasterAddress? _target;
    private long _endMs;
    private bool _isForced;

    /// <summary>Its state.</summary>
    public FailoverState State => _state;

    /// <summary>The state in INFO's words.</summary>
    public string StateName => NameOf(_state);

    /// <summary>Begins: holds the writers. The caller holds all stripes.</summary>
    /// <param name="target">The replica that is to be the master; null: the first that has
    /// everything.</param>
    /// <param name="endMs">When it is too late, Unix milliseconds; 0: never.</param>
    /// <param name="isForced">Whether the target becomes the master then in any case.</param>
    public void Begin(MasterAddress? target, long endMs, bool isForced)
    {
        Log(target is null ? "FAILOVER requested to any replica."
            : $"FAILOVER requested to {NameOf(target)}.");
        lock (_lock)
        {
            (_target, _endMs, _isForced, _isRefused) = (target, endMs, isForced, false);
            Enter(FailoverState.WaitingForSync);
            _server.Pause.Start(PausePurpose.Failover, long.MaxValue, isForAll: false);
        }

        LookSoon();
    }

    /// <summary>Gives it up; nothing happens where the target has just accepted. The caller holds all
    /// stripes.</summary>
    public void Abort(string reason)
    {
        FailoverState state;
        MasterAddress? target;
        lock (_lock)
        {
            (state, target) = (_state, _target);
            if (state == FailoverState.None)
                return;
            End();
        }

        string place = target is null ? "" : $" to {NameOf(target)}";
        Log($"Aborting failover{place} while {NameOf(state)}: {reason}");
        if (state == FailoverState.InProgress)
        {
            _role.Promote();
            _server.Configuration.Override("replicaof", "no", "one");
        }

        Release();
    }

    /// <summary>The target has answered PSYNC. On the link's thread.</summary>
    /// <param name="isAccepted">Whether this server is its replica now.</param>
    public void NoteAnswer(bool isAccepted)
    {
        lock (_lock)
        {
            if (_state != FailoverState.InProgress)
                return;
            _isRefused = !isAccepted;
            if (isAccepted)
                End();
        }

        if (isAccepted)
            Release();
        else
            LookSoon();
    }

    /// <summary>A replica has acknowledged: has the first loop look.</summary>
    public void LookSoon()
    {
        if (_state != FailoverState.None)
            _server.Loops[0].Run(Look);
    }

    /// <summary>Takes the step that is due. On the first loop.</summary>
    public void Look()
    {
        if (_state == FailoverState.WaitingForSync || (_state == FailoverState.InProgress && _isRefused))
            AllStripes.TryRun(_server.Keyspace, LookHolding);
    }

    private void LookHolding()
    {
        if (_state == FailoverState.InProgress && _isRefused)
        {
            Abort("Failover target rejected psync request");
        }
        else if (_state == FailoverState.WaitingForSync)
        {
            if (_endMs != 0 && _server.Clock.UnixMicroseconds / 1000 >= _endMs)
                EndWait();
            else
                HandOverIfSynced();
        }
    }

    private void EndWait()
    {
        if (!_isForced)
        {
            Abort("Replica never caught up before timeout");
            return;
        }

        Log($"Failover to {NameOf(_target!)} time out exceeded, failing over.");
        HandOver(_target!);
    }

    private void HandOverIfSynced()
    {
        _server.Journal.DrainAll();
        long end = _server.Replication.Offset;
        foreach (Replica replica in _server.Replicas.All)
        {
            var address = new MasterAddress(replica.Address, replica.Announcement.Port);
            if (!replica.HasAllData || replica.AcknowledgedOffset != end
                || (_target is not null && !replica.Is(_target.Host, _target.Port)))
                continue;
            _target ??= address;
            Log($"Failover target {NameOf(_target)} is synced, failing over.");
            HandOver(_target);
            return;
        }
    }

    private void HandOver(MasterAddress target)
    {
        lock (_lock)
            Enter(FailoverState.InProgress);
        _server.Configuration.Override(
            "replicaof", target.Host, target.Port.ToString(CultureInfo.InvariantCulture));
        _role.Follow(target);
    }

    // The caller has the lock, and releases the writers behind it.
    private void End()
    {
        Enter(FailoverState.None);
        (_target, _endMs, _isForced) = (null, 0, false);
    }

    private void Release()
    {
        _role.NoteFailoverEnd();
        lock (_lock)
        {
            // The next one may have begun.
            if (_state == FailoverState.None)
                _server.Pause.End(PausePurpose.Failover);
        }
    }

    // The caller has the lock.
    private void Enter(FailoverState state)
    {
        Debug.Assert(state switch
        {
            FailoverState.WaitingForSync => _state == FailoverState.None,
            FailoverState.InProgress => _state == FailoverState.WaitingForSync,
            _ => _state != FailoverState.None,
        }, $"a failover goes from {_state} to {state}");
        _state = state;
    }

    private static string NameOf(FailoverState state) => state switch
    {
        FailoverState.WaitingForSync => "waiting-for-sync",
        FailoverState.InProgress => "failover-in-progress",
        _ => "no-failover",
    };

    private static string NameOf(MasterAddress address) => $"{address.Host}:{address.Port}";

    private void Log(string message) => _server.Log.Write(LogLevel.Notice, message);
}
