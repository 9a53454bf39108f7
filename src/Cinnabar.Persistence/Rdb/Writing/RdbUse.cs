namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>What a file says of the use of its keys: what the policy of eviction goes by.</summary>
public enum RdbUse
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>Seconds since the last use (LRU).</summary>
    Idle,

    /// <summary>The counter of uses (LFU).</summary>
    Frequency,
}
