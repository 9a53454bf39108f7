namespace Cinnabar.Engine.Configuration;

/// <summary>Redis's patterns over names of directives and of files; not for hot paths.</summary>
public static class NamePattern
{
    /// <summary>Whether a text is more than a plain name.</summary>
    public static bool IsPattern(string text) => text.AsSpan().IndexOfAny('*', '?', '[') >= 0;

    /// <summary>Whether the whole name matches the pattern.</summary>
    public static bool Matches(string pattern, string name, bool ignoreCase) =>
        GlobPattern.Matches(Encoding.UTF8.GetBytes(pattern), Encoding.UTF8.GetBytes(name), ignoreCase);
}
