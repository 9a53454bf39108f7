namespace Cinnabar.Keyspace.Candidates;

/// <summary>Which keys are evicted first.</summary>
public enum EvictionOrder
{
    /// <summary>No key is evicted.</summary>
    None,

    /// <summary>Those that were not used for longest.</summary>
    LeastRecentlyUsed,

    /// <summary>Those that are used least often (<see cref="AccessFrequency"/>).</summary>
    LeastFrequentlyUsed,

    /// <summary>Those that were not changed for longest.</summary>
    LeastRecentlyModified,

    /// <summary>Any.</summary>
    Random,

    /// <summary>Those with the earliest deadline.</summary>
    EarliestDeadline,
}
