using System.Collections.Generic;
using Cinnabar.Keyspace;

namespace Cinnabar.Engine.Transactions;

/// <summary>The keys that one session watches.</summary>
internal sealed class WatchList
{
    private readonly Keyspace.Keyspace _keyspace;

    /// <summary>Makes an empty list.</summary>
    public WatchList(Keyspace.Keyspace keyspace) => _keyspace = keyspace;

    /// <summary>The watches.</summary>
    public List<Watch> Watches { get; } = [];

    /// <summary>Adds the stripes of all watched keys to a set.</summary>
    public void AddStripes(ref StripeSet stripes)
    {
        foreach (Watch watch in Watches)
            stripes.Add(_keyspace.StripeIndex(watch.Hash));
    }

    /// <summary>Whether the list has this key already.</summary>
    public bool Contains(WatchKey key)
    {
        foreach (Watch watch in Watches)
        {
            if (watch.Key.Equals(key))
                return true;
        }

        return false;
    }
}
