using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Keyspace;

/// <summary>What a key space is made with.</summary>
public sealed record KeyspaceOptions
{
    /// <summary>Number of databases, at least 1.</summary>
    public int DatabaseCount { get; init; } = 16;

    /// <summary>Number of stripes: a power of two, at most <see cref="StripeSet.CountMax"/>.</summary>
    public int StripeCount { get; init; } = 16;

    /// <summary>Number of loops that will read tables without their lock, to prefetch.</summary>
    public int LoopCount { get; init; } = 1;

    /// <summary>Whether every block of memory is checked for overruns, use after free and leaks.</summary>
    public bool IsChecked { get; init; }

    /// <summary>Whether the system is asked to back memory with huge pages.</summary>
    public bool WantsHugePages { get; init; }

    /// <summary>The seed of the hash of keys.</summary>
    public HashSeed Seed { get; init; } = HashSeed.Random();

    /// <summary>The source of time.</summary>
    public required Clock Clock { get; init; }

    /// <summary>The sizes up to which collections are stored as small ones; may change at any
    /// time.</summary>
    public CollectionLimits Limits { get; init; } = new();
}
