using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Keyspace.Journaling;

namespace Cinnabar.Engine.Durability;

/// <summary>The directives that say how executions record what they do.</summary>
internal static class RecordingOptions
{
    private const string LazyExpiry = "lazyfree-lazy-expire";
    private const string LazyEviction = "lazyfree-lazy-eviction";
    private const string Compatibility = "rdb-compatibility";

    /// <summary>Follows the directives from now on.</summary>
    public static void Follow(ConfigurationRegistry configuration, Recording recording)
    {
        configuration.Follow(LazyExpiry,
            () => recording.IsExpiryLazy = configuration.NumberOf(LazyExpiry) != 0);
        configuration.Follow(LazyEviction,
            () => recording.IsEvictionLazy = configuration.NumberOf(LazyEviction) != 0);
        // The names of the directive's values stand in the order of the levels.
        configuration.Follow(Compatibility,
            () => recording.Level = (CommandLevel)configuration.NumberOf(Compatibility));
    }
}
