namespace Cinnabar.Persistence.Journal;

/// <summary>A line of a manifest: pairs of a word and a value, of which those that no version knows are
/// skipped. A name with other than plain characters stands in quotes.</summary>
internal static class AofManifestLine
{
    private const string Invalid = "Invalid AOF manifest file format";

    /// <exception cref="FormatException">It is not one; the message is Redis's.</exception>
    internal static AofFile Parse(string line)
    {
        List<string> words = Split(line);
        if (words.Count < 6 || words.Count % 2 != 0)
            throw new FormatException(Invalid);
        (string? name, long sequence, AofFileKind? kind) = (null, 0, null);
        for (int index = 0; index < words.Count; index += 2)
        {
            string value = words[index + 1];
            switch (words[index].ToLowerInvariant())
            {
                case "file":
                    name = value.AsSpan().IndexOfAny('/', '\\') < 0 ? value
                        : throw new FormatException("File can't be a path, just a filename");
                    break;
                case "seq":
                    _ = long.TryParse(value, NumberStyles.Integer, CultureInfo.InvariantCulture,
                        out sequence);
                    break;
                case "type":
                    kind = KindOf(value);
                    break;
                default:
                    break;
            }
        }

        return name is { Length: > 0 } && sequence > 0 && kind is { } known
            ? new AofFile(name, sequence, known)
            : throw new FormatException(Invalid);
    }

    internal static void Append(StringBuilder text, AofFile file)
    {
        char letter = file.Kind switch
        {
            AofFileKind.Base => 'b',
            AofFileKind.Increment => 'i',
            _ => 'h',
        };
        text.Append("file ");
        AppendName(text, file.Name);
        text.Append(CultureInfo.InvariantCulture, $" seq {file.Sequence} type {letter}\n");
    }

    private static AofFileKind KindOf(string value) => value switch
    {
        "b" => AofFileKind.Base,
        "i" => AofFileKind.Increment,
        "h" => AofFileKind.History,
        _ => throw new FormatException("Unknown AOF file type"),
    };

    // Names are UTF-8; the manifest's text has a char a byte.
    private static void AppendName(StringBuilder text, string name)
    {
        name = Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(name));
        if (!NeedsQuotes(name))
        {
            text.Append(name);
            return;
        }

        text.Append('"');
        foreach (char one in name)
        {
            _ = one switch
            {
                '\\' or '"' => text.Append('\\').Append(one),
                '\n' => text.Append("\\n"),
                '\r' => text.Append("\\r"),
                '\t' => text.Append("\\t"),
                '\a' => text.Append("\\a"),
                '\b' => text.Append("\\b"),
                >= ' ' and <= '~' => text.Append(one),
                _ => text.Append(CultureInfo.InvariantCulture, $"\\x{(int)one:x2}"),
            };
        }

        text.Append('"');
    }

    private static bool NeedsQuotes(string name)
    {
        foreach (char one in name)
        {
            if (one is <= ' ' or > '~' or '\\' or '"' or '\'')
                return true;
        }

        return false;
    }

    private static List<string> Split(string line)
    {
        List<string> words = [];
        for (int at = 0; at < line.Length;)
        {
            if (char.IsWhiteSpace(line[at]))
            {
                at++;
                continue;
            }

            var word = new StringBuilder();
            at = line[at] switch
            {
                '"' => ReadQuoted(line, at + 1, word),
                '\'' => ReadVerbatim(line, at + 1, word),
                _ => ReadPlain(line, at, word),
            };
            words.Add(Encoding.UTF8.GetString(Encoding.Latin1.GetBytes(word.ToString())));
        }

        return words;
    }

    private static int ReadPlain(string line, int at, StringBuilder word)
    {
        for (; at < line.Length && !char.IsWhiteSpace(line[at]); at++)
            word.Append(line[at]);
        return at;
    }

    private static int ReadVerbatim(string line, int at, StringBuilder word)
    {
        for (; at < line.Length; at++)
        {
            if (line[at] == '\'')
                return at + 1;
            if (line[at] == '\\' && at + 1 < line.Length && line[at + 1] == '\'')
                at++;
            word.Append(line[at]);
        }

        throw new FormatException(Invalid);
    }

    private static int ReadQuoted(string line, int at, StringBuilder word)
    {
        for (; at < line.Length; at++)
        {
            if (line[at] == '"')
                return at + 1;
            if (line[at] != '\\' || at + 1 == line.Length)
            {
                word.Append(line[at]);
                continue;
            }

            at++;
            if (line[at] == 'x' && at + 2 < line.Length
                && byte.TryParse(line.AsSpan(at + 1, 2), NumberStyles.HexNumber, null, out byte value))
            {
                word.Append((char)value);
                at += 2;
                continue;
            }

            word.Append(line[at] switch
            {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'a' => '\a',
                'b' => '\b',
                char other => other,
            });
        }

        throw new FormatException(Invalid);
    }
}
