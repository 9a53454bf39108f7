using Cinnabar.Engine.Configuration.Registry;

namespace Cinnabar.Engine.Durability;

/// <summary>The directive <c>import-mode</c>.</summary>
internal static class ImportOption
{
    private const string Name = "import-mode";

    /// <summary>Follows it from now on.</summary>
    public static void Follow(ConfigurationRegistry configuration, Keyspace.Keyspace keyspace)
    {
        FollowMode();
        configuration.Subscribe(Name, FollowMode);

        string? FollowMode()
        {
            keyspace.IsImporting = configuration.NumberOf(Name) != 0;
            return null;
        }
    }
}
