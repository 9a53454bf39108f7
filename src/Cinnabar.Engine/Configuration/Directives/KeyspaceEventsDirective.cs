namespace Cinnabar.Engine.Configuration.Directives;

/// <summary>A string of one-letter event classes; letters come back in Redis's order. Redis shows and writes
/// back no n, o and c behind A, although A does not contain them; here they stay.</summary>
public sealed class KeyspaceEventsDirective() : Directive("notify-keyspace-events", new DirectiveValue(""))
{
    // The first ten are the members of A; the others follow in the order in which Redis prints them.
    private const string Letters = "g$lshzxetdnocKEm";
    private const int LettersOfAll = 10;

    private static readonly KeyspaceEvents[] s_events =
    [
        KeyspaceEvents.Generic, KeyspaceEvents.String, KeyspaceEvents.List, KeyspaceEvents.Set,
        KeyspaceEvents.Hash, KeyspaceEvents.SortedSet, KeyspaceEvents.Expired, KeyspaceEvents.Evicted,
        KeyspaceEvents.Stream, KeyspaceEvents.Module, KeyspaceEvents.New, KeyspaceEvents.Overwritten,
        KeyspaceEvents.TypeChanged, KeyspaceEvents.Keyspace, KeyspaceEvents.Keyevent, KeyspaceEvents.KeyMiss,
    ];

    public override string? Parse(
        IReadOnlyList<string> words, DirectiveValue previous, bool isRepeated, out DirectiveValue value)
    {
        value = previous;
        if (RequireOne(words) is string error)
            return error;
        KeyspaceEvents events = KeyspaceEvents.None;
        foreach (char letter in words[0])
        {
            int index = Letters.IndexOf(letter);
            if (letter == 'A')
                events |= KeyspaceEvents.All;
            else if (index >= 0)
                events |= s_events[index];
            else
                return "Invalid event class character. Use 'Ag$lshzxeKEtmdnoc'.";
        }
        value = new DirectiveValue(TextOf(events), (long)events);
        return null;
    }

    public override void Rewrite(DirectiveValue value, List<string> lines) =>
        lines.Add(Name + " " + ConfigurationText.Quote(value.Text));

    private static string TextOf(KeyspaceEvents events)
    {
        StringBuilder text = new();
        bool hasAll = (events & KeyspaceEvents.All) == KeyspaceEvents.All;
        if (hasAll)
            text.Append('A');
        for (int index = hasAll ? LettersOfAll : 0; index < Letters.Length; index++)
        {
            if ((events & s_events[index]) != 0)
                text.Append(Letters[index]);
        }
        return text.ToString();
    }
}
