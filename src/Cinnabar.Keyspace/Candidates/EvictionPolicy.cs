namespace Cinnabar.Keyspace.Candidates;

/// <summary>A policy of <c>maxmemory-policy</c>.</summary>
/// <param name="Order">Which keys go first.</param>
/// <param name="IsVolatileOnly">Whether only keys with a deadline may be evicted.</param>
public sealed record EvictionPolicy(EvictionOrder Order, bool IsVolatileOnly)
{
    /// <summary>The policy of this name.</summary>
    /// <exception cref="ArgumentException">There is none.</exception>
    public static EvictionPolicy Parse(string name)
    {
        EvictionOrder order = name[(name.IndexOf('-') + 1)..] switch
        {
            "lru" => EvictionOrder.LeastRecentlyUsed,
            "lfu" => EvictionOrder.LeastFrequentlyUsed,
            "lrm" => EvictionOrder.LeastRecentlyModified,
            "random" => EvictionOrder.Random,
            "ttl" => EvictionOrder.EarliestDeadline,
            "noeviction" => EvictionOrder.None,
            _ => throw new ArgumentException($"There is no policy {name}.", nameof(name)),
        };
        return new EvictionPolicy(order, name.StartsWith("volatile-", StringComparison.Ordinal));
    }

    /// <summary>Whether keys are evicted at all.</summary>
    public bool Evicts => Order != EvictionOrder.None;

    /// <summary>Whether the use of each key decides.</summary>
    public bool IsByUse => Order is EvictionOrder.LeastRecentlyUsed or EvictionOrder.LeastFrequentlyUsed
        or EvictionOrder.LeastRecentlyModified;
}
