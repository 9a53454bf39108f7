using System.Collections.Generic;

namespace Cinnabar.Generator;

/// <summary>
/// Writes the four texts of the engine: the table (decoded once, at the start), and the replies of
/// COMMAND INFO, COMMAND DOCS and HELP (never decoded: written out node by node when asked for).
/// A subcommand's replies are slices of its container's.
/// </summary>
internal sealed class BlobWriter
{
    private const string HelpHead = " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:";
    private readonly SpecVocabulary _words;
    private readonly Dictionary<CommandModel, int[]> _slices = new Dictionary<CommandModel, int[]>();

    public BlobWriter(SpecVocabulary words)
    {
        _words = words;
    }

    public TreeText Info { get; } = new TreeText();

    public TreeText Docs { get; } = new TreeText();

    public TreeText Help { get; } = new TreeText();

    public TreeText Table { get; } = new TreeText();

    /// <summary>Writes all commands; subcommands follow their containers, in the order of ids.</summary>
    public void Write(List<CommandModel> commands)
    {
        foreach (CommandModel command in commands)
        {
            if (command.Parent != null) continue;
            WriteInfo(command);
            WriteDocs(command);
            WriteHelp(command);
        }

        Table.Array(commands.Count);
        foreach (CommandModel command in commands) WriteRow(command);
    }

    private int[] Slice(CommandModel command)
    {
        if (!_slices.TryGetValue(command, out int[] slice)) _slices.Add(command, slice = new int[6]);
        return slice;
    }

    private void WriteInfo(CommandModel command)
    {
        int start = Info.Length;
        LegacyKeys keys = LegacyKeys.Of(command.KeySpecs);
        Info.Array(10).Bulk(command.FullName).Integer(command.Arity);
        var flags = new List<string>(command.Flags);
        if (keys.AreMovable) flags.Add("movablekeys");
        WriteStatuses(Info, _words.Flags.Shown(flags, command.Line), "");
        Info.Integer(keys.First).Integer(keys.Last).Integer(keys.Step);
        WriteStatuses(Info, _words.Categories.Shown(command.Categories, command.Line), "@");
        Info.Set(command.Tips.Count);
        foreach (string tip in command.Tips) Info.Bulk(tip);
        Info.Set(command.KeySpecs.Count);
        foreach (KeySpecModel spec in command.KeySpecs) WriteKeySpec(spec, command.Line);
        if (command.Subcommands.Count == 0) Info.Set(0);
        else Info.Array(command.Subcommands.Count);
        foreach (CommandModel subcommand in command.Subcommands) WriteInfo(subcommand);
        int[] slice = Slice(command);
        slice[0] = start;
        slice[1] = Info.Length - start;
    }

    private void WriteKeySpec(KeySpecModel spec, int line)
    {
        Info.Map(spec.Notes.Length > 0 ? 4 : 3);
        if (spec.Notes.Length > 0) Info.Bulk("notes").Bulk(spec.Notes);
        Info.Bulk("flags");
        WriteStatuses(Info, _words.KeyFlags.Shown(spec.Flags, line), "");
        Info.Bulk("begin_search").Map(2).Bulk("type").Bulk(spec.Begin).Bulk("spec");
        if (spec.Begin == "index") Info.Map(1).Bulk("index").Integer(spec.BeginPosition);
        else if (spec.Begin == "keyword")
            Info.Map(2).Bulk("keyword").Bulk(spec.Keyword).Bulk("startfrom").Integer(spec.BeginPosition);
        else Info.Map(0);
        Info.Bulk("find_keys").Map(2).Bulk("type").Bulk(spec.Find).Bulk("spec");
        string[] names = spec.Find == "range" ? new[] { "lastkey", "keystep", "limit" }
            : spec.Find == "keynum" ? new[] { "keynumidx", "firstkey", "keystep" } : new string[0];
        Info.Map(names.Length);
        for (int i = 0; i < names.Length; i++) Info.Bulk(names[i]).Integer(spec.FindNumbers[i]);
    }

    private static void WriteStatuses(TreeText tree, List<string> words, string prefix)
    {
        tree.Set(words.Count);
        foreach (string word in words) tree.Status(prefix + word);
    }

    private void WriteDocs(CommandModel command)
    {
        int start = Docs.Length;
        bool isDeprecated = command.DeprecatedSince.Length > 0;
        int pairCount = 4 + (command.DocFlags.Count > 0 ? 1 : 0) + (isDeprecated ? 1 : 0)
            + (command.ReplacedBy.Length > 0 ? 1 : 0) + (command.History.Count > 0 ? 1 : 0)
            + (command.Arguments.Count > 0 ? 1 : 0) + (command.Subcommands.Count > 0 ? 1 : 0);
        Docs.Map(pairCount).Bulk("summary").Bulk(command.Summary).Bulk("since").Bulk(command.Since);
        Docs.Bulk("group").Bulk(command.Group).Bulk("complexity").Bulk(command.Complexity);
        if (command.DocFlags.Count > 0)
        {
            Docs.Bulk("doc_flags");
            WriteStatuses(Docs, command.DocFlags, "");
        }

        if (isDeprecated) Docs.Bulk("deprecated_since").Bulk(command.DeprecatedSince);
        if (command.ReplacedBy.Length > 0) Docs.Bulk("replaced_by").Bulk(command.ReplacedBy);
        if (command.History.Count > 0)
        {
            Docs.Bulk("history").Set(command.History.Count);
            foreach (KeyValuePair<string, string> entry in command.History)
                Docs.Array(2).Bulk(entry.Key).Bulk(entry.Value);
        }

        if (command.Arguments.Count > 0) WriteArguments(command.Arguments);
        if (command.Subcommands.Count > 0) Docs.Bulk("subcommands").Map(command.Subcommands.Count);
        foreach (CommandModel subcommand in command.Subcommands)
        {
            Docs.Bulk(subcommand.FullName);
            WriteDocs(subcommand);
        }

        int[] slice = Slice(command);
        slice[2] = start;
        slice[3] = Docs.Length - start;
    }

    private void WriteHelp(CommandModel command)
    {
        if (command.Help.Count == 0) return;
        int start = Help.Length;
        Help.Array(command.Help.Count + 1);
        Help.Status(command.Name.ToUpperInvariant() + HelpHead);
        foreach (string line in command.Help) Help.Status(line);
        int[] slice = Slice(command);
        slice[4] = start;
        slice[5] = Help.Length - start;
    }

    private void WriteArguments(List<ArgumentModel> arguments)
    {
        Docs.Bulk("arguments").Array(arguments.Count);
        foreach (ArgumentModel argument in arguments)
        {
            bool isGroup = argument.Arguments.Count > 0;
            int pairCount = 2 + (isGroup ? 0 : 1) + (argument.KeySpecIndex >= 0 ? 1 : 0)
                + (argument.Token.Length > 0 ? 1 : 0) + (argument.Since.Length > 0 ? 1 : 0)
                + (argument.DeprecatedSince.Length > 0 ? 1 : 0) + (argument.Flags.Count > 0 ? 1 : 0)
                + (isGroup ? 1 : 0);
            Docs.Map(pairCount).Bulk("name").Bulk(argument.Name).Bulk("type").Bulk(argument.Type);
            string display = argument.Display.Length > 0 ? argument.Display : argument.Name;
            if (!isGroup) Docs.Bulk("display_text").Bulk(display);
            if (argument.KeySpecIndex >= 0) Docs.Bulk("key_spec_index").Integer(argument.KeySpecIndex);
            if (argument.Token.Length > 0) Docs.Bulk("token").Bulk(argument.Token);
            if (argument.Since.Length > 0) Docs.Bulk("since").Bulk(argument.Since);
            if (argument.DeprecatedSince.Length > 0)
                Docs.Bulk("deprecated_since").Bulk(argument.DeprecatedSince);
            if (argument.Flags.Count > 0)
            {
                Docs.Bulk("flags");
                WriteStatuses(Docs, argument.Flags, "");
            }

            if (isGroup) WriteArguments(argument.Arguments);
        }
    }

    private void WriteRow(CommandModel command)
    {
        LegacyKeys keys = LegacyKeys.Of(command.KeySpecs);
        long flags = _words.Flags.Sum(command.Flags, command.Line);
        if (keys.AreMovable) flags |= _words.Flags["movablekeys", command.Line];
        Table.Bulk(command.FullName).Integer(command.Parent?.Id ?? 0).Integer(command.Arity).Integer(flags);
        Table.Integer(_words.Categories.Sum(command.Categories, command.Line));
        Table.Integer(_words.Locks[command.Lock, command.Line]);
        Table.Integer(_words.Costs[command.Cost, command.Line]);
        Table.Integer(keys.First).Integer(keys.Last).Integer(keys.Step);
        int[] slice = Slice(command);
        foreach (int number in slice) Table.Integer(number);
        WriteSpecs(command.KeySpecs, command.Line);
        WriteSpecs(command.AccessSpecs, command.Line);
    }

    private void WriteSpecs(List<KeySpecModel> specs, int line)
    {
        Table.Array(specs.Count);
        foreach (KeySpecModel spec in specs)
        {
            Table.Integer(_words.KeyFlags.Sum(spec.Flags, line));
            Table.Integer(_words.Begins[spec.Begin, line]).Integer(spec.BeginPosition);
            Table.Bulk(spec.Keyword);
            Table.Integer(_words.Finds[spec.Find, line]);
            foreach (int number in spec.FindNumbers) Table.Integer(number);
        }
    }
}
