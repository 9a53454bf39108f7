// Before a server ends, its replicas get what they do not have yet: for shutdown-timeout seconds at most it
// holds the writers back and waits until all have acknowledged the stream's end.
//
//   None ──TryBegin──► waiting ──all have it, or the time is over──► the end goes on
//                         └──► None: SHUTDOWN ABORT
//
// Writers stay held until the server has ended, or the end has failed (Release).

using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Replication.Streams;

namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>Has a server that ends wait for its replicas. Thread-safe.</summary>
/// <param name="server">The server.</param>
/// <param name="replicas">Its replicas.</param>
internal sealed class LastCatchUp(IReplicationServer server, ReplicaSet replicas)
{
    private const long MsPerS = 1000;

    private readonly IReplicationServer _server = server;
    private readonly ReplicaSet _replicas = replicas;
    private readonly Lock _lock = new();
    private readonly List<Action<bool>> _waiting = [];
    private volatile bool _isWaiting;
    private long _endMs;

    /// <summary>Milliseconds that an end still waits for replicas at most; −1: none waits. Racy.</summary>
    public long RemainingMs => _isWaiting ? Math.Max(0, Volatile.Read(ref _endMs) - NowMs) : -1;

    /// <summary>Begins to wait for replicas, or waits with the one that has begun.</summary>
    /// <param name="ended">Called when that is over, on any thread: whether the server may end.</param>
    /// <returns>False where there is nothing to wait for; nothing is called then.</returns>
    public bool TryBegin(Action<bool> ended)
    {
        long timeoutS = _server.Configuration.NumberOf("shutdown-timeout");
        lock (_lock)
        {
            if (_isWaiting)
            {
                _waiting.Add(ended);
                return true;
            }

            if (timeoutS == 0 || IsReady)
            {
                LogState();
                return false;
            }

            _waiting.Add(ended);
            _endMs = NowMs + (timeoutS * MsPerS);
            _isWaiting = true;
        }

        _server.Pause.Start(PausePurpose.Shutdown, long.MaxValue, isForAll: false);
        Log("Waiting for replicas before shutting down.");
        return true;
    }

    /// <summary>Calls the end off, while it waits.</summary>
    /// <returns>False where none waits.</returns>
    public bool TryAbort()
    {
        if (!TryTake(out Action<bool>[] waiting))
            return false;
        Release();
        foreach (Action<bool> ended in waiting)
            ended(false);
        return true;
    }

    /// <summary>The server does not end: writers go on.</summary>
    public void Release() => _server.Pause.End(PausePurpose.Shutdown);

    /// <summary>A replica has acknowledged or gone, or some time has passed. On any loop.</summary>
    public void Look()
    {
        if (!_isWaiting || (NowMs < Volatile.Read(ref _endMs) && !IsReady)
            || !TryTake(out Action<bool>[] waiting))
            return;
        LogState();
        foreach (Action<bool> ended in waiting)
            ended(true);
    }

    private bool TryTake(out Action<bool>[] waiting)
    {
        lock (_lock)
        {
            bool wasWaiting = _isWaiting;
            _isWaiting = false;
            waiting = [.. _waiting];
            _waiting.Clear();
            return wasWaiting;
        }
    }

    private bool IsReady
    {
        get
        {
            _server.Journal.DrainAll();
            long end = _server.Replication.Offset;
            foreach (Replica replica in _replicas.All)
            {
                if (IsLagging(replica, end))
                    return false;
            }

            return true;
        }
    }

    private static bool IsLagging(Replica replica, long end) => replica.AcknowledgedOffset != end
        && replica.Phase is not (ReplicaPhase.Finished or ReplicaPhase.Closed);

    private void LogState()
    {
        long end = _server.Replication.Offset;
        int laggingCount = 0;
        ReadOnlySpan<Replica> all = _replicas.All;
        foreach (Replica replica in all)
        {
            if (!IsLagging(replica, end))
                continue;
            laggingCount++;
            long behind = end - replica.AcknowledgedOffset;
            Log($"Lagging replica {replica.LogName} reported offset {behind} behind master, "
                + $"lag={replica.LagSeconds(NowMs)}, state={replica.StateName ?? "unknown"}.");
        }

        if (all.Length > 0)
            Log($"{all.Length - laggingCount} of {all.Length} replicas are in sync when shutting down.");
    }

    private long NowMs => _server.Clock.UnixMicroseconds / 1000;

    private void Log(string message) => _server.Log.Write(LogLevel.Notice, message);
}
