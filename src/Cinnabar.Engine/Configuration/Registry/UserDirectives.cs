namespace Cinnabar.Engine.Configuration.Registry;

/// <summary>The <c>user</c> lines of a file. The owner of the users makes users of them.</summary>
internal sealed class UserDirectives
{
    private readonly List<IReadOnlyList<string>> _lines = [];
    private readonly HashSet<string> _names = new(StringComparer.Ordinal);
    private ConfigurationOrigin? _first;

    /// <summary>Finds what is wrong with the words of a line; null: nothing does.</summary>
    internal Func<IReadOnlyList<string>, string?>? Check { get; set; }

    /// <summary>The words of each line behind the first one.</summary>
    internal IReadOnlyList<IReadOnlyList<string>> Lines => _lines;

    /// <summary>Remembers a line.</summary>
    /// <returns>The error, in Redis's words, or null.</returns>
    internal string? Add(List<string> words, ConfigurationOrigin origin)
    {
        if (!_names.Add(words[0]))
        {
            return $"Error in user declaration '{words[0]}': Duplicate user found. A user can only be "
                + "defined once in config files";
        }

        if (Check?.Invoke(words) is { } error)
            return error;
        _first ??= origin;
        _lines.Add(words);
        return null;
    }

    /// <summary>Why the server may not start with these lines, or null.</summary>
    internal ConfigurationRefusal? FindRefusal(string aclFile) =>
        _first is not { } first || aclFile.Length == 0 ? null
        : new ConfigurationRefusal(first, "Configuring Redis with users defined in redis.conf and at the "
            + "same setting an ACL file path is invalid. This setup is very likely to lead to "
            + "configuration errors and security holes, please define either an ACL file or declare users "
            + "directly in your redis.conf, but not both.");
}
