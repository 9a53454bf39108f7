using System.IO;

namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>
/// <c>dir</c>: where relative paths start. Its value is always the full path of a directory that exists. The
/// working directory of the process belongs to the program, which may follow this directive.
/// </summary>
public sealed class DirectoryDirective()
    : Directive("dir", new DirectiveValue(BytesOf(Directory.GetCurrentDirectory())))
{
    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (words.Count != 1)
            return "wrong number of arguments";
        if (words[0].Length == 0 || words[0].Contains('\0', StringComparison.Ordinal))
            return "No such file or directory";
        string path = Path.GetFullPath(ConfigurationText.ToPath(words[0]),
            ConfigurationText.ToPath(previous.Text));
        if (!Directory.Exists(path))
            return File.Exists(path) ? "Not a directory" : "No such file or directory";
        value = new DirectiveValue(BytesOf(path.Length > 1 ? Path.TrimEndingDirectorySeparator(path) : path));
        return null;
    }

    public override void Rewrite(DirectiveValue value, List<string> lines) =>
        lines.Add(Name + " " + ConfigurationText.Quote(value.Text));

    private static string BytesOf(string path) => Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(path));
}
