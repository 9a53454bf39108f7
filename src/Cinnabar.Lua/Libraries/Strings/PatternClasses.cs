namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>The character classes of patterns, as C's classes are in the locale "C".</summary>
internal static class PatternClasses
{
    /// <summary>Whether a letter behind a percent sign names a class.</summary>
    internal static bool IsClass(byte name) => (name | 0x20) switch
    {
        'a' or 'c' or 'd' or 'l' or 'p' or 's' or 'u' or 'w' or 'x' or 'z' => char.IsAsciiLetter((char)name),
        _ => false,
    };

    /// <summary>Adds the members of a class to a set, or the letter itself where it names no class.</summary>
    internal static void AddClass(byte name, Span<ulong> set)
    {
        if (!IsClass(name))
        {
            Add(name, set);
            return;
        }
        bool negated = char.IsAsciiLetterUpper((char)name);
        for (int member = 0; member <= byte.MaxValue; member++)
            if (Is((byte)member, (byte)(name | 0x20)) != negated) Add((byte)member, set);
    }

    /// <summary>Adds a byte to a set.</summary>
    internal static void Add(byte member, Span<ulong> set) => set[member >> 6] |= 1UL << (member & 63);

    private static bool Is(byte member, byte name)
    {
        char letter = (char)member;
        return name switch
        {
            (byte)'a' => char.IsAsciiLetter(letter),
            (byte)'c' => member is < 32 or 127,
            (byte)'d' => char.IsAsciiDigit(letter),
            (byte)'l' => char.IsAsciiLetterLower(letter),
            (byte)'p' => member is > 32 and < 127 && !char.IsAsciiLetterOrDigit(letter),
            (byte)'s' => member is 32 or (>= 9 and <= 13),
            (byte)'u' => char.IsAsciiLetterUpper(letter),
            (byte)'w' => char.IsAsciiLetterOrDigit(letter),
            (byte)'x' => char.IsAsciiHexDigit(letter),
            _ => member == 0,
        };
    }
}
