namespace Cinnabar.Engine.Scripts;

/// <summary>The first line of a script, where it begins with <c>#!</c>: its engine and its flags.</summary>
/// <param name="Flags">The flags.</param>
/// <param name="CodeStart">Where the code begins: at the end of that line, so that lines keep their
/// numbers.</param>
/// <param name="IsPresent">Whether there is such a line.</param>
internal readonly record struct ScriptHeader(ScriptFlags Flags, int CodeStart, bool IsPresent)
{
    private const string FlagsOption = "flags=";

    /// <summary>Reads the first line of a script.</summary>
    /// <returns>The error; null: there is none.</returns>
    public static string? Read(ReadOnlySpan<byte> source, out ScriptHeader header)
    {
        header = default;
        if (!source.StartsWith("#!"u8))
            return null;
        int end = source.IndexOf((byte)'\n');
        if (end < 0)
            return "Invalid script shebang";
        string[] words = Encoding.Latin1.GetString(source[..end])
            .Split([' ', '\t', '\r', '\v', '\f'], StringSplitOptions.RemoveEmptyEntries);
        if (words[0] != "#!lua")
            return "Unexpected engine in script shebang: " + words[0];
        ScriptFlags flags = ScriptFlags.None;
        foreach (string word in words.AsSpan(1))
        {
            if (!word.StartsWith(FlagsOption, StringComparison.Ordinal))
                return "Unknown lua shebang option: " + word;
            foreach (string name in word[FlagsOption.Length..].Split(
                ',', StringSplitOptions.RemoveEmptyEntries))
            {
                ScriptFlags flag = FlagOf(name);
                if (flag == ScriptFlags.None)
                    return "Unexpected flag in script shebang: " + name;
                flags |= flag;
            }
        }

        header = new ScriptHeader(flags, end, IsPresent: true);
        return null;
    }

    /// <summary>The flag of a name; none: there is no such flag.</summary>
    public static ScriptFlags FlagOf(string name) => name switch
    {
        "no-writes" => ScriptFlags.NoWrites,
        "allow-oom" => ScriptFlags.AllowOom,
        "allow-stale" => ScriptFlags.AllowStale,
        "no-cluster" => ScriptFlags.NoCluster,
        "allow-cross-slot-keys" => ScriptFlags.AllowCrossSlotKeys,
        _ => ScriptFlags.None,
    };
}
