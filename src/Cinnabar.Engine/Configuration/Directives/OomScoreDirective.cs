namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>Three scores for the kernel's memory killer: master, replica, background child.</summary>
public sealed class OomScoreDirective() : Directive("oom-score-adj-values", new DirectiveValue("0 200 800"))
{
    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (words.Count != 3)
            return "wrong number of arguments";
        foreach (string word in words)
        {
            if (!DecimalText.TryParse(word, out long score) || score is < -2000 or > 2000)
                return "Invalid oom-score-adj-values, elements must be between -2000 and 2000.";
        }
        value = new DirectiveValue(string.Join(' ', words));
        return null;
    }
}
