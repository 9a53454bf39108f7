using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Cinnabar.Load.Requests;

/// <summary>A command of a load: its words, in which <c>__key__</c>, <c>__data__</c> and <c>__rand_int__</c>
/// are replaced anew for every request and at each place; how often it comes beside the others; and in which
/// order it visits the keys.</summary>
public sealed record CommandTemplate(IReadOnlyList<string> Words, int Weight = 1,
    KeyPattern Pattern = KeyPattern.Random)
{
    /// <summary>Replaced by a key of the load's key space.</summary>
    public const string KeyPlace = "__key__";

    /// <summary>Replaced by a value of the load's data sizes.</summary>
    public const string DataPlace = "__data__";

    /// <summary>Replaced by twelve digits, a random key number.</summary>
    public const string NumberPlace = "__rand_int__";

    /// <summary>The command's name, in capitals, as in results.</summary>
    public string Name => Words[0].ToUpperInvariant();

    /// <summary>GET of a key.</summary>
    public static CommandTemplate Get(int weight = 1, KeyPattern pattern = KeyPattern.Random) =>
        new(["GET", KeyPlace], weight, pattern);

    /// <summary>SET of a key to a value.</summary>
    public static CommandTemplate Set(int weight = 1, KeyPattern pattern = KeyPattern.Random) =>
        new(["SET", KeyPlace, DataPlace], weight, pattern);

    /// <summary>Reads a line: words parted by blanks; quotes keep words together, and within double quotes
    /// <c>\n \r \t \\ \" \xHH</c> stand for bytes.</summary>
    /// <exception cref="LoadException">The line is empty or a quote is not closed.</exception>
    public static CommandTemplate Parse(string line, int weight = 1,
        KeyPattern pattern = KeyPattern.Random) => new(SplitWords(line), weight, pattern);

    /// <summary>The words of a line, as <see cref="Parse"/> reads them.</summary>
    /// <exception cref="LoadException">The line is empty or a quote is not closed.</exception>
    public static IReadOnlyList<string> SplitWords(string line)
    {
        var words = new List<string>();
        StringBuilder? word = null;
        char quote = '\0';
        for (int at = 0; at < line.Length; at++)
        {
            char letter = line[at];
            if (quote == '"' && letter == '\\' && at + 1 < line.Length) word!.Append(Escaped(line, ref at));
            else if (quote != '\0' && letter == quote) quote = '\0';
            else if (quote == '\0' && letter is '"' or '\'')
                (quote, word) = (letter, word ?? new());
            else if (quote == '\0' && char.IsWhiteSpace(letter))
            {
                if (word is not null) words.Add(word.ToString());
                word = null;
            }
            else (word ??= new()).Append(letter);
        }
        if (quote != '\0') throw new LoadException($"a quote is not closed: {line}");
        if (word is not null) words.Add(word.ToString());
        return words.Count > 0 ? words : throw new LoadException("a command is empty");
    }

    /// <summary>Whether any word holds a place of this kind.</summary>
    internal bool Has(string place) =>
        Words.Any(word => word.Contains(place, StringComparison.Ordinal));

    private static char Escaped(string line, ref int at)
    {
        char letter = line[++at];
        bool isHex = letter == 'x' && at + 2 < line.Length
            && Uri.IsHexDigit(line[at + 1]) && Uri.IsHexDigit(line[at + 2]);
        if (isHex)
        {
            at += 2;
            return (char)Convert.ToInt32(line[(at - 1)..(at + 1)], 16);
        }
        return letter switch { 'n' => '\n', 'r' => '\r', 't' => '\t', _ => letter };
    }
}
