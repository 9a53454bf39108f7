namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>An amount of memory, or, where allowed, a percentage: of maxmemory, or for maxmemory itself of
/// what there is.</summary>
public sealed class MemoryDirective(string name, long defaultBytes, long minimum, long maximum,
    bool isPercentAllowed)
    : Directive(name, new DirectiveValue(defaultBytes.ToString(CultureInfo.InvariantCulture), defaultBytes))
{
    /// <summary>The minimum, to which smaller amounts are raised.</summary>
    internal ulong Lowest { get; init; }

    /// <summary>Whether Redis takes no percentage here: its error does not speak of one.</summary>
    internal bool IsPercentOwn { get; init; }

    /// <summary>Whether -1 is a value: no limit.</summary>
    internal bool IsUnlimitedAllowed { get; init; }

    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (RequireOne(words) is string error)
            return error;
        string word = words[0];
        if (IsUnlimitedAllowed && word == "-1")
        {
            value = new DirectiveValue(word, -1);
            return null;
        }

        if (isPercentAllowed && word.EndsWith('%') && DecimalText.TryParse(word[..^1], out long percent)
            && percent >= 0)
        {
            if (percent > 100)
                return "percentage argument must be less or equal to 100";
            value = percent == 0
                ? new DirectiveValue("0")
                : new DirectiveValue(percent.ToString(CultureInfo.InvariantCulture) + "%", -percent);
            return null;
        }
        if (!MemoryText.TryParse(word, out ulong bytes))
            return isPercentAllowed && !IsPercentOwn
                ? "argument must be a memory or percent value"
                : "argument must be a memory value";
        if (bytes > (ulong)maximum || (minimum > 0 && bytes < (ulong)minimum))
            return $"argument must be between {minimum} and {maximum} inclusive";
        bytes = Math.Max(bytes, Lowest);
        value = new DirectiveValue(bytes.ToString(CultureInfo.InvariantCulture), (long)bytes);
        return null;
    }

    public override void Rewrite(DirectiveValue value, List<string> lines) =>
        lines.Add(Name + " " + (value.Number < 0 ? value.Text : MemoryText.Format((ulong)value.Number)));
}
