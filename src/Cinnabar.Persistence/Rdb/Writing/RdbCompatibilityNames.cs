using Cinnabar.Keyspace.Journaling;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>The names of <see cref="RdbCompatibility"/> in the configuration.</summary>
public static class RdbCompatibilityNames
{
    /// <summary>All names, the oldest first.</summary>
    public static string[] All => CommandLevelNames.All;

    /// <summary>The name of a level.</summary>
    public static string Name(this RdbCompatibility level) => All[level - RdbCompatibility.Redis62];

    /// <summary>The level of a name, which is one of <see cref="All"/>.</summary>
    public static RdbCompatibility Of(string name)
    {
        int index = All.IndexOf(name);
        if (index < 0)
            throw new ArgumentException($"{name} is no level of compatibility", nameof(name));
        return RdbCompatibility.Redis62 + index;
    }
}
