using System.Text;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>A key's value has something that the chosen version of the format cannot say: nothing is
/// dropped, so nothing can be written.</summary>
public sealed class RdbInexpressibleException : Exception
{
    /// <summary>Makes one.</summary>
    /// <param name="key">The key's name; empty where the writer was not given it.</param>
    /// <param name="what">What the version lacks: "deadlines of fields".</param>
    /// <param name="level">The version's Redis.</param>
    public RdbInexpressibleException(ReadOnlySpan<byte> key, string what, RdbCompatibility level)
        : base($"key '{Encoding.UTF8.GetString(key)}': rdb-compatibility {level.Name()} has no {what}") =>
        What = what;

    /// <summary>What the version lacks.</summary>
    public string What { get; }
}
