namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>The percentiles that INFO latencystats shows; one empty word means none.</summary>
public sealed class PercentilesDirective()
    : Directive("latency-tracking-info-percentiles", new DirectiveValue("50 99 99.9"))
{
    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (words.Count == 1 && words[0].Length == 0)
        {
            value = new DirectiveValue("");
            return null;
        }
        string[] texts = new string[words.Count];
        for (int index = 0; index < texts.Length; index++)
        {
            if (!RedisNumber.TryParseDouble(Encoding.Latin1.GetBytes(words[index]), out double percentile))
                return "Invalid latency-tracking-info-percentiles parameters";
            if (!(percentile >= 0 && percentile <= 100))
                return "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]";
            texts[index] = percentile.ToString("0.######", CultureInfo.InvariantCulture);
        }
        value = new DirectiveValue(string.Join(' ', texts));
        return null;
    }

    public override void Rewrite(DirectiveValue value, List<string> lines) =>
        lines.Add(Name + " " + (value.Text.Length == 0 ? "\"\"" : value.Text));

    /// <summary>The numbers in the canonical text.</summary>
    internal static double[] Decode(string text) => text.Length == 0
        ? []
        : Array.ConvertAll(text.Split(' '), word => double.Parse(word, CultureInfo.InvariantCulture));
}
