namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>yes or no.</summary>
public sealed class BooleanDirective(string name, bool isOn) : Directive(name, ValueOf(isOn))
{
    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (RequireOne(words) is string error)
            return error;
        if (words[0].Equals("yes", StringComparison.OrdinalIgnoreCase))
            value = ValueOf(true);
        else if (words[0].Equals("no", StringComparison.OrdinalIgnoreCase))
            value = ValueOf(false);
        else
            return "argument must be 'yes' or 'no'";
        return null;
    }

    private static DirectiveValue ValueOf(bool isOn) =>
        isOn ? new DirectiveValue("yes", 1) : new DirectiveValue("no");
}
