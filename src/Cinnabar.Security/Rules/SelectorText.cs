using Cinnabar.Security.Keys;

namespace Cinnabar.Security.Rules;

/// <summary>Writes a selector as the rules that make it.</summary>
public static class SelectorText
{
    /// <summary>All rules of a selector.</summary>
    public static string Of(Selector selector)
    {
        List<string> parts = [];
        string keys = Keys(selector);
        if (keys.Length > 0)
            parts.Add(keys);
        if (!selector.HasAllChannels)
            parts.Add("resetchannels");
        string channels = Channels(selector);
        if (channels.Length > 0)
            parts.Add(channels);
        // Redis does not know them.
        if (!selector.HasAllDatabases)
            parts.Add(selector.Databases.IsEmpty ? "resetdbs" : Databases(selector));
        parts.Add(Commands(selector));
        return string.Join(' ', parts);
    }

    /// <summary>The rules of keys.</summary>
    public static string Keys(Selector selector) =>
        selector.HasAllKeys ? "~*" : string.Join(' ', Texts(selector.Keys));

    /// <summary>The rules of channels, without the one that forbids all others.</summary>
    public static string Channels(Selector selector)
    {
        if (selector.HasAllChannels)
            return "&*";
        List<string> rules = [];
        foreach (string channel in selector.Channels)
            rules.Add("&" + channel);
        return string.Join(' ', rules);
    }

    /// <summary>The rule of databases; empty where none is allowed.</summary>
    public static string Databases(Selector selector) => selector.HasAllDatabases ? "alldbs"
        : selector.Databases.IsEmpty ? "" : "db=" + string.Join(',', selector.Databases.ToArray());

    /// <summary>The rules of commands.</summary>
    public static string Commands(Selector selector)
    {
        string start = selector.StartsWithAllCommands ? "+@all" : "-@all";
        return selector.CommandRules.Count == 0
            ? start : start + " " + string.Join(' ', selector.CommandRules);
    }

    private static IEnumerable<string> Texts(IReadOnlyList<KeyPattern> patterns)
    {
        foreach (KeyPattern pattern in patterns)
            yield return pattern.ToString();
    }
}
