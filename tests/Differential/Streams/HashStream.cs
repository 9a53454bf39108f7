using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>An endless stream of commands of hashes that weighs every option, and crosses the thresholds of
/// the encodings with the sizes of fields, of hashes and of the directives.</summary>
/// <param name="seed">What the randomness comes from.</param>
/// <param name="isOld">Whether Redis is 7.0: in newer versions it hangs on the number of pairs in a command,
/// not of fields, whether it makes a hashtable.</param>
internal sealed class HashStream(int seed, bool isOld)
{
    // Most pairs in a command with which fields may repeat: the least limit but 0.
    private const int RepeatingCountMax = 3;

    /// <summary>Keys in use.</summary>
    public const int KeyCount = 6;

    private static readonly string[] s_integers =
        ["1", "-5", "100", "9223372036854775807", "-9223372036854775808", "x", "", "1.5", "01"];

    private static readonly string[] s_floats =
        ["1", "-5.5", "0.1", "3.0e3", "1e300", "inf", "-inf", "nan", "x", "", " 1"];

    private static readonly string[] s_counts =
        ["0", "1", "2", "5", "1000", "-1", "-3", "-20", "x", "1.5", "-9223372036854775808",
            "9223372036854775808"];

    private static readonly string[] s_patterns = ["*", "f*", "?[0-4]", "x*x", "none", "*5", ""];

    private readonly Random _random = new(seed);

    /// <summary>The name of a key.</summary>
    public static string KeyName(int number) => "hash" + number.ToString(CultureInfo.InvariantCulture);

    /// <summary>The next command.</summary>
    public string[] Next()
    {
        string[] words = Whole();
        if (words[0][0] != 'h')
            return words;
        return _random.Next(60) switch
        {
            0 when words.Length > 1 => words[..^1],
            1 => [.. words, Field()],
            _ => words,
        };
    }

    private string[] Whole() => _random.Next(36) switch
    {
        < 6 => ["hset", Key(), .. Pairs(1, RepeatingCountMax + 1)],
        6 => ["hmset", Key(), .. Pairs(1, RepeatingCountMax + 1)],
        7 => ["hset", Key(), .. Pairs(20, 200)],
        8 or 9 => ["hsetnx", Key(), Field(), Value()],
        10 or 11 or 12 => ["hdel", Key(), .. Fields(1, 6)],
        13 or 14 => ["hget", Key(), Field()],
        15 => ["hmget", Key(), .. Fields(1, 6)],
        16 => ["hexists", Key(), Field()],
        17 => ["hstrlen", Key(), Field()],
        18 => ["hlen", Key()],
        19 => ["hgetall", Key()],
        20 => ["hkeys", Key()],
        21 => ["hvals", Key()],
        22 or 23 => ["hincrby", Key(), Field(), Of(s_integers)],
        24 or 25 => ["hincrbyfloat", Key(), Field(), Of(s_floats)],
        26 => ["hrandfield", Key()],
        27 or 28 =>
            ["hrandfield", Key(), Of(s_counts), .. Maybe(() => [Of("withvalues", "WithValues", "x")])],
        29 or 30 => Scan(),
        31 => ["object", "encoding", Key()],
        32 => Of("1", "2") == "1" ? ["type", Key()] : ["exists", Key(), Key()],
        33 => Limits(),
        34 => Generic(),
        _ => [Of("multi", "exec", "exec", "discard")],
    };

    private string[] Scan() =>
    [
        "hscan", Key(), Of("0", "0", "0", "x", "18446744073709551616"),
        "count", _random.Next(10) == 0 ? Of("0", "-1", "x") : "100000",
        .. Maybe(() => [Of("match", "MATCH"), Of(s_patterns)]),
        .. _random.Next(10) == 0 ? new[] { "type", "hash" } : [],
    ];

    private string[] Limits() => _random.Next(2) == 0
        ? ["config", "set", "hash-max-listpack-entries",
            isOld ? Of("0", $"{RepeatingCountMax}", "5", "16", "128", "512")
            : Of("0", "1", "2", "5", "16", "128", "512")]
        : ["config", "set", "hash-max-listpack-value", Of("0", "4", "20", "64", "1000")];

    private string[] Generic() => _random.Next(9) switch
    {
        0 => ["del", Key(), Key()],
        1 => ["unlink", Key()],
        2 => ["copy", Key(), Key(), .. Maybe(() => ["replace"])],
        3 => ["rename", Key(), Key()],
        4 => ["renamenx", Key(), Key()],
        5 => ["set", Key(), "a string"],
        6 => ["expire", Key(), "100000"],
        7 => ["pexpireat", Key(), "1"],
        _ => ["persist", Key()],
    };

    private string Key() => KeyName(_random.Next(KeyCount));

    private string Field() => _random.Next(7) switch
    {
        0 => "",
        1 => $"{_random.Next(-5, 15)}",
        2 => new string('x', Of([1, 4, 5, 20, 21, 64, 65, 1001])),
        3 => $"\0\r\n\xFF{_random.Next(3)}",
        _ => $"f{_random.Next(12)}",
    };

    private string Value() => _random.Next(9) switch
    {
        0 => "",
        1 => $"{_random.Next(-100_000, 100_000)}",
        2 => new string('y', Of([1, 4, 5, 20, 21, 64, 65, 1001])),
        3 => Of(s_integers),
        4 => Of(s_floats),
        5 => new string('z', _random.Next(5000)),
        _ => $"value{_random.Next(10)}",
    };

    private IEnumerable<string> Pairs(int countMin, int countMax)
    {
        int count = _random.Next(countMin, countMax);
        IEnumerable<(string Field, string Value)> pairs = Enumerable.Range(0, count).Select(number =>
            (countMin > 1 && _random.Next(2) == 0 ? $"many{number}" : Field(), Value()));
        if (isOld && countMin > RepeatingCountMax)
            pairs = pairs.DistinctBy(static pair => pair.Field);
        return pairs.SelectMany(static pair => (string[])[pair.Field, pair.Value]);
    }

    private IEnumerable<string> Fields(int countMin, int countMax) =>
        Enumerable.Range(0, _random.Next(countMin, countMax)).Select(_ => Field());

    private IEnumerable<string> Maybe(Func<IEnumerable<string>> words) =>
        _random.Next(2) == 0 ? words() : [];

    private T Of<T>(params T[] choices) => choices[_random.Next(choices.Length)];
}
