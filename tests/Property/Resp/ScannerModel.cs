using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using Cinnabar.Resp;

namespace Cinnabar.Tests.Property.Resp;

/// <summary>The request protocol once more, the simple way: on a string, from the start, without
/// state.</summary>
internal static class ScannerModel
{
    private static readonly Regex s_number = new(@"^(0|-?[1-9][0-9]{0,18})\z");

    /// <summary>The outcome of each command of the input, up to an error or the input's end.</summary>
    internal static List<string> Scan(byte[] bytes)
    {
        string input = Encoding.Latin1.GetString(bytes);
        List<string> outcomes = [];
        do
        {
            outcomes.Add(input.StartsWith('*') ? ScanArray(ref input) : ScanLine(ref input));
        }
        while (outcomes[^1].StartsWith("Command") || outcomes[^1] == "Empty");

        return outcomes;
    }

    private static string ScanArray(ref string input)
    {
        string rest = input;
        if (!TakeLine(ref rest, out string line))
        {
            return "NeedMore";
        }

        if (!IsNumber(line[1..], out long count) || count > int.MaxValue)
        {
            return nameof(ScanError.InvalidMultibulkLength);
        }

        List<string> words = [];
        while (words.Count < count)
        {
            if (!TakeLine(ref rest, out line))
            {
                return "NeedMore";
            }

            if (!line.StartsWith('$'))
            {
                return nameof(ScanError.ExpectedDollar);
            }

            if (!IsNumber(line[1..], out long size) || size < 0 || size > ScanLimits.BulkBytesMaxDefault)
            {
                return nameof(ScanError.InvalidBulkLength);
            }

            if (rest.Length < size + 2)
            {
                return "NeedMore";
            }

            words.Add(rest[..(int)size]);
            rest = rest[((int)size + 2)..];
        }

        input = rest;
        return count <= 0 ? "Empty" : "Command " + string.Join('|', words);
    }

    private static bool TakeLine(ref string rest, out string line)
    {
        int end = rest.IndexOf('\r');
        line = end < 0 ? "" : rest[..end];
        if (end < 0 || end + 2 > rest.Length)
        {
            return false;
        }

        rest = rest[(end + 2)..];
        return true;
    }

    private static bool IsNumber(string text, out long value)
    {
        value = 0;
        return s_number.IsMatch(text) && long.TryParse(text, CultureInfo.InvariantCulture, out value);
    }

    private static string ScanLine(ref string input)
    {
        int end = input.IndexOf('\n');
        if (end < 0)
        {
            return "NeedMore";
        }

        string line = input[..end];
        input = input[(end + 1)..];

        // A word: bytes that neither end it nor quote, then perhaps a quote, which must end before a space.
        const string word = """[^ \t\r\n"']*(?:"(?:\\(?s:.)|[^"\\])*"(?=[\s-[\x85\xa0]]|\z)"""
            + """|'(?>\\'|[^'])*'(?=[\s-[\x85\xa0]]|\z)|(?=[ \t\r\n]|\z))""";
        const string space = @"[\t-\r ]*";
        Match match = Regex.Match(line, $@"\A{space}(?:(?>(?<word>(?![\t-\r ]|\z){word})){space})*\z");
        if (!match.Success)
        {
            return nameof(ScanError.UnbalancedQuotes);
        }

        IEnumerable<string> words = match.Groups["word"].Captures.Select(capture => Unquote(capture.Value));
        return match.Groups["word"].Captures.Count == 0 ? "Empty" : "Command " + string.Join('|', words);
    }

    private static string Unquote(string word)
    {
        int quote = word.IndexOfAny(['"', '\'']);
        if (quote < 0)
        {
            return word;
        }

        string inside = word[(quote + 1)..^1];
        string pattern = word[quote] == '"' ? @"\\(x[0-9a-fA-F]{2}|(?s:.))" : @"\\(')";
        return word[..quote] + Regex.Replace(inside, pattern, match => match.Groups[1].Value switch
        {
            { Length: 3 } hex => $"{(char)int.Parse(hex[1..], NumberStyles.HexNumber, null)}",
            "n" => "\n",
            "r" => "\r",
            "t" => "\t",
            "b" => "\b",
            "a" => "\a",
            string other => other,
        });
    }
}
