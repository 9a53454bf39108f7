namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>One of a fixed set of words; its number is its position in that set.</summary>
public sealed class EnumerationDirective(string name, string defaultWord, string[] choices)
    : Directive(name, new DirectiveValue(defaultWord, Array.IndexOf(choices, defaultWord)))
{
    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (RequireOne(words) is string error)
            return error;
        for (int index = 0; index < choices.Length; index++)
        {
            if (!words[0].Equals(choices[index], StringComparison.OrdinalIgnoreCase))
                continue;
            value = new DirectiveValue(choices[index], index);
            return null;
        }
        return "argument(s) must be one of the following: " + string.Join(", ", choices);
    }
}
