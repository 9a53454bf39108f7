using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;

namespace Cinnabar.Engine.Admission;

/// <summary>CLIENT PAUSE: holds commands back until a time, or until CLIENT UNPAUSE.</summary>
/// <param name="gates">The server's gates, of which it has one.</param>
/// <param name="keyspace">The key space, where nothing expires during a pause.</param>
/// <param name="notifyLoops">Wakes all loops.</param>
internal sealed class ClientPause(GateSet gates, Keyspace.Keyspace keyspace, Action notifyLoops)
{
    private readonly GateSet _gates = gates;
    private readonly Keyspace.Keyspace _keyspace = keyspace;
    private readonly Action _notifyLoops = notifyLoops;
    private readonly Lock _lock = new();
    private readonly List<SessionExecution> _held = [];
    private long _endMs;
    private bool _isForAll;

    /// <summary>The actions held back, in the words of INFO, and the milliseconds left.</summary>
    public (string Actions, long LeftMs) Describe(long nowMs)
    {
        lock (_lock)
        {
            return _gates.Has(ServerGates.Paused) && _endMs > nowMs
                ? (_isForAll ? "all" : "write", _endMs - nowMs)
                : ("none", 0);
        }
    }

    /// <summary>Starts or prolongs a pause; one for all commands is not weakened by one for writes.</summary>
    public void Start(long endMs, bool isForAll)
    {
        lock (_lock)
        {
            bool isInForce = _gates.Has(ServerGates.Paused);
            _isForAll = isForAll || (isInForce && _isForAll);
            _endMs = isInForce && _endMs > endMs ? _endMs : endMs;
            SetGate(true);
        }
    }

    /// <summary>Ends the pause and resumes all held commands.</summary>
    public void End()
    {
        lock (_lock)
        {
            SetGate(false);
            _isForAll = false;
            _endMs = 0;
            foreach (SessionExecution execution in _held)
                execution.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Resume,
                    Target = execution });
            _held.Clear();
        }

        // The loops now remove keys whose deadline has passed meanwhile.
        _notifyLoops();
    }

    /// <summary>Ends the pause when its time is over; the server's cron calls it.</summary>
    public void EndIfDue(long nowMs)
    {
        if (_gates.Has(ServerGates.Paused) && nowMs >= Volatile.Read(ref _endMs))
            End();
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

    private void SetGate(bool isShut)
    {
        _gates.Set(ServerGates.Paused, isShut);
        _keyspace.IsExpiryHeld = isShut;
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
}
