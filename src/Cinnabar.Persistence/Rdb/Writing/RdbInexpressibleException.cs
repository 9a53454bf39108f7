using Cinnabar.Keyspace.Journaling;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>There is something that the chosen version of the format cannot say: nothing is dropped, so
/// nothing can be written.</summary>
public sealed class RdbInexpressibleException : Exception
{
    private readonly string _what;
    private readonly RdbCompatibility _level;

    /// <summary>Makes one for a key's value.</summary>
    /// <param name="key">The key's name; empty where the writer was not given it.</param>
    /// <param name="what">What the version lacks: "deadlines of fields".</param>
    /// <param name="level">The version's Redis.</param>
    public RdbInexpressibleException(ReadOnlySpan<byte> key, string what, RdbCompatibility level)
        : base(Text(key, what, level))
    {
        _what = what;
        _level = level;
    }

    private RdbInexpressibleException(string owner, string what, RdbCompatibility level)
        : base(CommandLevelNames.Refusal(level.Name(), what, owner))
    {
        _what = what;
        _level = level;
    }

    /// <summary>Makes one for a library of functions.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="level">A version before functions.</param>
    public static RdbInexpressibleException OfLibrary(string name, RdbCompatibility level) =>
        new($"library '{name}'", "functions", level);

    /// <summary>The message for a key whose name the writer was not given.</summary>
    public string TextFor(ReadOnlySpan<byte> key) => Text(key, _what, _level);

    private static string Text(ReadOnlySpan<byte> key, string what, RdbCompatibility level) =>
        CommandLevelNames.Refusal(level.Name(), what, $"key '{Encoding.UTF8.GetString(key)}'");
}
