namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>
/// Pairs of seconds and changes; lines of a file add up, an empty word forgets those before it. A line
/// without arguments forgets the default only.
/// </summary>
public sealed class SaveDirective() : Directive("save", new DirectiveValue("3600 1 300 100 60 10000"))
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
        if (words.Count % 2 != 0)
            return "Invalid save parameters";
        StringBuilder text = new(isRepeated ? previous.Text : "");
        for (int index = 0; index < words.Count; index += 2)
        {
            if (!DecimalText.TryParse(words[index], out long seconds) || seconds < 1)
                return "Invalid save parameters";
            if (!DecimalText.TryParse(words[index + 1], out long changes) || changes is < 0 or > int.MaxValue)
                return "Invalid save parameters";
            if (text.Length > 0)
                text.Append(' ');
            text.Append(seconds).Append(' ').Append(changes);
        }
        value = new DirectiveValue(text.ToString());
        return null;
    }

    public override void Rewrite(DirectiveValue value, List<string> lines)
    {
        if (value.Text.Length == 0)
        {
            lines.Add("save \"\"");
            return;
        }
        string[] words = value.Text.Split(' ');
        for (int index = 0; index < words.Length; index += 2)
            lines.Add($"save {words[index]} {words[index + 1]}");
    }
}
