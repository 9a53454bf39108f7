using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Engine.Specs;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>An endless stream of random commands, made from redis-server's own description of them.</summary>
internal sealed class CommandStream
{
    private static readonly CommandTable s_table = new();
    private static readonly string s_intMin = long.MinValue.ToString(CultureInfo.InvariantCulture);
    private readonly Random _random;
    private readonly ValuePool _values;
    private readonly List<(string[] Name, IReadOnlyList<ArgumentTree> Arguments)> _shapes = [];

    /// <summary>Makes a stream.</summary>
    /// <param name="redis">Asked for its descriptions.</param>
    /// <param name="seed">The seed.</param>
    /// <param name="commands">The commands, each as often as it weighs; those that we lack are left
    /// out.</param>
    public CommandStream(Func<string[], RespValue> redis, int seed, IEnumerable<string> commands)
    {
        _random = new Random(seed);
        _values = new ValuePool(_random);
        foreach (string command in commands.Where(IsBuilt))
        {
            // An older oracle does not know the newer ones.
            if (redis(["COMMAND", "DOCS", command]).Items is [_, var docs])
                _shapes.Add((command.Split('|'), ArgumentTree.Of(docs)));
        }
    }

    /// <summary>Whether we have a command.</summary>
    /// <param name="name">Its full name.</param>
    public static bool IsBuilt(string name) =>
        s_table.FindFull(Encoding.ASCII.GetBytes(name)) is { HandlerAddress: not 0 };

    /// <summary>The next command.</summary>
    public string[] Next()
    {
        (string[] name, IReadOnlyList<ArgumentTree> arguments) = _shapes[_random.Next(_shapes.Count)];
        // What ends or spoils everything is rarer than the rest.
        if (name[0] is "flushdb" or "swapdb" or "select" or "move" && _random.Next(4) != 0)
            return Next();
        List<string> words = [.. name.Select(_values.Case)];
        foreach (ArgumentTree argument in arguments)
            argument.Append(words, _random, _values);
        // Ranges of members mean something only where all scores are equal: SortedSetStream has those.
        if (words.Contains("bylex", StringComparer.OrdinalIgnoreCase))
            return Next();
        MendSpecial(name[0], words);
        switch (_random.Next(40))
        {
            // Newer versions have options here, so that a transaction would break in one server only.
            case 0 when name[0] is not ("zrank" or "zrevrank"):
                words.Add(_values.Text("extra"));
                break;
            case 1 when words.Count > name.Length:
                words.RemoveAt(words.Count - 1);
                break;
        }

        return [.. words];
    }

    // What no two servers, or versions, need to agree on.
    private void MendSpecial(string name, List<string> words)
    {
        // An ID of the server's clock is another one on the other server.
        if (name == "xadd" && words.IndexOf("*") is > 0 and int at)
            words[at] = _values.Text("id");
        // BY a constant leaves a set in the order that it happens to have; + is an ID of newer versions.
        int by = words.FindIndex(static word => word.Equals("by", StringComparison.OrdinalIgnoreCase));
        if (name is "sort" or "sort_ro" && by > 0 && by + 1 < words.Count && !words[by + 1].Contains('*'))
            words[by + 1] = "k*";
        // Elements whose weights are equal texts come in any order, and in Redis a zero byte ends a text:
        // SortStreamTests sort texts.
        if (name is "sort" or "sort_ro")
            words.RemoveAll(static word => word.Equals("alpha", StringComparison.OrdinalIgnoreCase));
        if (name is "xread" or "xreadgroup" && words.IndexOf("+") is > 0 and int last)
            words[last] = "0";
        // No other client would wake one that waits.
        int block = words.FindIndex(static word => word.Equals("block", StringComparison.OrdinalIgnoreCase));
        if (name is "xread" or "xreadgroup" && block > 0)
            words.RemoveRange(block, Math.Min(2, words.Count - block));
        // From where a negative number skips hangs on the encoding in newer versions; nothing is what 7.0
        // replies.
        int limit = words.FindIndex(static word => word.Equals("limit", StringComparison.OrdinalIgnoreCase));
        if (name[0] == 'z' && limit > 0 && limit + 1 < words.Count && words[limit + 1].StartsWith('-'))
            words[limit + 1] = "1";
        // Newer versions refuse this count, which has no negative.
        if (name == "lrem" && words.IndexOf(s_intMin) is > 0 and int count)
            words[count] = "-5";
    }
}
