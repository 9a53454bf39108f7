// A loop's work for its stripes and sessions between turns: it removes due keys, frees detached tables,
// compacts the index of deadlines, copies keys for a snapshot, reclaims big values, closes idle clients. All
// in slices bounded by time, so that a million keys that expire in the same instant delay no client by more
// than a slice; while there is work left the loop does not wait, and a busy loop gives it a fixed share.
//
// A slice consists of portions, between which the clock is read: some keys, or some pages of dead structures.
// None of them is in the processor's cache: 64 pages at a time, with their subtrees, took half a millisecond.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Observing;
using Cinnabar.Keyspace.Eviction;
using Cinnabar.Keyspace.Expiry;
using Cinnabar.Memory;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Loops;

/// <summary>The housekeeping of one loop.</summary>
internal sealed class Housekeeper : IDisposable
{
    private const long SliceNs = 100_000;
    private const long ReclaimNs = 50_000;
    private const int PortionCountMax = 64;
    private const int DropCount = 8;
    private const int PagesPerPortion = 8;
    private const long CronMsMax = 1000;
    private const ServerGates ExpiryGates =
        ServerGates.Paused | ServerGates.WritesHeld | ServerGates.AnyLoading;

    // A stripe that is due but held, mostly by the slow lane, is tried again after this long; so is the check
    // whether flushed memory is free: another flush may have freed the last of it, which wakes no loop.
    private const long HeldUpMs = 1;

    private readonly Loop _loop;
    private readonly SuspendedExecutions _suspended;
    private readonly ILoopServer _server;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly Clock _clock;
    private readonly KeyspaceAccess _access;
    private readonly Stripe[] _stripes;
    private long _cronNextMs;
    private long _polledMs;
    private long _wakeMs = long.MaxValue;
    private bool _hasWork;
    private bool _isHeldUp;
    private bool _hasFreed;
    private int _stripeNext;
    private int _idleNext;

    public Housekeeper(Loop loop, SuspendedExecutions suspended)
    {
        (_loop, _suspended) = (loop, suspended);
        _server = loop.Server;
        (_keyspace, _clock) = (_server.Keyspace, _server.Clock);
        _access = new KeyspaceAccess(_keyspace, loop.KeyspaceStatistics);
        var stripes = new System.Collections.Generic.List<Stripe>();
        foreach (Stripe stripe in _keyspace.Stripes)
        {
            if (stripe.Index % _server.Loops.Length == loop.Index)
                stripes.Add(stripe);
        }

        _stripes = [.. stripes];
    }

    // While clients are paused or a data set is imported, the data do not change: expired keys are only
    // masked, as in Redis. Nor while a disk does not keep up: an expiry is written as a command's change is.
    // Nor while data are loaded: the commands of an append only file may refer to expired keys.
    private bool IsExpiring => _keyspace.IsActiveExpiryEnabled && !_keyspace.KeepsExpired
        && (_server.Gates.Value & ExpiryGates) == 0;

    /// <summary>Does the due work, for a bounded time.</summary>
    /// <returns>Whether the cron ran.</returns>
    public bool Run()
    {
        long nowUs = _clock.UnixMicroseconds;
        long nowMs = nowUs / 1000;
        _loop.Statistics.EndTurn(nowUs);
        RunStripes(nowMs);
        EvictKeys();
        if (_loop.Index == 0)
            Note(LatencyMonitor.DefragCycle, _server.MemoryLimit.Defrag.Run());
        _server.MemoryLimit.Clients.Look(_loop);
        _suspended.EndBlocked(nowMs);
        _server.Journal.DrainForReplicas();
        if (_loop.Index == 0 && _keyspace.HasGarbage)
            Reclaim();
        NotifyFreed();
        PollRetired(nowMs);
        // Further away than it can be: the wall clock was set back.
        if (nowMs < _cronNextMs && _cronNextMs - nowMs <= CronMsMax)
            return false;
        _cronNextMs = nowMs + (CronMsMax / Math.Max(_server.Settings.Hz, 1));
        long startUs = _clock.UnixMicroseconds;
        GiveBackIdle();
        ReapOwn(nowMs);
        _server.RunCron(_loop, nowMs);
        _loop.Statistics.CountCronTime(_clock.UnixMicroseconds - startUs);
        return true;
    }

    /// <summary>How long the loop may wait, in milliseconds.</summary>
    public int WaitMs()
    {
        long nowMs = _clock.UnixMicroseconds / 1000;
        if (_hasWork)
            return 0;
        // ORDER: "sleeps for ever" is written, with a full fence, before the deadlines are read; a thread
        // that sets an earlier deadline reads it afterwards (Loop.DeadlineAdvanced). So the deadline is seen
        // here or the loop is woken.
        Interlocked.Exchange(ref _wakeMs, long.MaxValue);
        bool isImpatient = _isHeldUp || _suspended.HasMemoryWaiters;
        long wakeMs = isImpatient ? Math.Min(_cronNextMs, nowMs + HeldUpMs) : _cronNextMs;
        wakeMs = Math.Min(wakeMs, _suspended.WakeMs);
        if (_loop.Index == 0 && _server.MemoryLimit.Defrag is { Share: > 0 } defrag)
            wakeMs = Math.Min(wakeMs, nowMs + defrag.WaitMs());
        if (IsExpiring)
        {
            foreach (Stripe stripe in _stripes)
            {
                if (!_isHeldUp || stripe.DeadlineNextMs > nowMs)
                    wakeMs = Math.Min(wakeMs, stripe.DeadlineNextMs);
            }
        }

        Volatile.Write(ref _wakeMs, wakeMs);
        return (int)Math.Clamp(wakeMs - nowMs, 0, CronMsMax);
    }

    /// <summary>Whether the loop would wait past an instant.</summary>
    public bool SleepsPast(long deadlineMs) => deadlineMs < Volatile.Read(ref _wakeMs);

    public void Dispose()
    {
        _wakeMs = 0;
        _access.Effects.Dispose();
    }

    private void Reclaim()
    {
        long endNs = _clock.MonotonicNanoseconds + ReclaimNs;
        bool hasMore = true;
        for (int count = 0; hasMore && count < PortionCountMax; count++)
        {
            hasMore = _keyspace.ReclaimSlice(PagesPerPortion);
            if (_clock.MonotonicNanoseconds >= endNs)
                break;
        }

        _hasWork |= hasMore;
        _hasFreed |= !hasMore;
    }

    // What the commands of a turn have left to evict. Where stripes are held it is tried again soon.
    private void EvictKeys()
    {
        if (_server.Gates.Has(ServerGates.MemoryNear)
            && _loop.Runner.Eviction.Run() == EvictionResult.Waiting)
            _isHeldUp = true;
    }

    // A growing table reuses the segments it has left, if they are returned in time: at full load those of a
    // tenth of a second, until the cron polls, took half as much memory as all tables. Polling costs
    // microseconds, since every processor must pass a fence: at most once a millisecond.
    private void PollRetired(long nowMs)
    {
        Quiescence quiescence = _keyspace.Quiescence;
        if (_loop.Index != 0 || nowMs == _polledMs || !quiescence.HasRetired)
            return;
        _polledMs = nowMs;
        quiescence.Poll();
    }

    // A client that waits for the memory of a FLUSHALL SYNC is checked in the next turn of its loop. The
    // first loop, which may sleep, frees the big values among the keys.
    private void NotifyFreed()
    {
        if (!_hasFreed)
            return;
        _hasFreed = false;
        if (_keyspace.HasDetached)
        {
            if (_loop.Index != 0 && _keyspace.HasGarbage)
                _server.Loops[0].Post(new MailboxMessage { Kind = MailboxMessageKind.None });
            return;
        }

        foreach (Loop loop in _server.Loops)
            loop.Post(new MailboxMessage { Kind = MailboxMessageKind.None });
    }

    // What an arena keeps for speed and has not needed for a round goes back to the system: one arena at a
    // time, since each page of it may be a system call; all of them where the system gives no more memory.
    private void GiveBackIdle()
    {
        int count = _server.MemoryLimit.IsShort ? _stripes.Length : Math.Min(1, _stripes.Length);
        for (; count > 0; count--)
        {
            _idleNext = (_idleNext + 1) % _stripes.Length;
            Stripe stripe = _stripes[_idleNext];
            if (!stripe.Lock.TryEnter())
                continue;
            stripe.Arena.GiveBackIdle();
            stripe.Lock.Exit();
        }
    }

    private void RunStripes(long nowMs)
    {
        _hasWork = false;
        _isHeldUp = false;
        long endNs = 0;
        int portionCount = 0;
        for (int doneCount = 0; doneCount < _stripes.Length; doneCount++)
        {
            Stripe stripe = _stripes[_stripeNext];
            _stripeNext = _stripeNext + 1 == _stripes.Length ? 0 : _stripeNext + 1;
            bool isCycle = NeedsCare(stripe, nowMs);
            if (!isCycle && stripe.Walk is not { IsWanted: true })
                continue;
            long startNs = _clock.MonotonicNanoseconds;
            if (endNs == 0)
                endNs = startNs + SliceNs;
            if (!stripe.Lock.TryEnter()
                && (_isHeldUp || !stripe.Lock.TryEnterSpinning(LockProtocol.SpinCount)))
            {
                _isHeldUp = true;
                continue;
            }

            if (Work(stripe, nowMs))
                doneCount = -1;
            stripe.Lock.Exit();
            long doneNs = _clock.MonotonicNanoseconds;
            if (isCycle)
                NoteCycle((doneNs - startNs) / 1000);
            if (doneNs < endNs && ++portionCount < PortionCountMax)
                continue;
            _hasWork = true;
            if (IsExpiring && HasDue(nowMs))
                _loop.KeyspaceStatistics.ExpireStops++;
            return;
        }
    }

    // Of a writable replica, with the cron; a stripe that is held comes later.
    private void ReapOwn(long nowMs)
    {
        if (!_keyspace.IsReplica || !_keyspace.IsActiveExpiryEnabled
            || (_server.Gates.Value & ExpiryGates) != 0)
            return;
        foreach (Stripe stripe in _stripes)
        {
            bool hasMore = stripe.HasOwnDeadlines;
            for (int count = 0; hasMore && count < PortionCountMax && stripe.Lock.TryEnter(); count++)
            {
                stripe.TimeMs = Math.Max(stripe.TimeMs, nowMs);
                _access.Begin(0, nowMs);
                hasMore = Reaper.ReapOwnSlice(stripe, _access);
                _access.Effects.CommitOwn();
                _access.Commit();
                stripe.Lock.Exit();
            }
        }
    }

    private bool HasDue(long nowMs)
    {
        foreach (Stripe stripe in _stripes)
        {
            if (stripe.DeadlineNextMs <= nowMs)
                return true;
        }

        return false;
    }

    private void Note(string name, long durationUs) =>
        _server.Observation.Latency.Note(name, durationUs);

    private void NoteCycle(long durationUs)
    {
        Note(LatencyMonitor.ExpireCycle, durationUs);
        _loop.KeyspaceStatistics.ExpireCycleMicroseconds += durationUs;
    }

    private bool NeedsCare(Stripe stripe, long nowMs) =>
        (stripe.DeadlineNextMs <= nowMs && IsExpiring) || stripe.HasGarbage
        || _server.Watches.HasDead(stripe) || _server.ReadTracking.NeedsTrim(stripe);

    private bool Work(Stripe stripe, long nowMs)
    {
        stripe.TimeMs = Math.Max(stripe.TimeMs, nowMs);
        _access.Begin(0, nowMs);
        bool hasMore = false;
        if (IsExpiring && stripe.DeadlineNextMs <= nowMs)
            hasMore = Reaper.ReapSlice(stripe, _access);
        bool hadDetached = stripe.HasDetached;
        hasMore |= stripe.DropSlice(DropCount);
        _hasFreed |= hadDetached && !stripe.HasDetached;
        hasMore |= Reaper.CompactSlice(stripe);
        _server.Watches.Purge(stripe);
        _server.ReadTracking.Trim(stripe);
        _access.Effects.CommitOwn();
        _access.Commit();
        if (stripe.Walk is { IsWanted: true } walk)
            hasMore |= walk.Step() || stripe.HasGarbage;
        return hasMore;
    }
}
