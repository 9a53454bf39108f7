namespace Cinnabar.Engine.Configuration.Directives;

/// <summary><c>replicaof host port</c>, or <c>no one</c>.</summary>
public sealed class ReplicaOfDirective() : Directive("replicaof", new DirectiveValue(""))
{
    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (words.Count != 2)
            return "wrong number of arguments";
        if (words[0].Equals("no", StringComparison.OrdinalIgnoreCase)
            && words[1].Equals("one", StringComparison.OrdinalIgnoreCase))
        {
            value = new DirectiveValue("");
            return null;
        }
        if (!DecimalText.TryParse(words[1], out long port) || port is < 0 or > 65535)
            return "Invalid master port";
        value = new DirectiveValue(words[0] + " " + words[1]);
        return null;
    }

    public override void Rewrite(DirectiveValue value, List<string> lines)
    {
        if (value.Text.Length > 0)
            base.Rewrite(value, lines);
    }
}
