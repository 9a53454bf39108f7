namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>
/// Several of a fixed set of words at once, as in <c>shutdown-on-sigterm</c>. The first word means none of
/// the others; the number has one bit for each of them.
/// </summary>
public sealed class FlagsDirective(string name, string[] choices)
    : Directive(name, new DirectiveValue(choices[0]))
{
    /// <summary>
    /// The error of an invalid combination of valid words, in Redis's words; null: none.
    /// </summary>
    internal Func<long, string?>? Check { get; init; }

    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (words.Count == 0)
            return Expectation;
        long bits = 0;
        foreach (string word in words)
        {
            int index = Array.FindIndex(choices, choice =>
                choice.Equals(word, StringComparison.OrdinalIgnoreCase));
            if (index < 0)
                return Expectation;
            if (index > 0)
                bits |= 1L << (index - 1);
        }
        if (Check?.Invoke(bits) is string error)
            return error;
        value = new DirectiveValue(TextOf(bits), bits);
        return null;
    }

    private string Expectation =>
        "argument(s) must be one of the following: " + string.Join(", ", choices);

    private string TextOf(long bits)
    {
        if (bits == 0)
            return choices[0];
        List<string> names = [];
        for (int index = 1; index < choices.Length; index++)
        {
            if ((bits & (1L << (index - 1))) != 0)
                names.Add(choices[index]);
        }
        return string.Join(' ', names);
    }
}
