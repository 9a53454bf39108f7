using Cinnabar.Keyspace.Loading;

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>What stands beside a value.</summary>
/// <param name="DeadlineMs">The key's deadline, Unix milliseconds; &#8722;1: none.</param>
/// <param name="Use">What is known of the key's use.</param>
public readonly record struct RdbLoadOptions(long DeadlineMs, KeyUse Use)
{
    /// <summary>No deadline, and nothing is known of the key's use.</summary>
    public static RdbLoadOptions None => new(-1, KeyUse.Unknown);
}
