// The watches of all sessions, per stripe and guarded by its lock. WATCH registers under the locks of its
// keys. A change is reported under the lock too (IKeyspaceObserver.Changed) and marks the list of the
// watching session. EXEC checks the mark under the locks of all watched keys. UNWATCH, DISCARD and a client
// that leaves need no lock: they end their watches, and the stripe's housekeeping removes ended watches when
// it holds the stripe and half of its watches have ended.

using Cinnabar.Engine.Sessions;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Memory;

namespace Cinnabar.Engine.Transactions;

/// <summary>The watched keys of a server.</summary>
internal sealed class WatchRegistry
{
    // A watch, its list, its places in the registry.
    private const int WatchBytes = 320;

    private readonly CountedMemory _records;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly Dictionary<WatchKey, List<Watch>>[] _byStripe;
    private readonly int[] _counts;
    private readonly int[] _deadCounts;

    /// <summary>Makes an empty registry.</summary>
    /// <param name="keyspace">The keys.</param>
    /// <param name="records">Counts the watches.</param>
    public WatchRegistry(Keyspace.Keyspace keyspace, CountedMemory records)
    {
        (_keyspace, _records) = (keyspace, records);
        _byStripe = new Dictionary<WatchKey, List<Watch>>[keyspace.Stripes.Length];
        for (int stripe = 0; stripe < _byStripe.Length; stripe++)
            _byStripe[stripe] = new Dictionary<WatchKey, List<Watch>>(new WatchKeyComparer());
        _counts = new int[_byStripe.Length];
        _deadCounts = new int[_byStripe.Length];
    }

    /// <summary>Registers a watch; its stripe is locked.</summary>
    public void Add(Session session, in Key key, bool isMissing)
    {
        var watchKey = new WatchKey(session.Database, key.Span.ToArray());
        session.Watches ??= new WatchList(_keyspace);
        Stripe stripe = _keyspace.StripeOf(key.Hash);
        Debug.Assert(stripe.Lock.IsHeld, "a watch begins under the lock of its key");
        Dictionary<WatchKey, List<Watch>> watches = _byStripe[stripe.Index];
        if (!watches.TryGetValue(watchKey, out List<Watch>? list))
            watches[watchKey] = list = [];
        if (session.Watches.Contains(watchKey, list))
            return;
        var watch = new Watch(session.Watches, watchKey, key.Hash, isMissing);
        list.Add(watch);
        session.Watches.Watches.Add(watch);
        Count(session, WatchBytes + key.Length);
        Volatile.Write(ref _counts[stripe.Index], _counts[stripe.Index] + 1);
        stripe.SetInterest(StripeInterests.Watches, true);
    }

    /// <summary>Ends all watches of a session. From its loop, without locks.</summary>
    public void RemoveAll(Session session)
    {
        if (session.Watches is not { } list)
            return;
        long bytes = 0;
        foreach (Watch watch in list.Watches)
        {
            watch.End();
            bytes += WatchBytes + watch.Key.Name.Length;
            Interlocked.Increment(ref _deadCounts[_keyspace.StripeIndex(watch.Hash)]);
        }

        Count(session, -bytes);
        session.Watches = null;
    }

    /// <summary>Ends a session's transaction and its watches, as DISCARD and RESET do.</summary>
    public void EndTransaction(Session session)
    {
        session.ChangeFlags(SessionFlags.None, SessionFlags.InTransaction | SessionFlags.TransactionBroken);
        session.Transaction?.Dispose();
        session.Transaction = null;
        RemoveAll(session);
    }

    /// <summary>A key of a locked stripe has changed.</summary>
    public void Touch(Stripe stripe, int database, ReadOnlySpan<byte> name, KeyEvent keyEvent)
    {
        Debug.Assert(stripe.Lock.IsHeld, "a change is reported under the lock of its key");
        if (!KeyEvents.ChangesEntry(keyEvent))
            return;
        Dictionary<WatchKey, List<Watch>> watches = _byStripe[stripe.Index];
        if (watches.Count > 0 && watches.GetAlternateLookup<WatchedName>()
            .TryGetValue(new WatchedName(database, name), out List<Watch>? list))
            Touch(list, keyEvent == KeyEvent.Expired);
    }

    /// <summary>
    /// Before all keys of a database are removed or swapped with another's: touches the watched keys that
    /// exist in either. All stripes are locked.
    /// </summary>
    /// <param name="access">A view of the key space at this instant.</param>
    /// <param name="database">The database; −1 stands for all.</param>
    /// <param name="other">The database it is swapped with, or the same.</param>
    public unsafe void TouchDatabase(KeyspaceAccess access, int database, int other)
    {
        foreach (Dictionary<WatchKey, List<Watch>> watches in _byStripe)
        {
            foreach ((WatchKey key, List<Watch> list) in watches)
            {
                if (database >= 0 && key.Database != database && key.Database != other)
                    continue;
                fixed (byte* name = key.Name)
                {
                    var watched = new Key(name, key.Name.Length, list[0].Hash);
                    bool exists = database < 0
                        ? !access.PeekIn(key.Database, in watched).IsMissing
                        : !access.PeekIn(database, in watched).IsMissing || !access.PeekIn(other,
                        in watched).IsMissing;
                    if (exists)
                        Touch(list, isExpiry: false);
                }
            }
        }
    }

    /// <summary>Whether a stripe has enough dead watches to purge: as many as living ones, since a purge
    /// visits all.</summary>
    public bool HasDead(Stripe stripe)
    {
        int deadCount = Volatile.Read(ref _deadCounts[stripe.Index]);
        return deadCount > 0 && deadCount >= Volatile.Read(ref _counts[stripe.Index]) - deadCount;
    }

    /// <summary>Watches of a stripe, dead ones too.</summary>
    internal int CountOf(Stripe stripe) => Volatile.Read(ref _counts[stripe.Index]);

    /// <summary>Removes the dead watches of a locked stripe.</summary>
    public void Purge(Stripe stripe)
    {
        Debug.Assert(stripe.Lock.IsHeld, "dead watches are removed under the lock of their stripe");
        if (!HasDead(stripe))
            return;
        Dictionary<WatchKey, List<Watch>> watches = _byStripe[stripe.Index];
        int removedCount = 0;
        foreach ((WatchKey key, List<Watch> list) in watches)
        {
            removedCount += list.RemoveAll(static watch => watch.IsDead);
            if (list.Count == 0)
                watches.Remove(key);
        }

        Interlocked.Add(ref _deadCounts[stripe.Index], -removedCount);
        Volatile.Write(ref _counts[stripe.Index], _counts[stripe.Index] - removedCount);
        stripe.SetInterest(StripeInterests.Watches, watches.Count > 0);
    }

    private void Count(Session session, long bytes)
    {
        session.AddRecordBytes(bytes);
        _records.Add(bytes);
    }

    // A watch that began when its key was past its deadline sees no change when the key is removed.
    private static void Touch(List<Watch> list, bool isExpiry)
    {
        foreach (Watch watch in list)
        {
            if (!watch.IsDead && !(isExpiry && watch.WasMissing))
                watch.List.MarkDirty();
        }
    }
}
