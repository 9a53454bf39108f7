// The configuration of one server instance: the value of every directive, what is called when it changes, and
// what CONFIG GET, SET and REWRITE reply.
//
//   redis.conf, command line ──► Load ──┐
//   CONFIG SET ────────────────► Set ───┼──► entries (canonical text) ──► Settings (typed) ──► hot paths
//                                       └──► subscribers, which may veto
//
// Texts are Latin-1, one char a byte, so that passwords and paths of any bytes stay unchanged. The canonical
// text is the single truth; Settings is a projection of it that is read without a lookup.
//
// A CONFIG SET is all or nothing: every value is parsed before any is stored, and when a subscriber vetoes,
// all values are restored and the subscribers that had already run are run again.
//
// Limits: one lock, taken by commands that are rare; values are not versioned.

using Cinnabar.Commands;
using Cinnabar.Engine.Configuration.Catalog;
using Cinnabar.Engine.Configuration.Directives;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Configuration.Registry;

/// <summary>The directives of one server instance and their values. Any thread may use it.</summary>
public sealed class ConfigurationRegistry
{
    private readonly Lock _lock = new();
    private readonly List<ConfigurationEntry> _entries = [];
    private readonly Dictionary<string, ConfigurationEntry> _byName = new(StringComparer.OrdinalIgnoreCase);
    private readonly List<(string Name, byte[] Bytes)> _names = [];
    private readonly List<CommandRename> _renames = [];
    private readonly UserDirectives _users = new();
    private ConfigurationRefusal? _moduleRefusal;
    private ILog? _log;

    /// <summary>Creates a registry with every directive at its default.</summary>
    public ConfigurationRegistry()
    {
        foreach (Directive directive in ConfigurationCatalog.Create())
        {
            ConfigurationEntry entry = new(directive);
            _entries.Add(entry);
            AddName(directive.Name, entry);
            if (directive.Alias is string alias)
                AddName(alias, entry);
        }
    }

    /// <summary>The typed values that the engine reads.</summary>
    public Settings Settings { get; } = new();

    /// <summary>Whether data are being loaded.</summary>
    public Func<bool> IsLoading { get; set; } = static () => false;

    /// <summary>The commands to rename, in the order of the file.</summary>
    public IReadOnlyList<CommandRename> CommandRenames => _renames;

    /// <summary>
    /// Returns the error of a rename, in Redis's words, or null; the command table's owner sets it.
    /// </summary>
    public Func<CommandRename, string?>? RenameCheck { get; set; }

    /// <summary>What is wrong with the words of a <c>user</c> line, in Redis's words; or null.</summary>
    public Func<IReadOnlyList<string>, string?>? UserCheck { set => _users.Check = value; }

    /// <summary>The words of the <c>user</c> lines, without that one.</summary>
    public IReadOnlyList<IReadOnlyList<string>> UserLines => _users.Lines;

    /// <summary>Gives the <c>user</c> lines that CONFIG REWRITE writes; the users' owner sets it.</summary>
    public Func<List<string>>? RewrittenUserLines { get; set; }

    /// <summary>The full path of the configuration file; null when there is none.</summary>
    public string? FilePath { get; set; }

    /// <summary>The canonical text of a directive.</summary>
    /// <exception cref="KeyNotFoundException">There is no such directive.</exception>
    public string TextOf(string name)
    {
        lock (_lock)
            return _byName[name].Value.Text;
    }

    /// <summary>The value of a directive as a number; see <see cref="DirectiveValue.Number"/>.</summary>
    /// <exception cref="KeyNotFoundException">There is no such directive.</exception>
    public long NumberOf(string name)
    {
        lock (_lock)
            return _byName[name].Value.Number;
    }

    /// <summary>The flags of a directive; null: there is none of this name.</summary>
    public DirectiveFlags? FlagsOf(string name) =>
        _byName.TryGetValue(name, out ConfigurationEntry? entry) ? entry.Directive.Flags : null;

    /// <summary>Sets a value without asking subscribers: for decisions of the program itself.</summary>
    /// <exception cref="ArgumentException">The words are not a value of this directive.</exception>
    public void Override(string name, params string[] words)
    {
        lock (_lock)
        {
            ConfigurationEntry entry = _byName[name];
            if (entry.Directive.Parse(words, entry.Value, false, out DirectiveValue value) is string error)
                throw new ArgumentException(error, nameof(words));
            Store(entry, value);
        }
    }

    /// <summary>Applies one line of a configuration file.</summary>
    /// <param name="words">The words of the line: a directive and its arguments.</param>
    /// <param name="origin">Where they stand.</param>
    /// <returns>Null, or Redis's own text for what is wrong.</returns>
    public string? Load(IReadOnlyList<string> words, ConfigurationOrigin origin)
    {
        const string BadDirective = "Bad directive or wrong number of arguments";
        string name = words[0];
        List<string> arguments = [];
        for (int index = 1; index < words.Count; index++)
            arguments.Add(words[index]);
        lock (_lock)
        {
            if (_byName.TryGetValue(name, out ConfigurationEntry? entry))
                return LoadValue(entry, arguments, origin);
            if (ConfigurationCatalog.IsForgotten(name))
                return arguments.Count == 1 ? null : BadDirective;
            return name.ToLowerInvariant() switch
            {
                "rename-command" when arguments.Count == 2 => LoadRename(new(arguments[0], arguments[1])),
                "user" when arguments.Count >= 1 => _users.Add(arguments, origin),
                "loadmodule" when arguments.Count >= 1 => RefuseModule(origin),
                _ => BadDirective,
            };
        }
    }

    /// <summary>The first directive that prevents the start; null: the server may start.</summary>
    public ConfigurationRefusal? FindRefusal()
    {
        lock (_lock)
        {
            foreach (ConfigurationEntry entry in _entries)
            {
                if (entry.Directive.Support == DirectiveSupport.Refused && !entry.IsDefault)
                    return new(entry.Origin ?? new(0, entry.Directive.Name), entry.Directive.Reason);
            }
            return _moduleRefusal ?? _users.FindRefusal(_byName["aclfile"].Value.Text);
        }
    }

    /// <summary>
    /// Logs, once each, the changed directives that have no effect; also later changes.
    /// </summary>
    public void AttachLog(ILog log)
    {
        lock (_lock)
        {
            _log = log;
            foreach (ConfigurationEntry entry in _entries)
                NameIfIneffective(entry);
        }
    }

    /// <summary>
    /// Has <paramref name="apply"/> called after CONFIG SET changed a directive. It may return an error text:
    /// then all values are restored, and it is called again for the old value.
    /// </summary>
    /// <exception cref="KeyNotFoundException">There is no such directive.</exception>
    public void Subscribe(string name, Func<string?> apply)
    {
        lock (_lock)
            _byName[name].Subscribers.Add(apply);
    }

    /// <summary>Has <paramref name="apply"/> called now, and after each CONFIG SET of a directive.</summary>
    /// <exception cref="KeyNotFoundException">There is no such directive.</exception>
    public void Follow(string name, Action apply)
    {
        apply();
        Subscribe(name, () =>
        {
            apply();
            return null;
        });
    }

    /// <summary>CONFIG GET: pairs of name and value, each name once, one char a byte.</summary>
    public List<KeyValuePair<string, string>> Get(IReadOnlyList<string> patterns)
    {
        List<KeyValuePair<string, string>> found = [];
        HashSet<string> names = new(StringComparer.OrdinalIgnoreCase);
        lock (_lock)
        {
            foreach (string pattern in patterns)
            {
                if (!NamePattern.IsPattern(pattern))
                {
                    if (_byName.TryGetValue(pattern, out ConfigurationEntry? entry) && names.Add(pattern))
                        found.Add(new(pattern, entry.Value.Text));
                    continue;
                }
                byte[] bytes = Encoding.Latin1.GetBytes(pattern);
                foreach ((string name, byte[] nameBytes) in _names)
                {
                    if (GlobPattern.Matches(bytes, nameBytes, ignoreCase: true)
                        && !_byName[name].Directive.Has(DirectiveFlags.Hidden) && names.Add(name))
                        found.Add(new(name, _byName[name].Value.Text));
                }
            }
        }
        return found;
    }

    /// <summary>CONFIG SET: all pairs or none.</summary>
    /// <param name="pairs">Names and values as the client gave them, one char a byte.</param>
    /// <param name="isLocalClient">Whether the client may do what is allowed to local clients.</param>
    /// <returns>Null, or the error to answer, with its code.</returns>
    public string? Set(IReadOnlyList<KeyValuePair<string, string>> pairs, bool isLocalClient)
    {
        lock (_lock)
        {
            if (FindForbidden(pairs, isLocalClient) is string forbidden)
                return forbidden;
            List<(ConfigurationEntry Entry, DirectiveValue Old)> changes = [];
            string? error = null;
            foreach ((string name, string text) in pairs)
            {
                ConfigurationEntry entry = _byName[name];
                changes.Add((entry, entry.Value));
                if (SetOne(entry, text) is string fault)
                {
                    // The error of a value names the directive in lower case.
                    error = Failure(name.ToLowerInvariant(), fault);
                    break;
                }
            }
            error ??= Notify(changes);
            if (error is not null)
                return error;
            foreach ((ConfigurationEntry entry, _) in changes)
                NameIfIneffective(entry);
            return null;

            string? SetOne(ConfigurationEntry entry, string text)
            {
                string? fault = ParseNew(entry, text, out DirectiveValue value);
                if (fault is null)
                    Store(entry, value);
                else
                    Restore(changes);
                return fault;
            }
        }
    }

    /// <summary>CONFIG REWRITE: updates the file.</summary>
    /// <param name="isComplete">Whether directives at their default are written, too.</param>
    /// <returns>Null, or the error to answer, beginning with ERR.</returns>
    public string? Rewrite(bool isComplete = false)
    {
        lock (_lock)
        {
            return FilePath is null
                ? "ERR The server is running without a config file"
                : ConfigurationRewriter.Rewrite(
                    FilePath, _entries, _byName, new(isComplete, RewrittenUserLines?.Invoke()), _log);
        }
    }

    private void AddName(string name, ConfigurationEntry entry)
    {
        _byName.Add(name, entry);
        _names.Add((name, Encoding.Latin1.GetBytes(name)));
    }

    private static string Failure(string name, string fault) =>
        $"ERR CONFIG SET failed (possibly related to argument '{name}') - {fault}";

    private static string? ParseNew(ConfigurationEntry entry, string text, out DirectiveValue value)
    {
        Directive directive = entry.Directive;
        string[] words = directive.Has(DirectiveFlags.MultipleArguments) ? text.Split(' ') : [text];
        if (directive.Parse(words, entry.Value, false, out value) is string fault)
            return fault;
        return directive.Support == DirectiveSupport.Refused && value.Text != directive.Default.Text
            ? directive.Reason
            : null;
    }

    private string? FindForbidden(IReadOnlyList<KeyValuePair<string, string>> pairs, bool isLocalClient)
    {
        HashSet<string> names = new(StringComparer.OrdinalIgnoreCase);
        bool isProtectedAllowed = Settings.Allows(Settings.ProtectedConfigAccess, isLocalClient);
        bool isUntimely = false;
        foreach ((string name, _) in pairs)
        {
            if (!_byName.TryGetValue(name, out ConfigurationEntry? entry))
                return $"ERR Unknown option or number of arguments for CONFIG SET - '{name}'";
            if (entry.Directive.Has(DirectiveFlags.Immutable))
                return Failure(name, "can't set immutable config");
            if (entry.Directive.Has(DirectiveFlags.Protected) && !isProtectedAllowed)
                return Failure(name, "can't set protected config");
            if (!names.Add(name))
                return Failure(name, "duplicate parameter");
            isUntimely |= entry.Directive.Has(DirectiveFlags.NotWhileLoading);
        }
        return isUntimely && IsLoading() ? Encoding.Latin1.GetString(Errors.Loading) : null;
    }

    private string? Notify(List<(ConfigurationEntry Entry, DirectiveValue Old)> changes)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread);
        for (int index = 0; index < changes.Count; index++)
        {
            ConfigurationEntry entry = changes[index].Entry;
            bool isApplied = entry.Value != changes[index].Old
                || entry.Directive.Has(DirectiveFlags.Reapplied);
            if (!isApplied || Run(entry) is not string fault)
                continue;
            _log?.Write(LogLevel.Warning, "Failed applying new configuration. Possibly related to new "
                + $"{entry.Directive.Name} setting. Restoring previous settings.");
            Restore(changes);
            for (int done = 0; done <= index; done++)
            {
                if (Run(changes[done].Entry) is string again)
                    _log?.Write(LogLevel.Warning, "Could not return to the earlier configuration: " + again);
            }
            return Failure(entry.Directive.Name, fault);
        }
        return null;
    }

    private static string? Run(ConfigurationEntry entry)
    {
        foreach (Func<string?> subscriber in entry.Subscribers)
        {
            if (subscriber() is string fault)
                return fault;
        }
        return null;
    }

    private void Restore(List<(ConfigurationEntry Entry, DirectiveValue Old)> changes)
    {
        for (int index = changes.Count - 1; index >= 0; index--)
            Store(changes[index].Entry, changes[index].Old);
    }

    private void Store(ConfigurationEntry entry, DirectiveValue value)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread, "one thread at a time changes the configuration");
        entry.Value = value;
        entry.Directive.Apply?.Invoke(Settings, value);
    }

    private string? LoadValue(ConfigurationEntry entry, List<string> arguments, ConfigurationOrigin origin)
    {
        Directive directive = entry.Directive;
        if (arguments.Count == 0 && !directive.Has(DirectiveFlags.MultipleArguments))
            return "wrong number of arguments";
        if (directive.Has(DirectiveFlags.MultipleArguments) && arguments.Count == 1
            && arguments[0].Length > 0)
        {
            if (ConfigurationText.Split(arguments[0]) is not { Count: > 0 } split)
                return "Unbalanced quotes in configuration line";
            arguments = split;
        }
        if (directive.Parse(arguments, entry.Value, entry.Origin is not null,
            out DirectiveValue value) is string error)
            return error;
        entry.Origin = origin;
        Store(entry, value);
        return null;
    }

    private string? LoadRename(CommandRename rename)
    {
        if (RenameCheck?.Invoke(rename) is string error)
            return error;
        _renames.Add(rename);
        return null;
    }

    private string? RefuseModule(ConfigurationOrigin origin)
    {
        _moduleRefusal ??= new(origin, "modules of Redis cannot be loaded: their commands would be missing");
        return null;
    }

    private void NameIfIneffective(ConfigurationEntry entry)
    {
        Directive directive = entry.Directive;
        bool isIneffective =
            directive.Support is DirectiveSupport.NoEffectYet or DirectiveSupport.NeverMeaningful;
        if (_log is null || !isIneffective || entry.IsDefault || entry.IsNamedInLog)
            return;
        entry.IsNamedInLog = true;
        string what = directive.Support == DirectiveSupport.NoEffectYet
            ? "has no effect yet" : "has no meaning here";
        _log.Write(LogLevel.Warning, $"Configuration: '{directive.Name}' {what}: {directive.Reason}");
    }
}
