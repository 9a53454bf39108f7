namespace Cinnabar.Keyspace.Eviction;

/// <summary>What an attempt to evict has come to.</summary>
public enum EvictionResult
{
    /// <summary>Memory was freed: a key was evicted, or something that was gone already.</summary>
    Freed,

    /// <summary>Nothing was found yet, or its stripe is held: another attempt may succeed.</summary>
    Waiting,

    /// <summary>There is no key that the policy may evict.</summary>
    Nothing,
}
