using Cinnabar.Security.Rules;

namespace Cinnabar.Security.Users;

/// <summary>Applies rules to a user, in order.</summary>
public sealed class UserBuilder
{
    private readonly IAclCommands _commands;
    private readonly bool _hasChannelsAtFirst;
    private readonly List<Selector> _others = [];
    private SelectorBuilder _root;
    private SanitizePayload _sanitizes;

    /// <summary>Begins with a new user, who may do nothing.</summary>
    /// <param name="commands">All commands.</param>
    /// <param name="name">Its name, one char a byte.</param>
    /// <param name="hasChannelsAtFirst">Whether it may use all channels.</param>
    public UserBuilder(IAclCommands commands, string name, bool hasChannelsAtFirst)
    {
        _commands = commands;
        _hasChannelsAtFirst = hasChannelsAtFirst;
        Name = name;
        _root = NewSelector();
    }

    /// <summary>Begins with a user as it is.</summary>
    public UserBuilder(IAclCommands commands, User user, bool hasChannelsAtFirst)
        : this(commands, user.Name, hasChannelsAtFirst)
    {
        IsEnabled = user.IsEnabled;
        NeedsNoPassword = user.NeedsNoPassword;
        Passwords.AddRange(user.Passwords);
        foreach (string flag in user.Flags)
            _sanitizes = SanitizeWord(flag) ?? _sanitizes;
        _root = new SelectorBuilder(commands, user.Selectors[0]);
        foreach (Selector selector in user.Selectors[1..])
            _others.Add(selector);
    }

    private enum SanitizePayload
    {
        Unsaid,
        Yes,
        No,
    }

    internal string Name { get; }

    internal bool IsEnabled { get; private set; }

    internal bool NeedsNoPassword { get; private set; }

    internal List<PasswordHash> Passwords { get; } = [];

    /// <summary>A default user who may do everything without a password.</summary>
    public static User MakeDefault(IAclCommands commands) =>
        MakeUnrestricted(commands, UserTable.DefaultName);

    /// <summary>A user who may do everything without a password.</summary>
    public static User MakeUnrestricted(IAclCommands commands, string name)
    {
        var builder = new UserBuilder(commands, name, hasChannelsAtFirst: false);
        foreach (string rule in (string[])["on", "nopass", "~*", "&*", "+@all"])
            builder.Apply(rule);
        return builder.Build();
    }

    /// <summary>Applies a rule; an empty one does nothing.</summary>
    /// <returns>What is wrong with it, in Redis's words, or null.</returns>
    public string? Apply(string rule)
    {
        if (rule.Length == 0)
            return null;
        if (rule.StartsWith('(') && rule.EndsWith(')'))
            return AddSelector(rule[1..^1]);
        if (SanitizeWord(rule.ToLowerInvariant()) is { } sanitizes)
            return Done(_sanitizes = sanitizes);
        switch (rule.ToLowerInvariant())
        {
            case "on": return Done(IsEnabled = true);
            case "off": return Done(IsEnabled = false);
            case "nopass":
                Passwords.Clear();
                return Done(NeedsNoPassword = true);
            case "resetpass":
                Passwords.Clear();
                return Done(NeedsNoPassword = false);
            case "clearselectors":
                _others.Clear();
                return null;
            case "reset":
                Reset();
                return null;
            default:
                return rule[0] is '>' or '<' or '#' or '!'
                    ? ApplyPassword(rule) : _root.Apply(rule);
        }
    }

    /// <summary>Applies several rules.</summary>
    /// <param name="words">Rules as a client or a file has separated them, by spaces.</param>
    /// <returns>The first that is wrong, or null.</returns>
    public RuleFault? ApplyAll(IEnumerable<string> words)
    {
        if (Join(words, out List<string> rules) is { } open)
            return new RuleFault(open, RuleErrors.OpenSelector);
        foreach (string rule in rules)
        {
            if (Apply(rule) is { } error)
                return new RuleFault(rule, error);
        }

        return null;
    }

    /// <summary>Makes the user.</summary>
    public User Build() => new(this);

    internal List<string> Flags()
    {
        List<string> flags = [IsEnabled ? "on" : "off"];
        if (NeedsNoPassword)
            flags.Add("nopass");
        if (_sanitizes != SanitizePayload.Unsaid)
            flags.Add(_sanitizes == SanitizePayload.Yes ? "sanitize-payload" : "skip-sanitize-payload");
        return flags;
    }

    internal Selector[] Selectors() => [new Selector(_root), .. _others];

    private static string? Done<T>(T _) => null;

    private static SanitizePayload? SanitizeWord(string word) => word switch
    {
        "sanitize-payload" => SanitizePayload.Yes,
        "skip-sanitize-payload" => SanitizePayload.No,
        _ => null,
    };

    // Joins the words that a pair of parentheses holds; the word with a parenthesis that has no end, or null.
    private static string? Join(IEnumerable<string> words, out List<string> rules)
    {
        rules = [];
        string? open = null;
        string first = "";
        foreach (string word in words)
        {
            if (open is null && !word.StartsWith('('))
            {
                rules.Add(word);
                continue;
            }

            first = open is null ? word : first;
            open = open is null ? word : $"{open} {word}";
            if (!word.EndsWith(')'))
                continue;
            rules.Add(open);
            open = null;
        }

        return open is null ? null : first;
    }

    private SelectorBuilder NewSelector() => new(_commands) { HasAllChannels = _hasChannelsAtFirst };

    private void Reset()
    {
        (IsEnabled, NeedsNoPassword, _sanitizes) = (false, false, SanitizePayload.Yes);
        Passwords.Clear();
        _others.Clear();
        _root = NewSelector();
    }

    private string? AddSelector(string rules)
    {
        SelectorBuilder selector = NewSelector();
        foreach (string rule in rules.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (selector.Apply(rule) is { } error)
                return error;
        }

        _others.Add(new Selector(selector));
        return null;
    }

    private string? ApplyPassword(string rule)
    {
        PasswordHash? hash = rule[0] is '#' or '!'
            ? PasswordHash.Parse(rule[1..])
            : PasswordHash.Of(Encoding.Latin1.GetBytes(rule, 1, rule.Length - 1));
        if (hash is null)
            return RuleErrors.BadHash;
        int known = Passwords.FindIndex(hash.Matches);
        if (rule[0] is '>' or '#')
        {
            NeedsNoPassword = false;
            if (known < 0)
                Passwords.Add(hash);
            return null;
        }

        if (known < 0)
            return RuleErrors.NoSuchPassword;
        Passwords.RemoveAt(known);
        return null;
    }
}
