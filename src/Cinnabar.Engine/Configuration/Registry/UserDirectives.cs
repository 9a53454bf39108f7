using Cinnabar.Structures.Hashing;

namespace Cinnabar.Engine.Configuration.Registry;

/// <summary>
/// The <c>user</c> lines of a file. Access lists are not built yet, so they are refused, except the line that
/// CONFIG REWRITE of Redis writes and that changes nothing: the default user may do everything, with no
/// password or with that of <c>requirepass</c>.
/// </summary>
internal sealed class UserDirectives
{
    private readonly List<(List<string> Words, ConfigurationOrigin Origin)> _lines = [];

    /// <summary>Remembers a line; always returns that it is well formed.</summary>
    internal string? Add(List<string> words, ConfigurationOrigin origin)
    {
        _lines.Add((words, origin));
        return null;
    }

    internal ConfigurationRefusal? FindRefusal(string requirePass)
    {
        foreach ((List<string> words, ConfigurationOrigin origin) in _lines)
        {
            if (!SaysNothingNew(words, requirePass))
                return new(origin, "access lists are not built yet: its users would not be restricted");
        }
        return null;
    }

    private static bool SaysNothingNew(List<string> words, string requirePass)
    {
        string password = requirePass.Length == 0 ? "nopass" : "#" + Fingerprint(requirePass);
        string[] needed = ["on", "~*", "+@all", password];
        if (!words[0].Equals("default", StringComparison.Ordinal))
            return false;
        foreach (string rule in needed)
        {
            if (!words.Contains(rule))
                return false;
        }
        string[] harmless = [.. needed, "&*", "sanitize-payload", "allkeys", "allchannels", "allcommands"];
        for (int index = 1; index < words.Count; index++)
        {
            if (Array.IndexOf(harmless, words[index]) < 0)
                return false;
        }
        return true;
    }

    private static string Fingerprint(string text)
    {
        Span<byte> hash = stackalloc byte[BlockHash.Sha256Size];
        BlockHash.Sha256(Encoding.Latin1.GetBytes(text), hash);
        return Convert.ToHexStringLower(hash);
    }
}
