// Commands are held back until a time, for several purposes at once (CLIENT PAUSE, FAILOVER, SHUTDOWN): all
// commands while one purpose holds all, else those that may write. Each purpose ends for itself; the commands
// that were held then run as far as those that are left let them.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;

namespace Cinnabar.Engine.Admission;

/// <summary>Holds commands back.</summary>
/// <param name="gates">The server's gates, of which it has one.</param>
/// <param name="keyspace">The key space, where nothing expires during a pause.</param>
/// <param name="notifyLoops">Wakes all loops.</param>
internal sealed class ClientPause(GateSet gates, Keyspace.Keyspace keyspace, Action notifyLoops)
{
    private const int PurposeCount = 3;

    private readonly GateSet _gates = gates;
    private readonly Keyspace.Keyspace _keyspace = keyspace;
    private readonly Action _notifyLoops = notifyLoops;
    private readonly Lock _lock = new();
    private readonly List<SessionExecution> _held = [];
    private readonly Part[] _parts = new Part[PurposeCount];
    private long _nextEndMs = long.MaxValue;
    private volatile bool _isForAll;

    /// <summary>What commands are held back for, which, and for how many milliseconds more, in the words of
    /// INFO.</summary>
    public (string Reason, string Actions, long LeftMs) Describe(long nowMs)
    {
        lock (_lock)
        {
            int chosen = -1;
            for (int index = 0; index < PurposeCount; index++)
            {
                ref Part part = ref _parts[index];
                if (part.EndMs > nowMs && part.IsForAll == _isForAll
                    && (chosen < 0 || part.EndMs > _parts[chosen].EndMs))
                    chosen = index;
            }

            return chosen < 0 ? ("none", "none", 0) : ((PausePurpose)chosen switch
            {
                PausePurpose.Shutdown => "shutdown_in_progress",
                PausePurpose.Failover => "failover_in_progress",
                _ => "client_pause",
            }, _isForAll ? "all" : "write", _parts[chosen].EndMs - nowMs);
        }
    }

    /// <summary>Starts or prolongs a pause; one for all commands is not weakened by one for writes.</summary>
    public void Start(PausePurpose purpose, long endMs, bool isForAll)
    {
        lock (_lock)
        {
            ref Part part = ref _parts[(int)purpose];
            part.IsForAll |= isForAll;
            part.EndMs = Math.Max(part.EndMs, endMs);
            Follow();
        }
    }

    /// <summary>Ends what commands are held back for, and resumes those that nothing else holds.</summary>
    public void End(PausePurpose purpose)
    {
        lock (_lock)
        {
            _parts[(int)purpose] = default;
            Release();
        }

        // The loops now remove keys whose deadline has passed meanwhile.
        _notifyLoops();
    }

    /// <summary>Ends pauses whose time is over; the server's cron calls it.</summary>
    public void EndIfDue(long nowMs)
    {
        if (!_gates.Has(ServerGates.Paused) || nowMs < Volatile.Read(ref _nextEndMs))
            return;
        lock (_lock)
        {
            foreach (ref Part part in _parts.AsSpan())
            {
                if (part.EndMs <= nowMs)
                    part = default;
            }

            Release();
        }

        _notifyLoops();
    }

    /// <summary>
    /// Whether a command must wait: all do (CLIENT UNPAUSE, too, as in Redis), or those that may write, also
    /// on their way into a transaction.
    /// </summary>
    public bool Holds(SessionExecution execution, long nowMs)
    {
        EndIfDue(nowMs);
        return _gates.Has(ServerGates.Paused) && (_isForAll
            || CommandReach.Has(execution, CommandFlags.Write | CommandFlags.MayReplicate));
    }

    /// <summary>Forgets a held execution whose session has gone.</summary>
    /// <returns>False if it is not held: it is being resumed already, or waits for something else.</returns>
    public bool TryForget(SessionExecution execution)
    {
        if (execution.State != ExecutionState.Paused)
            return false;
        lock (_lock)
            return _held.Remove(execution);
    }

    /// <summary>
    /// Keeps a suspended execution until the pause ends.
    /// </summary>
    public void Hold(SessionExecution execution)
    {
        lock (_lock)
        {
            if (_gates.Has(ServerGates.Paused))
            {
                _held.Add(execution);
                return;
            }
        }

        execution.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Resume, Target = execution });
    }

    // One that something else holds is held again when it resumes.
    private void Release()
    {
        Follow();
        foreach (SessionExecution execution in _held)
            execution.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Resume, Target = execution });
        _held.Clear();
    }

    private void Follow()
    {
        (bool isShut, bool isForAll, long nextEndMs) = (false, false, long.MaxValue);
        foreach (Part part in _parts)
        {
            isShut |= part.EndMs > 0;
            isForAll |= part.IsForAll;
            nextEndMs = part.EndMs > 0 ? Math.Min(nextEndMs, part.EndMs) : nextEndMs;
        }

        _isForAll = isForAll;
        Volatile.Write(ref _nextEndMs, nextEndMs);
        _gates.Set(ServerGates.Paused, isShut);
        _keyspace.IsExpiryHeld = isShut;
    }

    private struct Part
    {
        public long EndMs;
        public bool IsForAll;
    }
}
