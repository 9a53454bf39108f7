using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Engine.Specs;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential;

/// <summary>
/// What COMMAND INFO and COMMAND DOCS say about commands, as lines of text by command and field, so that two
/// servers can be compared field by field. Texts for people (summaries, history, notes) are left out.
/// </summary>
internal sealed class CommandFacts
{
    private readonly SortedDictionary<string, string> _facts = new(StringComparer.Ordinal);

    /// <summary>The facts by "command field".</summary>
    public IReadOnlyDictionary<string, string> Facts => _facts;

    /// <summary>The full names of all commands and subcommands.</summary>
    public SortedSet<string> Names { get; } = new(StringComparer.Ordinal);

    /// <summary>What a server says.</summary>
    public static CommandFacts Of(RespClient client)
    {
        client.Call("HELLO", "3");
        return Of(client.Call("COMMAND"), client.Call("COMMAND", "DOCS"));
    }

    /// <summary>What the replies of COMMAND and COMMAND DOCS say, in RESP3.</summary>
    public static CommandFacts Of(RespValue info, RespValue docs)
    {
        var facts = new CommandFacts();
        foreach (RespValue entry in info.Items) facts.AddInfo(entry);
        for (int i = 0; i < docs.Items.Count; i += 2) facts.AddDocs(docs.Items[i].Text, docs.Items[i + 1]);
        return facts;
    }

    /// <summary>What our specs say.</summary>
    public static CommandFacts OfSpecs()
    {
        var facts = new CommandFacts();
        foreach (CommandSpec spec in new CommandTable().All)
        {
            facts.AddInfo(Parse(spec.InfoTree));
            facts.AddDocs(spec.Name, Parse(spec.DocsTree));
        }

        return facts;
    }

    private static RespValue Parse(ReadOnlySpan<byte> text)
    {
        var tree = new SpecTree(text);
        return Parse(ref tree);
    }

    private static RespValue Parse(ref SpecTree tree)
    {
        SpecNodeKind kind = tree.Head(out long number);
        switch (kind)
        {
            case SpecNodeKind.Integer: return new RespValue(':', $"{number}", []);
            case SpecNodeKind.Bulk: return Text('$', tree.Bytes(number));
            case SpecNodeKind.Status: return Text('+', tree.Bytes(number));
        }

        var items = new RespValue[kind == SpecNodeKind.Map ? number * 2 : number];
        for (int i = 0; i < items.Length; i++) items[i] = Parse(ref tree);
        char letter = kind == SpecNodeKind.Map ? '%' : kind == SpecNodeKind.Set ? '~' : '*';
        return new RespValue(letter, "", items);
    }

    private static RespValue Text(char kind, ReadOnlySpan<byte> bytes) =>
        new(kind, Encoding.Latin1.GetString(bytes), []);

    private void AddInfo(RespValue entry)
    {
        IReadOnlyList<RespValue> fields = entry.Items;
        string name = fields[0].Text;
        Names.Add(name);
        _facts.Add(name + " info-shape", string.Concat(fields.Select(field => field.Kind)));
        _facts.Add(name + " arity", fields[1].ToString());
        _facts.Add(name + " flags", fields[2].ToString());
        _facts.Add(name + " keys", $"{fields[3]} {fields[4]} {fields[5]}");
        _facts.Add(name + " categories", fields[6].ToString());
        _facts.Add(name + " tips", fields[7].ToString());
        _facts.Add(name + " key-specs", Without(fields[8], "notes", "display_text").ToString());
        foreach (RespValue subcommand in fields[9].Items) AddInfo(subcommand);
    }

    private void AddDocs(string name, RespValue docs)
    {
        _facts.Add(name + " since", $"{docs["since"]}");
        _facts.Add(name + " group", $"{docs["group"]}");
        _facts.Add(name + " doc-flags", $"{docs["doc_flags"]} {docs["deprecated_since"]}");
        RespValue arguments = docs["arguments"] ?? new RespValue('*', "", []);
        _facts.Add(name + " arguments", Without(arguments, "notes", "display_text").ToString());
        IReadOnlyList<RespValue> subcommands = docs["subcommands"]?.Items ?? [];
        for (int i = 0; i < subcommands.Count; i += 2) AddDocs(subcommands[i].Text, subcommands[i + 1]);
    }

    // The tree without some keys of its maps.
    private static RespValue Without(RespValue value, params string[] keys)
    {
        var items = new List<RespValue>();
        for (int i = 0; i < value.Items.Count; i++)
        {
            if (value.Kind == '%' && i % 2 == 0 && keys.Contains(value.Items[i].Text))
            {
                i++;
                continue;
            }

            items.Add(Without(value.Items[i], keys));
        }

        return value with { Items = items };
    }
}
