namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>One word of any bytes.</summary>
public sealed class TextDirective(string name, string defaultText)
    : Directive(name, new DirectiveValue(defaultText))
{
    /// <summary>The error of an invalid word, in Redis's own text; null: none.</summary>
    internal Func<string, string?>? Check { get; set; }

    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (RequireOne(words) is string error)
            return error;
        if (Check?.Invoke(words[0]) is string fault)
            return fault;
        value = new DirectiveValue(words[0]);
        return null;
    }

    public override void Rewrite(DirectiveValue value, List<string> lines) =>
        lines.Add(Name + " " + ConfigurationText.Quote(value.Text));
}
