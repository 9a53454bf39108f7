using Cinnabar.Security.Keys;

namespace Cinnabar.Security.Rules;

/// <summary>
/// One set of permissions: commands, keys, channels and databases. A user may run a command that one of its
/// selectors allows in all four. Never changed; <see cref="SelectorBuilder"/> makes it.
/// </summary>
public sealed class Selector
{
    private readonly CommandSet _commands;
    private readonly Dictionary<int, List<byte[]>> _firstArguments;
    private readonly KeyMatcher[] _keys;
    private readonly KeyMatcher _channels;
    private readonly HashSet<string> _channelNames;
    private readonly int[] _databases;
    private readonly string _text;

    internal Selector(SelectorBuilder builder)
    {
        HasAllCommands = builder.HasAllCommands;
        StartsWithAllCommands = builder.StartsWithAllCommands;
        HasAllKeys = builder.HasAllKeys;
        HasAllChannels = builder.HasAllChannels;
        HasAllDatabases = builder.HasAllDatabases;
        _commands = new CommandSet(builder.Commands);
        _firstArguments = [];
        foreach ((int number, List<string> arguments) in builder.FirstArguments)
            _firstArguments.Add(number, arguments.ConvertAll(Encoding.Latin1.GetBytes));
        Keys = [.. builder.Keys];
        Channels = [.. builder.Channels];
        CommandRules = [.. builder.CommandRules];
        _databases = [.. builder.Databases];
        _keys = new KeyMatcher[4];
        for (int access = 0; access < _keys.Length; access++)
            _keys[access] = MatcherOf((KeyAccess)access);
        _channels = new KeyMatcher(Channels);
        _channelNames = [.. Channels];
        _text = SelectorText.Of(this);
        Debug.Assert(!HasAllKeys || Keys.Count == 0, "all keys need no pattern");
        Debug.Assert(!HasAllChannels || Channels.Count == 0, "all channels need no pattern");
        Debug.Assert(!HasAllDatabases || _databases.Length == 0, "all databases need no numbers");
        Debug.Assert(!HasAllCommands || _firstArguments.Count == 0, "all commands need no first arguments");
    }

    /// <summary>Whether every command is allowed.</summary>
    public bool HasAllCommands { get; }

    /// <summary>Whether every key is allowed.</summary>
    public bool HasAllKeys { get; }

    /// <summary>Whether every channel is allowed.</summary>
    public bool HasAllChannels { get; }

    /// <summary>Whether every database is allowed.</summary>
    public bool HasAllDatabases { get; }

    /// <summary>Whether nothing is forbidden.</summary>
    public bool IsUnrestricted => HasAllCommands && HasAllKeys && HasAllChannels && HasAllDatabases;

    /// <summary>The patterns of keys.</summary>
    public IReadOnlyList<KeyPattern> Keys { get; }

    /// <summary>The patterns of channels.</summary>
    public IReadOnlyList<string> Channels { get; }

    /// <summary>The allowed databases in ascending order; none where all are.</summary>
    public ReadOnlySpan<int> Databases => _databases;

    /// <summary>Whether the rules of commands begin with all commands; else with none.</summary>
    internal bool StartsWithAllCommands { get; }

    /// <summary>The rules of commands behind that, such as "-get", in order.</summary>
    internal IReadOnlyList<string> CommandRules { get; }

    /// <summary>Whether a command is allowed, whatever its keys.</summary>
    /// <param name="number">Its number.</param>
    /// <param name="firstArgument">The argument behind its name; empty: there is none.</param>
    public bool AllowsCommand(int number, ReadOnlySpan<byte> firstArgument) =>
        HasAllCommands || _commands.Has(number)
        || (_firstArguments.Count > 0 && AllowsFirstArgument(number, firstArgument));

    /// <summary>Whether an access to a key is allowed.</summary>
    public bool AllowsKey(ReadOnlySpan<byte> key, KeyAccess access) =>
        HasAllKeys || _keys[(int)access].Matches(key);

    /// <summary>Whether an access is allowed to keys of whatever name.</summary>
    public bool AllowsAnyKey(KeyAccess access)
    {
        if (HasAllKeys)
            return true;
        foreach (KeyPattern pattern in Keys)
        {
            if ((pattern.Access & access) == access && pattern.Pattern == "*")
                return true;
        }

        return false;
    }

    /// <summary>Whether a channel is allowed.</summary>
    public bool AllowsChannel(ReadOnlySpan<byte> channel) => HasAllChannels || _channels.Matches(channel);

    /// <summary>Whether a pattern of channels is allowed: it is one of the patterns itself.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool AllowsChannelPattern(ReadOnlySpan<byte> pattern) =>
        HasAllChannels || _channelNames.Contains(Encoding.Latin1.GetString(pattern));

    /// <summary>Whether a database is allowed.</summary>
    public bool AllowsDatabase(int database) =>
        HasAllDatabases || Array.BinarySearch(_databases, database) >= 0;

    /// <summary>The rules that make this selector from an empty one.</summary>
    public override string ToString() => _text;

    private KeyMatcher MatcherOf(KeyAccess access)
    {
        List<string> patterns = [];
        foreach (KeyPattern pattern in Keys)
        {
            if ((pattern.Access & access) == access)
                patterns.Add(pattern.Pattern);
        }

        return new KeyMatcher(patterns);
    }

    private bool AllowsFirstArgument(int number, ReadOnlySpan<byte> firstArgument)
    {
        if (!_firstArguments.TryGetValue(number, out List<byte[]>? arguments))
            return false;
        foreach (byte[] argument in arguments)
        {
            if (Ascii.EqualsIgnoreCase(argument, firstArgument))
                return true;
        }

        return false;
    }
}
