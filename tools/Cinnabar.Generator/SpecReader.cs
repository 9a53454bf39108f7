using System;
using System.Collections.Generic;
using System.Globalization;

namespace Cinnabar.Generator;

/// <summary>
/// Turns a spec's JSON into a <see cref="CommandModel"/>: names, types and presence of properties.
/// </summary>
internal static class SpecReader
{
    public static CommandModel Read(string path, string json)
    {
        JsonValue root = JsonReader.Parse(json);
        CommandModel command = ReadCommand(root, null, path);
        string file = System.IO.Path.GetFileNameWithoutExtension(path);
        if (file == command.Name) return command;
        throw new SpecException("the file of " + command.Name + " has another name", 0);
    }

    private static bool IsProperty(string name) => name is "name" or "summary" or "since" or "group"
        or "complexity" or "arity" or "function" or "lookahead" or "lock" or "lock_chooser"
        or "lock_all_if" or "effect" or "cost" or "doc_flags" or "deprecated_since" or "replaced_by"
        or "command_flags" or "acl_categories" or "command_tips" or "help"
        or "history" or "key_specs" or "access_specs" or "arguments" or "subcommands";

    private static bool IsArgumentProperty(string name) => name is "name" or "type" or "display" or "token"
        or "key_spec_index" or "since" or "deprecated_since" or "optional" or "multiple"
        or "multiple_token" or "arguments";

    private static bool IsKeySpecProperty(string name) =>
        name is "notes" or "flags" or "begin_search" or "find_keys";

    private static CommandModel ReadCommand(JsonValue json, CommandModel? parent, string path)
    {
        CheckProperties(json, IsProperty);
        var command = new CommandModel
        {
            Parent = parent,
            Path = path,
            Line = json.Line,
            Name = Text(json, "name", true),
            Summary = Text(json, "summary", true),
            Since = Text(json, "since", true),
            Group = Text(json, "group", true),
            Complexity = Text(json, "complexity", true),
            Arity = Number(json, "arity"),
            Function = Text(json, "function", false),
            Lookahead = Text(json, "lookahead", false),
            Lock = Text(json, "lock", true),
            LockChooser = Text(json, "lock_chooser", false),
            LockAllIf = Text(json, "lock_all_if", false),
            Cost = Text(json, "cost", true),
            Effect = Text(json, "effect", false),
            DeprecatedSince = Text(json, "deprecated_since", false),
            ReplacedBy = Text(json, "replaced_by", false),
            DocFlags = Words(json, "doc_flags", false),
            Flags = Words(json, "command_flags", true),
            Categories = Words(json, "acl_categories", true),
            Tips = Words(json, "command_tips", false),
            Help = Words(json, "help", false),
            Arguments = ReadArguments(json),
        };
        foreach (JsonValue entry in Items(json, "history"))
        {
            if (entry.Kind != JsonKind.Array || entry.Items.Count != 2)
                throw new SpecException("an entry of history is a version and a text", entry.Line);
            command.History.Add(new KeyValuePair<string, string>(entry.Items[0].Text, entry.Items[1].Text));
        }

        foreach (JsonValue entry in Items(json, "key_specs")) command.KeySpecs.Add(ReadKeySpec(entry));
        foreach (JsonValue entry in Items(json, "access_specs"))
            command.AccessSpecs.Add(ReadKeySpec(entry));
        foreach (JsonValue entry in Items(json, "subcommands"))
        {
            if (parent != null) throw new SpecException("a subcommand has no subcommands", entry.Line);
            command.Subcommands.Add(ReadCommand(entry, command, path));
        }

        return command;
    }

    private static KeySpecModel ReadKeySpec(JsonValue json)
    {
        CheckProperties(json, IsKeySpecProperty);
        var spec = new KeySpecModel
        {
            Notes = Text(json, "notes", false),
            Flags = Words(json, "flags", true),
        };
        JsonValue begin = Single(json, "begin_search");
        spec.Begin = begin.Names[0];
        if (spec.Begin == "index")
        {
            spec.BeginPosition = Number(begin, "index");
            if (spec.BeginPosition < 1)
                throw new SpecException("a key's index is 1 or more", begin.Line);
        }
        else if (spec.Begin == "keyword")
        {
            spec.Keyword = Text(begin.Items[0], "keyword", true);
            spec.BeginPosition = Number(begin.Items[0], "startfrom");
        }

        JsonValue find = Single(json, "find_keys");
        spec.Find = find.Names[0];
        string[] names = spec.Find == "range" ? new[] { "lastkey", "keystep", "limit" }
            : spec.Find == "keynum" ? new[] { "keynumidx", "firstkey", "keystep" } : new string[0];
        for (int i = 0; i < names.Length; i++)
        {
            spec.FindNumbers[i] = Number(find.Items[0], names[i]);
            if (names[i] == "keystep" && spec.FindNumbers[i] < 1)
                throw new SpecException("keystep is 1 or more", find.Line);
        }

        return spec;
    }

    private static List<ArgumentModel> ReadArguments(JsonValue json)
    {
        var arguments = new List<ArgumentModel>();
        foreach (JsonValue entry in Items(json, "arguments"))
        {
            CheckProperties(entry, IsArgumentProperty);
            var argument = new ArgumentModel
            {
                Name = Text(entry, "name", true),
                Type = Text(entry, "type", true),
                Display = Text(entry, "display", false),
                Token = Text(entry, "token", false),
                Since = Text(entry, "since", false),
                DeprecatedSince = Text(entry, "deprecated_since", false),
                Arguments = ReadArguments(entry),
            };
            if (entry["key_spec_index"] != null) argument.KeySpecIndex = Number(entry, "key_spec_index");
            foreach (string flag in new[] { "optional", "multiple", "multiple_token" })
            {
                JsonValue? value = entry[flag];
                if (value == null) continue;
                if (!value.IsTrue) throw new SpecException(flag + " is true or absent", value.Line);
                argument.Flags.Add(flag);
            }

            arguments.Add(argument);
        }

        return arguments;
    }

    private static void CheckProperties(JsonValue json, Func<string, bool> isKnown)
    {
        if (json.Kind != JsonKind.Object) throw new SpecException("an object expected", json.Line);
        for (int i = 0; i < json.Names.Count; i++)
        {
            if (!isKnown(json.Names[i]))
                throw new SpecException("\"" + json.Names[i] + "\" is no property here", json.Items[i].Line);
        }
    }

    private static JsonValue Single(JsonValue json, string name)
    {
        JsonValue? value = json[name];
        if (value == null || value.Kind != JsonKind.Object || value.Names.Count != 1)
            throw new SpecException(name + " is an object with one property", (value ?? json).Line);
        return value;
    }

    private static string Text(JsonValue json, string name, bool isRequired)
    {
        JsonValue? value = json[name];
        if (value == null && !isRequired) return "";
        if (value == null || value.Kind != JsonKind.Text || value.Text.Length == 0)
            throw new SpecException("the text \"" + name + "\" is missing", (value ?? json).Line);
        CheckAscii(value, name);
        return value.Text;
    }

    private static void CheckAscii(JsonValue value, string name)
    {
        foreach (char c in value.Text)
        {
            if (c < ' ' || c > '~') throw new SpecException(name + " is not plain ASCII", value.Line);
        }
    }

    private static int Number(JsonValue json, string name)
    {
        JsonValue? value = json.Kind == JsonKind.Object ? json[name] : null;
        if (value == null || value.Kind != JsonKind.Number)
            throw new SpecException("the number \"" + name + "\" is missing", (value ?? json).Line);
        return int.Parse(value.Text, CultureInfo.InvariantCulture);
    }

    private static List<JsonValue> Items(JsonValue json, string name)
    {
        JsonValue? value = json[name];
        if (value == null) return new List<JsonValue>();
        if (value.Kind != JsonKind.Array) throw new SpecException(name + " is an array", value.Line);
        return value.Items;
    }

    private static List<string> Words(JsonValue json, string name, bool isRequired)
    {
        if (isRequired && json[name] == null)
            throw new SpecException("\"" + name + "\" is missing", json.Line);
        var words = new List<string>();
        foreach (JsonValue item in Items(json, name))
        {
            if (item.Kind != JsonKind.Text) throw new SpecException(name + " holds words", item.Line);
            CheckAscii(item, name);
            words.Add(item.Text);
        }

        return words;
    }
}
