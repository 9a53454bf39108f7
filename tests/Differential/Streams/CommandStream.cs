using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>An endless stream of random commands, made from redis-server's own description of them.</summary>
internal sealed class CommandStream
{
    private readonly Random _random;
    private readonly ValuePool _values;
    private readonly List<(string[] Name, IReadOnlyList<ArgumentTree> Arguments)> _shapes = [];

    /// <summary>Makes a stream.</summary>
    /// <param name="redis">Asked for its descriptions.</param>
    /// <param name="seed">The seed.</param>
    /// <param name="commands">The commands, each as often as it weighs.</param>
    /// <param name="isKnown">Whether we have a command.</param>
    public CommandStream(RespClient redis, int seed, string[] commands, Func<string, bool> isKnown)
    {
        _random = new Random(seed);
        _values = new ValuePool(_random);
        foreach (string command in commands.Where(isKnown))
        {
            RespValue docs = redis.Call("COMMAND", "DOCS", command).Items[1];
            _shapes.Add((command.Split('|'), ArgumentTree.Of(docs)));
        }
    }

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
        switch (_random.Next(40))
        {
            case 0:
                words.Add(_values.Text("extra"));
                break;
            case 1 when words.Count > name.Length:
                words.RemoveAt(words.Count - 1);
                break;
        }

        return [.. words];
    }
}
