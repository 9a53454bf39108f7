using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace Tidy;

/// <summary>
/// Rewraps the comments of a file that have a line too long, as <c>./x fmt</c> does for all files.
///
/// A paragraph is rewrapped as a whole, and only if one of its lines is too long. A paragraph ends where a
/// line is empty, is a documentation tag alone, begins with another tag, or is a picture: a line with a run
/// of three blanks, or of a table's strokes, is never touched.
/// </summary>
internal static partial class CommentWrap
{
    /// <summary>The most columns of a line.</summary>
    public const int ColumnCountMax = 110;

    /// <summary>Rewraps the comments of a file; gives whether anything changed.</summary>
    public static bool Run(string path)
    {
        string text = File.ReadAllText(path);
        string wrapped = Wrap(text);
        if (wrapped == text) return false;
        File.WriteAllText(path, wrapped);
        return true;
    }

    /// <summary>The text with its comments rewrapped.</summary>
    public static string Wrap(string text)
    {
        var result = new List<string>();
        var paragraph = new List<string>();
        string start = "";
        foreach (string line in text.Split('\n'))
        {
            Match comment = CommentLine().Match(line);
            bool isPlain = comment.Success && !IsFixed(comment.Groups["text"].Value);
            bool isNext = isPlain && comment.Groups["start"].Value == start
                && !comment.Groups["text"].Value.StartsWith('<');
            if (!isNext) Flush(result, paragraph, start);
            start = isPlain ? comment.Groups["start"].Value : "";
            (isPlain ? paragraph : result).Add(line);
        }
        Flush(result, paragraph, start);
        return string.Join('\n', result);
    }

    [GeneratedRegex(@"^(?<start> *///?) (?<text>\S.*)$")]
    private static partial Regex CommentLine();

    [GeneratedRegex(@"\S {3,}\S|[-=─│┌└├|+]{3,}|^</?\w+>$|^[-*] |^\d+\. |://")]
    private static partial Regex Picture();

    // A tag with its attributes is one word.
    [GeneratedRegex(@"(?:</?[a-z][^<>]*>|\S)+")]
    private static partial Regex Word();

    private static bool IsFixed(string text) => Picture().IsMatch(text);

    private static void Flush(List<string> result, List<string> paragraph, string start)
    {
        if (paragraph.All(line => line.Length <= ColumnCountMax)) result.AddRange(paragraph);
        else
        {
            var texts = paragraph.Select(line => line[(start.Length + 1)..]);
            result.AddRange(Break(string.Join(' ', texts), start));
        }
        paragraph.Clear();
    }

    private static IEnumerable<string> Break(string text, string start)
    {
        string line = start;
        foreach (string word in Word().Matches(text).Select(match => match.Value))
        {
            if (line.Length + 1 + word.Length > ColumnCountMax && line != start)
            {
                yield return line;
                line = start;
            }
            line += " " + word;
        }
        yield return line;
    }
}
