namespace Cinnabar.Engine.Configuration;

/// <summary>
/// The words of a configuration line. Words are parted by blanks. Double quotes keep blanks and understand
/// \n \r \t \b \a \xhh and a backslash before anything else; single quotes keep everything but \'. A closing
/// quote must be followed by a blank or the end. Texts are Latin-1: one char a byte, whatever encoding the
/// file is in.
/// </summary>
public static class ConfigurationText
{
    /// <summary>Splits a line into words; null when its quotes do not balance.</summary>
    public static List<string>? Split(string line)
    {
        List<string> words = [];
        StringBuilder word = new();
        int index = 0;
        while (true)
        {
            while (index < line.Length && IsBlank(line[index]))
                index++;
            if (index == line.Length || line[index] == '\0')
                return words;
            word.Clear();
            if (!ReadWord(line, ref index, word))
                return null;
            words.Add(word.ToString());
        }
    }

    /// <summary>Writes a text so that <see cref="Split"/> reads it back as one word.</summary>
    public static string Quote(string text)
    {
        StringBuilder quoted = new("\"", text.Length + 2);
        foreach (char letter in text)
        {
            _ = letter switch
            {
                '\\' or '"' => quoted.Append('\\').Append(letter),
                '\n' => quoted.Append("\\n"),
                '\r' => quoted.Append("\\r"),
                '\t' => quoted.Append("\\t"),
                '\a' => quoted.Append("\\a"),
                '\b' => quoted.Append("\\b"),
                >= ' ' and <= '~' => quoted.Append(letter),
                _ => quoted.Append("\\x").Append(((int)letter).ToString("x2", CultureInfo.InvariantCulture)),
            };
        }
        return quoted.Append('"').ToString();
    }

    /// <summary>A text of bytes as the path it names: paths are UTF-8.</summary>
    public static string ToPath(string text) => Encoding.UTF8.GetString(Encoding.Latin1.GetBytes(text));

    private static bool ReadWord(string line, ref int index, StringBuilder word)
    {
        while (index < line.Length)
        {
            char letter = line[index];
            if (IsBlank(letter) || letter == '\0')
                return true;
            index++;
            if (letter is '"' or '\'')
            {
                bool isClosed = letter == '"'
                    ? ReadQuoted(line, ref index, word)
                    : ReadVerbatim(line, ref index, word);
                return isClosed && (index == line.Length || IsBlank(line[index]));
            }
            word.Append(letter);
        }
        return true;
    }

    private static bool ReadQuoted(string line, ref int index, StringBuilder word)
    {
        while (index < line.Length)
        {
            char letter = line[index++];
            if (letter == '"')
                return true;
            if (letter == '\\' && index < line.Length)
                letter = ReadEscape(line, ref index);
            word.Append(letter);
        }
        return false;
    }

    private static char ReadEscape(string line, ref int index)
    {
        char letter = line[index++];
        if (letter == 'x' && index + 1 < line.Length
            && char.IsAsciiHexDigit(line[index]) && char.IsAsciiHexDigit(line[index + 1]))
        {
            index += 2;
            return (char)byte.Parse(
                line.AsSpan(index - 2, 2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
        }
        return letter switch
        {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\b',
            'a' => '\a',
            _ => letter,
        };
    }

    private static bool ReadVerbatim(string line, ref int index, StringBuilder word)
    {
        while (index < line.Length)
        {
            char letter = line[index++];
            if (letter == '\'')
                return true;
            if (letter == '\\' && index < line.Length && line[index] == '\'')
                letter = line[index++];
            word.Append(letter);
        }
        return false;
    }

    private static bool IsBlank(char letter) => letter is ' ' or '\n' or '\r' or '\t' or '\v' or '\f';
}
