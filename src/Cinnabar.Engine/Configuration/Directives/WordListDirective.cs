namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>
/// Any number of words up to a limit, such as the addresses of <c>bind</c>; one empty word means none.
/// </summary>
public sealed class WordListDirective(string name, string defaultText, int countMax, string tooMany)
    : Directive(name, new DirectiveValue(defaultText))
{
    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (words.Count > countMax)
            return tooMany;
        value = new DirectiveValue(string.Join(' ', words));
        return null;
    }

    public override void Rewrite(DirectiveValue value, List<string> lines) =>
        lines.Add(Name + " " + (value.Text.Length == 0 ? "\"\"" : value.Text));
}
