using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>A command's arguments as COMMAND DOCS describes them, from which random calls are made.</summary>
internal sealed class ArgumentTree
{
    private readonly RespValue _node;

    private ArgumentTree(RespValue node) => _node = node;

    /// <summary>The trees of a command's arguments.</summary>
    public static IReadOnlyList<ArgumentTree> Of(RespValue docs) =>
        docs["arguments"] is { } arguments ? [.. arguments.Items.Select(static item =>
            new ArgumentTree(item))] : [];

    private string Type => _node["type"]!.Text;

    private string? Token => _node["token"]?.Text;

    private IReadOnlyList<ArgumentTree> Children => Of(_node);

    /// <summary>Appends a random instance of the argument; an optional one may be left out.</summary>
    public void Append(List<string> words, Random random, ValuePool values)
    {
        if (Has("optional") && random.Next(3) != 0)
            return;
        int count = Has("multiple") ? random.Next(1, 4) : 1;
        for (int index = 0; index < count; index++)
        {
            if (Token is { Length: > 0 } token && Type != "pure-token" && (index == 0
                || Has("multiple_token")))
                words.Add(values.Case(token));
            AppendOne(words, random, values);
        }
    }

    private bool Has(string flag) => _node["flags"]?.Items.Any(item => item.Text == flag) ?? false;

    private void AppendOne(List<string> words, Random random, ValuePool values)
    {
        switch (Type)
        {
            case "pure-token":
                words.Add(values.Case(Token!));
                break;
            case "oneof":
                IReadOnlyList<ArgumentTree> choices = Children;
                choices[random.Next(choices.Count)].Append(words, random, values);
                break;
            case "block":
                foreach (ArgumentTree child in Children)
                    child.Append(words, random, values);
                break;
            case "key":
                words.Add(values.Key());
                break;
            case "integer":
                words.Add(values.Integer(_node["name"]!.Text));
                break;
            case "unix-time":
                words.Add(values.FarUnixTime(_node["name"]!.Text));
                break;
            case "double":
                words.Add(values.Float());
                break;
            case "pattern":
                words.Add(values.Pattern());
                break;
            default:
                words.Add(values.Text(_node["name"]!.Text));
                break;
        }
    }
}
