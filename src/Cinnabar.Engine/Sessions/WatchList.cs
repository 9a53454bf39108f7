namespace Cinnabar.Engine.Sessions;

/// <summary>
/// The keys that one session watches, from its first WATCH to what ends them all. That one of them has
/// changed is noted here and not on the session: a change that another loop notes while the session ends its
/// watches must not refuse a later EXEC.
/// </summary>
internal sealed class WatchList(Keyspace.Keyspace keyspace)
{
    private readonly Keyspace.Keyspace _keyspace = keyspace;
    private int _isDirty;

    /// <summary>Whether a key has changed.</summary>
    public bool IsDirty => Volatile.Read(ref _isDirty) != 0;

    public List<Watch> Watches { get; } = [];

    /// <summary>Notes that a key has changed; under its stripe's lock, from any loop.</summary>
    public void MarkDirty() => Volatile.Write(ref _isDirty, 1);

    /// <summary>Adds the stripes of all watched keys to a set.</summary>
    public void AddStripes(ref StripeSet stripes)
    {
        foreach (Watch watch in Watches)
            stripes.Add(_keyspace.StripeIndex(watch.Hash));
    }

    /// <summary>Whether the list has this key already. A session that watches very many keys shares few
    /// of them with many others: the shorter of the two lists is searched.</summary>
    /// <param name="key">The key.</param>
    /// <param name="ofKey">All watches of the key.</param>
    public bool Contains(WatchKey key, List<Watch> ofKey)
    {
        if (ofKey.Count < Watches.Count)
            return ofKey.Exists(watch => watch.List == this);
        foreach (Watch watch in Watches)
        {
            if (watch.Key.Equals(key))
                return true;
        }

        return false;
    }
}
