using Cinnabar.Engine.Configuration;

namespace Cinnabar.Engine.Scripts;

/// <summary>The first line of a library: <c>#!lua name=library</c>.</summary>
/// <param name="Name">Its name.</param>
/// <param name="CodeStart">Where the code begins: at the end of that line, so that lines keep their
/// numbers.</param>
internal readonly record struct LibraryHeader(string Name, int CodeStart)
{
    private const string NameOption = "name=";

    /// <summary>Why a name is refused.</summary>
    public static string NameMistake =>
        "Library names can only contain letters, numbers, or underscores(_) and must be at least one "
        + "character long";

    /// <summary>Reads the first line of a library.</summary>
    /// <exception cref="LibraryException">It is not as it should be.</exception>
    public static LibraryHeader Read(ReadOnlySpan<byte> source)
    {
        if (!source.StartsWith("#!"u8))
            throw new LibraryException("Missing library metadata");
        int end = source.IndexOfAny((byte)'\n', (byte)0);
        if (end < 0 || source[end] == 0
            || ConfigurationText.Split(Encoding.Latin1.GetString(source[..end])) is not { } words)
            throw new LibraryException("Invalid library metadata");
        string engine = words[0].StartsWith("#!", StringComparison.Ordinal) ? words[0][2..] : "";
        string? name = null;
        for (int index = 1; index < words.Count; index++)
        {
            string word = words[index];
            if (!word.StartsWith(NameOption, StringComparison.OrdinalIgnoreCase))
                throw new LibraryException($"Invalid metadata value given: {word}");
            if (name is not null)
                throw new LibraryException("Invalid metadata value, name argument was given multiple times");
            name = word[NameOption.Length..];
        }

        if (name is null)
            throw new LibraryException("Library name was not given");
        if (!IsName(name))
            throw new LibraryException(NameMistake);
        if (!engine.Equals("lua", StringComparison.OrdinalIgnoreCase))
            throw new LibraryException($"Engine '{engine}' not found");
        return new LibraryHeader(name, end);
    }

    /// <summary>Whether a text may name a library or a function.</summary>
    public static bool IsName(string text)
    {
        foreach (char letter in text)
        {
            if (!char.IsAsciiLetterOrDigit(letter) && letter != '_')
                return false;
        }

        return text.Length > 0;
    }
}
