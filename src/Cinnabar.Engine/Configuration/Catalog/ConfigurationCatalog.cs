using Cinnabar.Engine.Configuration.Directives;

namespace Cinnabar.Engine.Configuration.Catalog;

/// <summary>
/// Every directive of the configuration files of Redis up to 8 and Valkey up to 9. Names, kinds, bounds and
/// defaults are facts about those servers; where the two disagree on a default, it is Redis's.
/// </summary>
public static class ConfigurationCatalog
{
    /// <summary>
    /// Former directives, which take one word and are silently ignored, as in Redis.
    /// </summary>
    private static readonly string[] s_forgotten =
        ["list-max-ziplist-entries", "list-max-ziplist-value", "lua-replicate-commands"];

    /// <summary>A new list of descriptions, by topic.</summary>
    public static IReadOnlyList<Directive> Create()
    {
        DirectiveList list = new();
        NetworkDirectives.AddTo(list);
        GeneralDirectives.AddTo(list);
        SecurityDirectives.AddTo(list);
        TlsDirectives.AddTo(list);
        MemoryDirectives.AddTo(list);
        ObservabilityDirectives.AddTo(list);
        PersistenceDirectives.AddTo(list);
        ReplicationDirectives.AddTo(list);
        ClusterDirectives.AddTo(list);
        return list.Directives;
    }

    /// <summary>Whether a directive no longer means anything anywhere.</summary>
    internal static bool IsForgotten(string name)
    {
        foreach (string forgotten in s_forgotten)
        {
            if (name.Equals(forgotten, System.StringComparison.OrdinalIgnoreCase))
                return true;
        }
        return false;
    }
}
