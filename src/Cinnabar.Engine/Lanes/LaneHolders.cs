using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Keyspace.Locks;

namespace Cinnabar.Engine.Lanes;

/// <summary>
/// The executions of the slow lane that hold stripes, and those of them that are overdue: in the lane for
/// longer than <c>busy-reply-threshold</c>. Any thread.
/// </summary>
/// <param name="server">The server.</param>
/// <param name="gates">The gates that commands must pass.</param>
internal sealed class LaneHolders(IExecutionServer server, GateSet gates)
{
    private const long NsPerMs = 1_000_000;

    private readonly IExecutionServer _server = server;
    private readonly GateSet _gates = gates;
    private readonly List<SessionExecution> _all = [];
    private StripeSet _overdue;
    private volatile bool _hasOverdue;
    private volatile OverdueKind _busyWith;

    /// <summary>What kind of script is overdue; a command: none is.</summary>
    public OverdueKind BusyWith => _busyWith;

    /// <summary>Whether an overdue execution holds one of these stripes.</summary>
    public bool IsOverdue(in StripeSet stripes)
    {
        if (!_hasOverdue)
            return false;
        lock (_all)
            return _overdue.Intersects(in stripes);
    }

    /// <summary>What runs in an overdue execution that holds one of these stripes.</summary>
    public OverdueKind KindOfOverdue(in StripeSet stripes)
    {
        long nowNs = _server.Clock.MonotonicNanoseconds;
        lock (_all)
        {
            foreach (SessionExecution execution in _all)
            {
                if (IsOverdue(execution, nowNs) && execution.RunsScript
                    && execution.Stripes.Intersects(in stripes))
                    return execution.RunsFunction ? OverdueKind.Function : OverdueKind.Script;
            }
        }

        return OverdueKind.Command;
    }

    /// <summary>Ends a script, or a function, that waits in the lane for a thread, if there is one.</summary>
    public bool TryKillWaiting(bool isFunction)
    {
        lock (_all)
            return _all.Exists(each => each.ScriptTurn.TryKill(isFunction));
    }

    /// <summary>Looks for executions that have become overdue; every loop's cron calls it.</summary>
    public void FindOverdue()
    {
        lock (_all)
        {
            if (_all.Count > 0 || _hasOverdue)
                CollectOverdue();
        }
    }

    /// <summary>Adds an execution that comes to the lane with its stripes.</summary>
    public void Add(SessionExecution execution)
    {
        lock (_all)
        {
            Debug.Assert(!_all.Contains(execution), "an execution is in the lane once");
            _all.Add(execution);
        }
    }

    /// <summary>Removes one, if it is there, that is about to release its stripes.</summary>
    public void Remove(SessionExecution execution)
    {
        lock (_all)
        {
            _all.Remove(execution);
            if (_hasOverdue)
                CollectOverdue();
        }
    }

    private void CollectOverdue()
    {
        long nowNs = _server.Clock.MonotonicNanoseconds;
        _overdue = default;
        OverdueKind busyWith = OverdueKind.Command;
        foreach (SessionExecution execution in _all)
        {
            if (!IsOverdue(execution, nowNs))
                continue;
            _overdue.Add(in execution.Stripes);
            if (execution.RunsScript && busyWith == OverdueKind.Command)
                busyWith = execution.RunsFunction ? OverdueKind.Function : OverdueKind.Script;
        }

        _busyWith = busyWith;
        _hasOverdue = _overdue.Count > 0 || busyWith != OverdueKind.Command;
        bool isBusy = busyWith != OverdueKind.Command && _server.Settings.IsBusyForAll;
        if (isBusy != _gates.Has(ServerGates.Busy))
            _gates.Set(ServerGates.Busy, isBusy);
    }

    private bool IsOverdue(SessionExecution execution, long nowNs)
    {
        long thresholdMs = _server.Settings.BusyReplyThresholdMs;
        return thresholdMs > 0 && (nowNs - execution.SlowLaneStartNs) / NsPerMs >= thresholdMs;
    }
}
