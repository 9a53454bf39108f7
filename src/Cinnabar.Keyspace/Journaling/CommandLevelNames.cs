namespace Cinnabar.Keyspace.Journaling;

/// <summary>The names of <see cref="CommandLevel"/> in the configuration, and what is said of one.</summary>
public static class CommandLevelNames
{
    /// <summary>All names, the oldest first.</summary>
    public static string[] All { get; } = ["6.2", "7.0", "7.2", "7.4"];

    /// <summary>The name of a level that the configuration knows.</summary>
    public static string Name(this CommandLevel level) => All[(int)level];

    /// <summary>Why something is refused: nothing is dropped.</summary>
    /// <param name="level">The version's name.</param>
    /// <param name="what">What the version lacks: "deadlines of fields".</param>
    /// <param name="owner">What has it: "key 'k'".</param>
    public static string Refusal(string level, string what, string owner) =>
        $"rdb-compatibility {level} has no {what}, which {owner} has";
}
