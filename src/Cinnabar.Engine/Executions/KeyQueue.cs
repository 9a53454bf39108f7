namespace Cinnabar.Engine.Executions;

/// <summary>
/// The waiters of one key of one database, in the order in which they came. Guarded by its stripe's monitor
/// of <see cref="KeyWaits"/>.
/// </summary>
internal sealed class KeyQueue(int database, byte[] name, ulong hash, int stripeCount)
{
    // With more keys than this that serving may write to, all stripes are needed.
    private const int TargetCountMax = 8;
    private const int RemovedCountMin = 16;

    private readonly ulong[] _targets = new ulong[TargetCountMax];
    private readonly int _stripeCount = stripeCount;
    private StripeSet _needs;
    private int _targetCount;
    private int _removedCount;
    private long _numberNext;
    private KeyPlace? _last;

    /// <summary>The key's database.</summary>
    public int Database { get; } = database;

    /// <summary>The key's name.</summary>
    public byte[] Name { get; } = name;

    /// <summary>The key's hash.</summary>
    public ulong Hash { get; } = hash;

    /// <summary>Another key of the same hash: the same name in another database.</summary>
    public KeyQueue? SameHash { get; set; }

    public KeyPlace? First { get; private set; }

    /// <summary>Number of waiters.</summary>
    public int Count { get; private set; }

    /// <summary>Number of waiters that also end when the key is removed.</summary>
    public int EndingCount { get; private set; }

    /// <summary>Whether the stripe's holder is going to serve it.</summary>
    public bool IsReady { get; set; }

    /// <summary>All stripes that serving a waiter of the key takes.</summary>
    public ref readonly StripeSet Needs => ref _needs;

    /// <summary>Hashes of keys that serving may write to but that no client here waits for.</summary>
    public ReadOnlySpan<ulong> Targets => _targets.AsSpan(0, _targetCount);

    /// <summary>Whether this is the queue of a key.</summary>
    public bool Is(int database, ReadOnlySpan<byte> name) =>
        Database == database && name.SequenceEqual(Name);

    /// <summary>Puts a waiter at the end; not twice.</summary>
    /// <returns>Its place, or null if the waiter is already the last one (the same key twice).</returns>
    public KeyPlace? Add(Waiter waiter)
    {
        if (_last?.Waiter == waiter)
            return null;
        var place = new KeyPlace(waiter, this, _numberNext++) { IsLinked = true, Previous = _last };
        if (_last is null)
            First = place;
        else
            _last.Next = place;
        _last = place;
        Count++;
        EndingCount += waiter.Keys.EndsWithKey ? 1 : 0;
        AddNeeds(waiter);
        return place;
    }

    public void Remove(KeyPlace place)
    {
        if (!place.IsLinked)
            return;
        place.IsLinked = false;
        if (place.Previous is null)
            First = place.Next;
        else
            place.Previous.Next = place.Next;
        if (place.Next is null)
            _last = place.Previous;
        else
            place.Next.Previous = place.Previous;
        Count--;
        EndingCount -= place.Waiter.Keys.EndsWithKey ? 1 : 0;
        if (++_removedCount > Count + RemovedCountMin)
            CollectNeeds();
    }

    /// <summary>The place behind one that may have been removed meanwhile.</summary>
    public KeyPlace? After(KeyPlace place)
    {
        if (place.IsLinked)
            return place.Next;
        KeyPlace? next = First;
        while (next is not null && next.Number < place.Number)
            next = next.Next;
        return next;
    }

    // The needs of waiters that have left are kept until many have left: they cost only locks.
    private void CollectNeeds()
    {
        _removedCount = 0;
        _needs = default;
        _targetCount = 0;
        for (KeyPlace? place = First; place is not null; place = place.Next)
            AddNeeds(place.Waiter);
    }

    private void AddNeeds(Waiter waiter)
    {
        _needs.Add(in waiter.Stripes);
        foreach (ulong target in waiter.Targets)
        {
            if (Targets.Contains(target))
                continue;
            if (_targetCount == TargetCountMax)
            {
                _needs = StripeSet.All(_stripeCount);
                return;
            }

            _targets[_targetCount++] = target;
        }
    }
}
