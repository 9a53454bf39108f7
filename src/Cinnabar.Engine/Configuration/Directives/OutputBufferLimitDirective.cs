namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>
/// <c>client-output-buffer-limit class hard soft seconds</c>, any number of classes at once; classes not
/// named keep their limits. CONFIG GET calls the replicas by their older name, as Redis does.
/// </summary>
public sealed class OutputBufferLimitDirective() : Directive(
    "client-output-buffer-limit",
    new DirectiveValue("normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"))
{
    private static readonly string[] s_classes = ["normal", "replica", "pubsub"];

    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (words.Count == 1 && words[0].Length == 0)
            return null;
        if (words.Count % 4 != 0)
            return "Wrong number of arguments in buffer limit configuration.";
        OutputBufferLimit[] limits = OutputBufferLimit.Decode(previous.Text);
        for (int index = 0; index < words.Count; index += 4)
        {
            int kind = ClassOf(words[index]);
            if (kind < 0)
                return "Invalid client class specified in buffer limit configuration.";
            if (!MemoryText.TryParse(words[index + 1], out ulong hard)
                || !MemoryText.TryParse(words[index + 2], out ulong soft)
                || hard > long.MaxValue || soft > long.MaxValue
                || !int.TryParse(words[index + 3], NumberStyles.AllowLeadingSign,
                    CultureInfo.InvariantCulture, out int seconds) || seconds < 0)
                return "Error in hard, soft or soft_seconds setting in buffer limit configuration.";
            limits[kind] = new OutputBufferLimit((long)hard, (long)soft, seconds);
        }
        value = new DirectiveValue(
            $"normal {TextOf(limits[0])} slave {TextOf(limits[1])} pubsub {TextOf(limits[2])}");
        return null;
    }

    public override void Rewrite(DirectiveValue value, List<string> lines)
    {
        OutputBufferLimit[] limits = OutputBufferLimit.Decode(value.Text);
        for (int index = 0; index < limits.Length; index++)
        {
            lines.Add(Name + " " + s_classes[index] + " " + MemoryText.Format((ulong)limits[index].HardBytes)
                + " " + MemoryText.Format((ulong)limits[index].SoftBytes)
                + " " + limits[index].SoftSeconds.ToString(CultureInfo.InvariantCulture));
        }
    }

    internal override bool IsNeeded(string line)
    {
        List<string> defaults = [];
        Rewrite(Default, defaults);
        return !defaults.Contains(line);
    }

    private static int ClassOf(string word) => word.ToLowerInvariant() switch
    {
        "normal" => 0,
        "slave" or "replica" => 1,
        "pubsub" => 2,
        _ => -1,
    };

    private static string TextOf(OutputBufferLimit limit) =>
        string.Create(CultureInfo.InvariantCulture,
            $"{limit.HardBytes} {limit.SoftBytes} {limit.SoftSeconds}");
}
