namespace Cinnabar.Keyspace;

/// <summary>Why the changes of a stripe's keys are reported to the observer.</summary>
[Flags]
public enum StripeInterests
{
    /// <summary>They are not.</summary>
    None = 0,

    /// <summary>A client watches one of its keys.</summary>
    Watches = 1,

    /// <summary>Keyspace events are on, and have subscribers.</summary>
    Events = 2,

    /// <summary>A client that caches values has read one of its keys.</summary>
    TrackedKeys = 4,

    /// <summary>A client wants to know of changes of all keys with a prefix.</summary>
    Prefixes = 8,
}
