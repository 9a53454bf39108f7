// How executions get their stripes. Every stripe that an execution needs is taken before it starts, in
// ascending order.
//
//   try all ── ok ──────────────────────────────► run
//     │ one is held
//     ├─ not the token holder: release all, register as waiter of that stripe, suspend; a release of it
//     │        resumes it when it is its turn (StripeLock);
//     │        after FailureCountMax failures or FailureNsMax: take the server's one escalation token, if it
// is free,
//     │        and reserve all stripes needed: newcomers do not take them
//     └─ token holder: keep what is held, register as waiter, suspend; continue from there
//
// No deadlock: only the holder of the token holds stripes while it waits, and the executions it waits for run
// to their end (holders without the token never wait). No starvation: the token goes to an execution that has
// failed, its holder gets every stripe after at most one execution each, and then returns it. No polling and
// no sleeping thread.

using Cinnabar.Keyspace.Locks;

namespace Cinnabar.Engine.Executions;

/// <summary>Takes and releases the stripes of executions.</summary>
internal sealed class LockProtocol(Keyspace.Keyspace keyspace)
{
    public const int SpinCount = 100;
    private const int FailureCountMax = 8;
    private const long FailureNsMax = 1_000_000;

    // Longer than any server runs.
    private const long BuiltFirstNs = long.MaxValue / 2;

    private readonly Keyspace.Keyspace _keyspace = keyspace;
    private SessionExecution? _tokenHolder;

    /// <summary>Times that an execution took the escalation token.</summary>
    public long EscalationCount { get; private set; }

    /// <summary>
    /// Takes all stripes of an execution, or registers it to be resumed.
    /// </summary>
    /// <returns>True where it holds them all and may run; false where it must be suspended.</returns>
    public bool TryEnterOrWait(SessionExecution execution)
    {
        int woken = execution.StripeWaited;
        while (!TryEnter(execution))
        {
            Escalate(execution);
            // A waiter that was registered is resumed by the stripe's release; one that was not may try again
            // at once.
            int stripe = execution.StripeNext;
            if (!execution.HoldsToken)
                ReleaseBefore(execution, stripe);
            // It was woken for a free stripe that it does not take now: others can.
            if (woken >= 0 && woken != stripe)
                _keyspace.Stripes[woken].Lock.PassOn();
            execution.StripeWaited = woken = stripe;
            if (_keyspace.Stripes[stripe].Lock.TryAddWaiter(
                execution, execution.HoldsToken, OrderOf(execution)))
                return false;
        }

        execution.StripeWaited = -1;
        return true;
    }

    /// <summary>Ends an execution's wait: it releases what it holds. On its loop.</summary>
    /// <returns>False if it is being resumed.</returns>
    public bool TryWithdraw(SessionExecution execution)
    {
        int stripe = execution.StripeWaited;
        if (stripe < 0 || !_keyspace.Stripes[stripe].Lock.TryRemoveWaiter(execution))
            return false;
        execution.StripeWaited = -1;
        execution.LockFailureCount = 0;
        int held = execution.HoldsToken ? execution.StripeNext : 0;
        GiveTokenBack(execution);
        ReleaseBefore(execution, held);
        return true;
    }

    /// <summary>Releases all stripes of an execution that has run.</summary>
    public void Exit(SessionExecution execution)
    {
        execution.LockFailureCount = 0;
        GiveTokenBack(execution);
        ReleaseBefore(execution, StripeSet.CountMax);
    }

    // By arrival. Executions with a built result go before those that have yet to build one: otherwise, if
    // many wait for one stripe, all results are in memory before the first is stored.
    private static long OrderOf(SessionExecution execution) =>
        execution.IsBuilt ? execution.LockFailureFirstNs - BuiltFirstNs : execution.LockFailureFirstNs;

    private bool TryEnter(SessionExecution execution)
    {
        for (int stripe = execution.Stripes.Next(execution.StripeNext); stripe >= 0;
             stripe = execution.Stripes.Next(stripe + 1))
        {
            StripeLock stripeLock = _keyspace.Stripes[stripe].Lock;
            bool isTaken = execution.HoldsToken
                ? stripeLock.TryEnterAsTokenHolder()
                : stripeLock.TryEnter() || stripeLock.TryEnterSpinning(SpinCount);
            if (!isTaken)
            {
                execution.StripeNext = stripe;
                return false;
            }
        }

        execution.StripeNext = StripeSet.CountMax;
        return true;
    }

    private void ReleaseBefore(SessionExecution execution, int end)
    {
        for (int stripe = execution.Stripes.Next(0); stripe >= 0 && stripe < end;
             stripe = execution.Stripes.Next(stripe + 1))
            _keyspace.Stripes[stripe].Lock.Exit();
        execution.StripeNext = 0;
    }

    private void Escalate(SessionExecution execution)
    {
        long nowNs = _keyspace.Clock.MonotonicNanoseconds;
        if (execution.LockFailureCount++ == 0)
            execution.LockFailureFirstNs = nowNs;
        bool isDue = execution.LockFailureCount >= FailureCountMax
            || nowNs - execution.LockFailureFirstNs >= FailureNsMax;
        if (execution.HoldsToken || !isDue
            || Interlocked.CompareExchange(ref _tokenHolder, execution, null) is not null)
            return;
        execution.HoldsToken = true;
        EscalationCount++;
        ForEach(execution, static stripeLock => stripeLock.Reserve());
    }

    private void GiveTokenBack(SessionExecution execution)
    {
        if (!execution.HoldsToken)
            return;
        execution.HoldsToken = false;
        // ORDER: reservations end before the token is free; otherwise this could undo the next holder's.
        ForEach(execution, static stripeLock => stripeLock.Unreserve());
        Volatile.Write(ref _tokenHolder, null);
    }

    private void ForEach(SessionExecution execution, System.Action<StripeLock> action)
    {
        for (int stripe = execution.Stripes.Next(0); stripe >= 0;
             stripe = execution.Stripes.Next(stripe + 1))
            action(_keyspace.Stripes[stripe].Lock);
    }
}
