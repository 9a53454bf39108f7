using System;
using System.Collections.Generic;
using Cinnabar.Tests.Differential.Streams;
using Cinnabar.Tests.Differential.StreamType;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Journaling;

/// <summary>An endless stream of random commands of all types, with what the other streams leave out: the
/// clock, chance, and clients that wait.</summary>
internal sealed class EffectStream
{
    private static readonly string[] s_families =
        ["strings", "lists", "hashes", "sets", "sortedsets", "streams", "geo"];

    private readonly Random _random;
    private readonly List<Func<string[]>> _streams = [];

    /// <summary>Makes a stream.</summary>
    /// <param name="random">What it chooses by.</param>
    /// <param name="ask">Asks a server for its descriptions of commands.</param>
    public EffectStream(Random random, Func<string[], RespValue> ask)
    {
        _random = random;
        foreach (string family in s_families)
        {
            var stream = new CommandStream(ask, random.Next(), CommandFamily.CommandsOf(family));
            _streams.Add(stream.Next);
        }

        var newer = new NewerStream(random.Next(), ask);
        var entries = new StreamCommands(random);
        _streams.Add(() => newer.Next().Words);
        _streams.Add(entries.Next);
        _streams.Add(new HashStream(random.Next(), isOld: false).Next);
        _streams.Add(new SortedSetStream(random.Next(), isOld: false).Next);
        _streams.Add(Own);
        _streams.Add(Own);
        _streams.Add(Own);
        _streams.Add(Own);
    }

    /// <summary>The next command.</summary>
    public string[] Next()
    {
        while (true)
        {
            string[] words = _streams[_random.Next(_streams.Count)]();
            // The journal must not see a flush too often, and these are no data.
            if (words.Length == 0 || (words[0].StartsWith("flush", StringComparison.OrdinalIgnoreCase)
                && _random.Next(60) != 0))
                continue;
            if (words[0].ToLowerInvariant() is "config" or "debug" or "client" or "hello" or "quit"
                or "reset")
                continue;
            return words;
        }
    }

    private string[] Own() => _random.Next(36) switch
    {
        30 => ["SDIFFSTORE", Key(), Key(), Key()],
        31 => ["ZUNIONSTORE", Key(), "2", Key(), Key()],
        32 => ["BITOP", "OR", Key(), Key(), Key()],
        33 => ["SORT", Key(), "ALPHA", "STORE", Key()],
        34 => ["SMOVE", Key(), Key(), Member()],
        35 => ["RENAMENX", Key(), Key()],
        0 or 28 or 29 => ["PEXPIRE", Key(), Time()],
        1 => ["SET", Key(), Member(), "PX", Time()],
        2 => ["GETEX", Key(), "PX", Time()],
        3 => ["HSET", Key(), Member(), Member(), Member(), Member()],
        4 or 5 => ["HPEXPIRE", Key(), Time(), "FIELDS", "2", Member(), Member()],
        6 => ["HSETEX", Key(), "PX", Time(), "FIELDS", "1", Member(), Member()],
        7 => ["HGETEX", Key(), "PX", Time(), "FIELDS", "2", Member(), Member()],
        8 => ["XADD", Key(), "*", "f", Member()],
        9 => ["XADD", Key(), "MAXLEN", "~", "5", "*", "f", Member()],
        10 => ["XADD", Key(), "MINID", "~", "1750000000000", Policy(), "*", "f", Member()],
        11 => ["XTRIM", Key(), "MAXLEN", "~", $"{_random.Next(9)}", Policy()],
        12 => ["XGROUP", "CREATE", Key(), "g" + _random.Next(3), "0", "MKSTREAM"],
        13 or 14 => ["XREADGROUP", "GROUP", "g" + _random.Next(3), "c" + _random.Next(3), "COUNT", "2",
            "BLOCK", "0", "STREAMS", Key(), ">"],
        15 => ["BLPOP", Key(), Key(), "0"],
        16 => ["BLMOVE", Key(), Key(), "LEFT", "RIGHT", "0"],
        17 => ["BZPOPMIN", Key(), Key(), "0"],
        18 => ["BLMPOP", "0", "2", Key(), Key(), "RIGHT", "COUNT", "2"],
        19 => ["SPOP", Key()],
        20 => ["SPOP", Key(), $"{_random.Next(5)}"],
        21 => ["SORT", Key(), "BY", "nosort", "GET", "#", "GET", "k*->m1", "STORE", Key()],
        22 => ["SADD", Key(), Member(), Member(), Member()],
        23 => ["RPUSH", Key(), Member(), Member()],
        24 => ["ZADD", Key(), "1", Member(), "2", Member()],
        25 => ["MSETEX", "2", Key(), Member(), Key(), Member(), "PX", Time()],
        26 => ["SUNIONSTORE", Key(), Key(), Key()],
        27 => ["HINCRBYFLOAT", Key(), Member(), "1.5"],
        _ => _random.Next(2) == 0 ? ["COPY", Key(), Key(), "REPLACE"] : ["DEL", Key()],
    };

    private string Key() => $"k{_random.Next(12)}";

    private string Member() => _random.Next(3) == 0 ? $"{_random.Next(9)}" : $"m{_random.Next(6)}";

    // A command takes a millisecond of the test's time on average.
    private string Time() => $"{_random.Next(1, 60)}";

    private string Policy() => new[] { "KEEPREF", "DELREF", "ACKED" }[_random.Next(3)];
}
