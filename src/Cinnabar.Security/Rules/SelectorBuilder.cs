// Rules change a selector one by one, in order. Of the rules of commands the text is kept, since the set
// alone does not say how a user wants future commands treated: "+@read" is another rule than "+get +mget …".
// A rule removes the earlier ones that it overrides:
//
//     +@all          removes all                    +config    removes +config|get, -config|set, -config
//     +@read         removes -@read and +@read      +get       removes -get and +get
//
// so that a text does not grow, and applying it to an empty selector gives the same selector.

using Cinnabar.Security.Keys;

namespace Cinnabar.Security.Rules;

/// <summary>Applies rules and makes a <see cref="Selector"/> of them.</summary>
internal sealed class SelectorBuilder
{
    private readonly IAclCommands _all;

    /// <summary>A selector that allows nothing but all databases.</summary>
    public SelectorBuilder(IAclCommands all)
    {
        _all = all;
        Commands = new CommandSet(all.NumberEnd);
    }

    /// <summary>A selector that allows everything.</summary>
    public static Selector Unrestricted(IAclCommands all)
    {
        var builder = new SelectorBuilder(all) { HasAllKeys = true, HasAllChannels = true };
        builder.SetAllCommands(isAllowed: true);
        return new Selector(builder);
    }

    /// <summary>Begins with the rules of a selector.</summary>
    public SelectorBuilder(IAclCommands all, Selector selector)
        : this(all)
    {
        // Its text makes it again; so there is one way to make one.
        foreach (string rule in selector.ToString().Split(' '))
        {
            string? error = Apply(rule);
            Debug.Assert(error is null, "a selector's own rules are right");
        }
    }

    public bool HasAllCommands { get; private set; }

    public bool StartsWithAllCommands { get; private set; }

    public bool HasAllKeys { get; private set; }

    public bool HasAllChannels { get; set; }

    public bool HasAllDatabases { get; private set; } = true;

    public CommandSet Commands { get; }

    public Dictionary<int, List<string>> FirstArguments { get; } = [];

    public List<KeyPattern> Keys { get; } = [];

    public List<string> Channels { get; } = [];

    public SortedSet<int> Databases { get; } = [];

    public List<string> CommandRules { get; } = [];

    /// <summary>Applies a rule.</summary>
    /// <returns>What is wrong with it, or null.</returns>
    public string? Apply(string rule)
    {
        if (Is(rule, "allkeys") || rule == "~*")
            return Do(() => (HasAllKeys, _) = (true, Clear(Keys)));
        if (Is(rule, "resetkeys"))
            return Do(() => (HasAllKeys, _) = (false, Clear(Keys)));
        if (Is(rule, "allchannels") || rule == "&*")
            return Do(() => (HasAllChannels, _) = (true, Clear(Channels)));
        if (Is(rule, "resetchannels"))
            return Do(() => (HasAllChannels, _) = (false, Clear(Channels)));
        if (Is(rule, "allcommands") || Is(rule, "+@all"))
            return Do(() => SetAllCommands(isAllowed: true));
        if (Is(rule, "nocommands") || Is(rule, "-@all"))
            return Do(() => SetAllCommands(isAllowed: false));
        if (Is(rule, "alldbs"))
            return Do(() => (HasAllDatabases, _) = (true, Clear(Databases)));
        if (Is(rule, "resetdbs"))
            return Do(() => (HasAllDatabases, _) = (false, Clear(Databases)));
        if (rule.StartsWith("db=", StringComparison.OrdinalIgnoreCase))
            return SetDatabases(rule["db=".Length..]);
        return rule.Length == 0 ? RuleErrors.Syntax : rule[0] switch
        {
            '~' or '%' => AddKeys(rule),
            '&' => AddChannel(rule[1..]),
            '+' or '-' when rule.Length > 1 && rule[1] == '@' => SetCategory(rule[2..], rule[0] == '+'),
            '+' or '-' => SetCommand(rule[1..], rule[0] == '+'),
            _ => RuleErrors.Syntax,
        };
    }

    private static bool Is(string rule, string word) => rule.Equals(word, StringComparison.OrdinalIgnoreCase);

    private static string? Do(Action action)
    {
        action();
        return null;
    }

    private static int Clear<T>(ICollection<T> items)
    {
        items.Clear();
        return 0;
    }

    private static bool HasSpaces(string text) => text.AsSpan().IndexOfAny(" \t\r\n\v\f\0") >= 0;

    private string? AddKeys(string rule)
    {
        if (HasAllKeys)
            return RuleErrors.PatternAfterAll;
        KeyAccess access = KeyAccess.None;
        int index = 0;
        if (rule[0] == '~')
            access = KeyAccess.ReadWrite;
        for (index = 1; rule[0] == '%' && index < rule.Length && rule[index] != '~'; index++)
        {
            KeyAccess letter = char.ToUpperInvariant(rule[index]) switch
            {
                'R' => KeyAccess.Read,
                'W' => KeyAccess.Write,
                _ => KeyAccess.None,
            };
            if (letter == KeyAccess.None || (access & letter) != 0)
                return RuleErrors.Syntax;
            access |= letter;
        }

        if (rule[0] == '%' && (index == rule.Length || access == KeyAccess.None))
            return RuleErrors.Syntax;
        string pattern = rule[0] == '~' ? rule[1..] : rule[(index + 1)..];
        if (HasSpaces(pattern))
            return RuleErrors.Syntax;
        int known = Keys.FindIndex(other => other.Pattern == pattern);
        if (known < 0)
            Keys.Add(new KeyPattern(access, pattern));
        else
            Keys[known] = new KeyPattern(Keys[known].Access | access, pattern);
        return null;
    }

    private string? AddChannel(string pattern)
    {
        if (HasAllChannels)
            return RuleErrors.ChannelAfterAll;
        if (HasSpaces(pattern))
            return RuleErrors.Syntax;
        if (!Channels.Contains(pattern))
            Channels.Add(pattern);
        return null;
    }

    // Each such rule replaces the one before.
    private string? SetDatabases(string list)
    {
        List<int> numbers = [];
        foreach (string word in list.Split(','))
        {
            if (!long.TryParse(
                word, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number))
                return RuleErrors.Syntax;
            if (number is < 0 or > int.MaxValue)
                return RuleErrors.DatabaseRange;
            numbers.Add((int)number);
        }

        HasAllDatabases = false;
        Databases.Clear();
        Databases.UnionWith(numbers);
        return null;
    }

    private void SetAllCommands(bool isAllowed)
    {
        HasAllCommands = StartsWithAllCommands = isAllowed;
        Commands.SetAll(isAllowed);
        FirstArguments.Clear();
        CommandRules.Clear();
    }

    private string? SetCategory(string name, bool isAllowed)
    {
        AclCategories category = AclCategoryNames.Find(Encoding.Latin1.GetBytes(name));
        if (category == AclCategories.None)
            return RuleErrors.UnknownCommand;
        foreach (IAclCommand command in _all.All)
        {
            if ((command.Categories & category) != 0)
                SetOne(command, isAllowed);
        }

        AddRule("@" + name.ToLowerInvariant(), isAllowed);
        return null;
    }

    private string? SetCommand(string name, bool isAllowed)
    {
        int bar = name.LastIndexOf('|');
        if (_all.Find(name) is { } command)
        {
            SetOne(command, isAllowed);
            foreach (IAclCommand other in _all.All)
            {
                if (other.ContainerNumber == command.Number)
                    SetOne(other, isAllowed);
            }

            AddRule(command.FullName, isAllowed);
            return null;
        }

        if (bar < 0 || !isAllowed || _all.Find(name[..bar]) is not { } owner)
            return RuleErrors.UnknownCommand;
        if (owner.ContainerNumber != 0)
            return RuleErrors.FirstArgumentOfSubcommand;
        if (bar == name.Length - 1)
            return RuleErrors.Syntax;
        if (owner.HasSubcommands)
            return RuleErrors.UnknownCommand;
        return AddFirstArgument(owner, name[(bar + 1)..].ToLowerInvariant());
    }

    private string? AddFirstArgument(IAclCommand command, string argument)
    {
        if (HasSpaces(argument))
            return RuleErrors.Syntax;
        if (Commands.Has(command.Number))
            return null;
        if (!FirstArguments.TryGetValue(command.Number, out List<string>? arguments))
            FirstArguments.Add(command.Number, arguments = []);
        if (!arguments.Contains(argument))
            arguments.Add(argument);
        AddRule($"{command.FullName}|{argument}", isAllowed: true);
        return null;
    }

    // What allows a command, or forbids it, replaces what was said of its first arguments.
    private void SetOne(IAclCommand command, bool isAllowed)
    {
        Commands.Set(command.Number, isAllowed);
        FirstArguments.Remove(command.Number);
        HasAllCommands &= isAllowed;
    }

    private void AddRule(string name, bool isAllowed)
    {
        CommandRules.RemoveAll(rule => rule.AsSpan(1).SequenceEqual(name)
            || rule.AsSpan(1).StartsWith(name + "|"));
        CommandRules.Add((isAllowed ? "+" : "-") + name);
        if (!StartsWithAllCommands)
            return;
        // What all commands allow already needs no rule.
        int needless = CommandRules.FindIndex(static rule => rule[0] == '-');
        CommandRules.RemoveRange(0, needless < 0 ? CommandRules.Count : needless);
        HasAllCommands = CommandRules.Count == 0;
    }
}
