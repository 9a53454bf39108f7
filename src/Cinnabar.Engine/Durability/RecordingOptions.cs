using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Keyspace.Journaling;

namespace Cinnabar.Engine.Durability;

/// <summary>The directives that say how executions record what they do.</summary>
internal static class RecordingOptions
{
    private const string LazyExpiry = "lazyfree-lazy-expire";

    /// <summary>Follows the directives from now on.</summary>
    public static void Follow(ConfigurationRegistry configuration, Recording recording)
    {
        FollowExpiry();
        configuration.Subscribe(LazyExpiry, FollowExpiry);

        string? FollowExpiry()
        {
            recording.IsExpiryLazy = configuration.NumberOf(LazyExpiry) != 0;
            return null;
        }
    }
}
