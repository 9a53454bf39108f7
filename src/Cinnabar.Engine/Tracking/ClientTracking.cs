// Client-side caching (docs/adr/0032). A command that reads notes its keys with its session, under the locks
// of its stripes (Remember); the commit of a change takes the key out of the stripe's table and posts an
// invalidation to each of its sessions, under the same locks (Invalidated). So of a read and a change either
// the read came later, and saw it, or its session is notified.
//
// Sessions that track prefixes (BCAST) are in PrefixTable; they get one message for all that a commit has
// changed, collected in a PrefixChanges of the execution.
//
// All sessions get "everything" where a database is emptied or swapped.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Memory;
using Cinnabar.Messaging.Tracking;

namespace Cinnabar.Engine.Tracking;

/// <summary>The tracked keys and prefixes of a server, and the sessions that track.</summary>
internal sealed unsafe class ClientTracking : IReadTracking
{
    // As many keys are taken out for one that comes where a lowered limit is far exceeded.
    private const int EvictedCountMax = 100;

    // A prefix in the table and in its session.
    private const int PrefixBytes = 120;

    private readonly Settings _settings;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly SessionRegistry _sessions;
    private readonly SharedBlockPool _blocks;
    private readonly TrackedKeys[] _byStripe;
    private readonly Func<long, bool> _isAlive;
    private readonly System.Collections.Concurrent.ConcurrentDictionary<long, Session> _clients = new();
    private readonly PrefixTable _prefixes = new();
    private readonly Lock _switching = new();
    private long _keyCount;

    /// <summary>Makes tables for the stripes of a key space.</summary>
    public ClientTracking(ConfigurationRegistry configuration, Keyspace.Keyspace keyspace,
        SessionRegistry sessions)
    {
        (_settings, _keyspace, _sessions) = (configuration.Settings, keyspace, sessions);
        // What an eviction leaves in the queues must not make others necessary.
        _blocks = keyspace.UncountedBlocks;
        _isAlive = id => _clients.ContainsKey(id);
        _byStripe = new TrackedKeys[keyspace.Stripes.Length];
        foreach (Stripe stripe in keyspace.Stripes)
            _byStripe[stripe.Index] = new TrackedKeys(stripe.Arena);
    }

    /// <summary>Sessions that track.</summary>
    public int ClientCount => _clients.Count;

    /// <summary>Keys in the tables.</summary>
    public long KeyCount => Interlocked.Read(ref _keyCount);

    /// <summary>Prefixes that are tracked.</summary>
    public int PrefixCount => _prefixes.Count;

    /// <summary>Sessions of all keys in the tables.</summary>
    public long ItemCount
    {
        get
        {
            long count = 0;
            foreach (TrackedKeys keys in _byStripe)
                count += keys.IdCount;
            return count;
        }
    }

    private bool IsOverLimit =>
        _settings.TrackedKeysMax is > 0 and long limit && Interlocked.Read(ref _keyCount) > limit;

    /// <summary>CLIENT TRACKING ON: a session tracks from now on, or in another way. On its loop.</summary>
    public void Enable(Session session, SessionTracking tracking)
    {
        session.InvalidationsOrNew();
        lock (_switching)
        {
            RemovePrefixes(session);
            session.Tracking = tracking;
            CountPrefixes(session, 1);
            _clients[session.Id] = session;
            _prefixes.Add(session, tracking.Prefixes);
            WatchPrefixes();
        }

        session.ChangeFlags(SessionFlags.Tracking, SessionFlags.None);
    }

    /// <summary>CLIENT TRACKING OFF, or the session ends.</summary>
    public void Disable(Session session)
    {
        if (session.Tracking is null)
            return;
        lock (_switching)
        {
            _clients.TryRemove(session.Id, out _);
            RemovePrefixes(session);
            session.Tracking = null;
            WatchPrefixes();
        }

        session.ChangeFlags(SessionFlags.None, SessionFlags.Tracking);
    }

    private void RemovePrefixes(Session session)
    {
        _prefixes.Remove(session);
        CountPrefixes(session, -1);
    }

    private void CountPrefixes(Session session, int sign)
    {
        long bytes = 0;
        foreach (byte[] prefix in session.Tracking?.Prefixes ?? [])
            bytes += PrefixBytes + prefix.Length;
        session.AddRecordBytes(sign * bytes);
        _sessions.Records.Add(sign * bytes);
    }

    /// <inheritdoc/>
    public void Remember(SessionExecution execution, CommandSpec spec)
    {
        // An argument that stands where keys do, as CLUSTERSCAN's cursor, is none.
        if (spec.Has(CommandFlags.ReadOnly) && spec.HasKeys && !spec.Has(CommandFlags.RunsScript))
            RememberKeys(execution, spec, execution.Arguments);
    }

    /// <inheritdoc/>
    public void RememberKeys(SessionExecution execution, CommandSpec spec, ArgumentList arguments)
    {
        if (execution.Session.Tracking is not { TracksReads: true })
            return;
        // What a transaction or a script changed before it read.
        execution.Keys.Invalidate();
        long id = execution.Session.Id;
        var keys = new KeyArguments(spec, arguments);
        while (keys.MoveNext())
        {
            ref Argument argument = ref arguments[keys.Current];
            Stripe stripe = _keyspace.StripeOf(argument.Hash);
            Debug.Assert(stripe.Lock.IsHeld, "a read is noted under the lock of its key");
            if (!_byStripe[stripe.Index].Add(argument.Hash, argument.Span, id, _isAlive))
                continue;
            Interlocked.Increment(ref _keyCount);
            stripe.SetInterest(StripeInterests.TrackedKeys, true);
            if (IsOverLimit)
                Evict(stripe);
        }
    }

    /// <summary>A key of a locked stripe was changed.</summary>
    public void Invalidated(KeyspaceAccess access, Stripe stripe, ReadOnlySpan<byte> key, KeyEvent keyEvent)
    {
        if (!KeyEvents.ChangesEntry(keyEvent))
            return;
        TrackedKeys keys = _byStripe[stripe.Index];
        if (keys.TryTake(_keyspace.Hash(key), key, out TrackedKey* entry))
            Drop(stripe, keys, entry, OriginOf(access, keyEvent));
    }

    /// <summary>Notes a change for those who track prefixes.</summary>
    public void Collect(KeyspaceAccess access, ReadOnlySpan<byte> key, KeyEvent keyEvent)
    {
        if (!KeyEvents.ChangesEntry(keyEvent))
            return;
        var changes = (PrefixChanges)(access.Collected ??= new PrefixChanges());
        changes.Add(_prefixes.All, key, OriginOf(access, keyEvent));
    }

    /// <summary>Notifies those who track prefixes of all that an execution has changed.</summary>
    public void Committed(KeyspaceAccess access)
    {
        if (access.Collected is PrefixChanges { IsEmpty: false } changes)
            changes.Send(this);
    }

    /// <summary>Tells all sessions that all keys may have changed; all stripes are locked.</summary>
    /// <param name="forgetsKeys">Whether the tables are emptied, as Redis does for FLUSHALL and
    /// FLUSHDB.</param>
    public void InvalidateAll(bool forgetsKeys)
    {
        if (forgetsKeys)
        {
            foreach (Stripe stripe in _keyspace.Stripes)
                Clear(stripe);
        }

        foreach ((_, Session session) in _clients)
            Send(session, new Invalidation { Kind = InvalidationKind.All });
    }

    /// <inheritdoc/>
    public bool NeedsTrim(Stripe stripe) => IsOverLimit && _byStripe[stripe.Index].Count != 0;

    /// <inheritdoc/>
    public void Trim(Stripe stripe)
    {
        if (NeedsTrim(stripe))
            Evict(stripe);
    }

    /// <summary>Sends keys to some sessions.</summary>
    /// <param name="sessions">The sessions.</param>
    /// <param name="keys">The keys.</param>
    public void Send(ReadOnlySpan<Session> sessions, List<byte[]> keys)
    {
        SharedBlock* block = InvalidationEncoder.Encode(_blocks, keys, out int length);
        foreach (Session session in sessions)
            Send(session, block, length);

        // SAFETY: the encoder's reference; each invalidation has its own.
        block->Release();
    }

    /// <summary>Frees the tables; nothing executes any more.</summary>
    public void Dispose()
    {
        foreach (TrackedKeys keys in _byStripe)
            keys.Clear();
    }

    // A key that expires, or is evicted, was changed by no client.
    private static Session? OriginOf(KeyspaceAccess access, KeyEvent keyEvent) =>
        keyEvent is KeyEvent.Expired or KeyEvent.Evicted ? null : (access.Owner as SessionExecution)?.Session;

    private void Evict(Stripe stripe)
    {
        TrackedKeys keys = _byStripe[stripe.Index];
        for (int count = 0; IsOverLimit && count < EvictedCountMax; count++)
        {
            if (!keys.TryTakeAny(out TrackedKey* entry))
                return;
            Drop(stripe, keys, entry, origin: null);
        }
    }

    private void Drop(Stripe stripe, TrackedKeys keys, TrackedKey* entry, Session? origin)
    {
        Forgotten(stripe, keys, 1);
        SharedBlock* block = InvalidationEncoder.Encode(_blocks, entry->Key, out int length);
        for (int index = 0; index < entry->IdCount; index++)
        {
            if (_clients.TryGetValue(entry->Ids[index], out Session? session)
                && session.Tracking is { } tracking && (tracking.Modes & TrackingModes.Broadcast) == 0
                && (session != origin || (tracking.Modes & TrackingModes.NoLoop) == 0))
                Send(session, block, length);
        }

        // SAFETY: the encoder's reference; each invalidation has its own.
        block->Release();
        keys.Free(entry);
    }

    private void Clear(Stripe stripe)
    {
        TrackedKeys keys = _byStripe[stripe.Index];
        int count = keys.Count;
        keys.Clear();
        Forgotten(stripe, keys, count);
    }

    private void Forgotten(Stripe stripe, TrackedKeys keys, int count)
    {
        Interlocked.Add(ref _keyCount, -count);
        if (keys.Count == 0)
            stripe.SetInterest(StripeInterests.TrackedKeys, false);
    }

    private void Send(Session session, SharedBlock* block, int length)
    {
        block->Retain();
        Send(session, new Invalidation { Kind = InvalidationKind.Keys, Block = block, Length = length });
    }

    private void Send(Session session, Invalidation invalidation)
    {
        if (session.Tracking is { RedirectId: not 0 } tracking)
        {
            if (_sessions.Find(tracking.RedirectId) is { Invalidations: { } target })
            {
                invalidation.IsRedirected = true;
                target.Add(in invalidation);
                return;
            }

            tracking.IsRedirectBroken = true;
            // SAFETY: the reference of the invalidation that is not sent.
            if (invalidation.Block != null)
                invalidation.Block->Release();
            invalidation = new Invalidation
            {
                Kind = InvalidationKind.RedirectBroken,
                RedirectId = tracking.RedirectId,
            };
        }

        session.Invalidations!.Add(in invalidation);
    }

    private void WatchPrefixes()
    {
        foreach (Stripe stripe in _keyspace.Stripes)
            stripe.SetInterest(StripeInterests.Prefixes, _prefixes.Count != 0);
    }
}
