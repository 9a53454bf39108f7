namespace Cinnabar.Security.Rules;

/// <summary>The names of ACL categories.</summary>
public static class AclCategoryNames
{
    /// <summary>The category of a name without its '@', in any case; None: there is none.</summary>
    public static AclCategories Find(ReadOnlySpan<byte> name)
    {
        Span<char> text = stackalloc char[16];
        if (name.Length > text.Length) return AclCategories.None;
        for (int i = 0; i < name.Length; i++)
        {
            // Letters only: numbers and lists ("1", "Read,Write") are names to Enum.TryParse too.
            if (!char.IsAsciiLetter((char)name[i])) return AclCategories.None;
            text[i] = (char)name[i];
        }

        return Enum.TryParse(text[..name.Length], ignoreCase: true, out AclCategories category)
            ? category : AclCategories.None;
    }
}
