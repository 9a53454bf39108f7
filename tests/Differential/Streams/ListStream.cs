using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>An endless stream of commands of lists that weighs every option, and crosses the thresholds of
/// the encodings with the sizes of elements, of lists and of the directive.</summary>
internal sealed class ListStream(int seed)
{
    /// <summary>Keys in use.</summary>
    public const int KeyCount = 6;

    private static readonly string[] s_integers =
        ["0", "1", "-1", "2", "-2", "5", "-5", "10", "-10", "100", "-100", "300", "1000000", "-1000000"];

    private static readonly string[] s_oddIntegers = ["x", "", "1.5", "9223372036854775808", " 1", "01"];

    private static readonly string[] s_counts = ["0", "1", "2", "3", "20", "300", "-1", "x"];

    private static readonly string[] s_sizes = ["-1", "-2", "-3", "-5", "0", "1", "3", "16", "128", "20000"];

    private readonly Random _random = new(seed);

    /// <summary>The name of a key.</summary>
    public static string KeyName(int number) => "list" + number.ToString(CultureInfo.InvariantCulture);

    /// <summary>The next command.</summary>
    public string[] Next()
    {
        string[] words = Whole();
        if (words[0] == "config")
            return words;
        return _random.Next(60) switch
        {
            0 when words.Length > 1 => words[..^1],
            1 => [.. words, Element()],
            _ => words,
        };
    }

    private string[] Whole() => _random.Next(27) switch
    {
        0 or 1 => ["lpush", Key(), .. Elements()],
        2 or 3 => ["rpush", Key(), .. Elements()],
        4 => ["lpushx", Key(), .. Elements()],
        5 => ["rpushx", Key(), .. Elements()],
        6 or 7 => ["lpop", Key(), .. Maybe(() => [Of(s_counts)])],
        8 or 9 => ["rpop", Key(), .. Maybe(() => [Of(s_counts)])],
        10 => MPop(),
        11 => ["lmove", Key(), Key(), End(), End()],
        12 => ["rpoplpush", Key(), Key()],
        13 => ["llen", Key()],
        14 => ["lindex", Key(), Integer()],
        15 => ["lrange", Key(), Integer(), Integer()],
        16 => ["lset", Key(), Integer(), Element()],
        17 or 18 => ["linsert", Key(), Of("before", "AFTER", "Before", "after", "x"), Element(), Element()],
        19 => ["lrem", Key(), Integer(), Element()],
        20 => ["ltrim", Key(), Of("0", "1", Integer()), Of("-1", "-2", Integer())],
        21 or 22 => Position(),
        23 => ["rpush", Key(), .. Enumerable.Range(0, 300).Select(_ => Element())],
        24 => Rare(),
        25 => ["config", "set", "list-compress-depth", Of("0", "1", "2")],
        _ => ["config", "set", "list-max-listpack-size", Of(s_sizes)],
    };

    private string[] MPop()
    {
        int count = _random.Next(1, 4);
        string shown = _random.Next(12) == 0 ? Of("0", "-1", "x", "4", "99") : $"{count}";
        return ["lmpop", shown, .. Enumerable.Range(0, count).Select(_ => Key()), End(),
            .. Maybe(() => [Of("count", "COUNT", "cnt"), Of(s_counts)])];
    }

    private string[] Position() =>
    [
        "lpos", Key(), Element(),
        .. Maybe(() => ["rank", Of("1", "-1", "2", "-2", "0", "30", "-30", "x")]),
        .. Maybe(() => [Of("count", "Count", "no"), Of("0", "1", "2", "50", "-1", "x")]),
        .. Maybe(() => ["maxlen", Of("0", "1", "10", "100", "-1", "x")]),
    ];

    private string[] Rare() => _random.Next(12) switch
    {
        0 => ["set", Key(), Element()],
        1 => ["del", Key()],
        2 => ["rename", Key(), Key()],
        3 or 4 or 5 => ["copy", Key(), Key(), "replace"],
        6 => ["expire", Key(), "100000"],
        7 => ["persist", Key()],
        8 => ["multi"],
        9 or 10 => ["exec"],
        _ => ["type", Key()],
    };

    private string Key() => KeyName(_random.Next(KeyCount));

    private string End() => _random.Next(30) == 0 ? "middle" : Of("LEFT", "RIGHT", "left", "Right");

    private string Of(params string[] choices) => choices[_random.Next(choices.Length)];

    private IEnumerable<string> Maybe(Func<string[]> words) => _random.Next(2) == 0 ? words() : [];

    private string Integer() => _random.Next(25) == 0 ? Of(s_oddIntegers)
        : _random.Next(3) == 0 ? $"{_random.Next(-400, 400)}" : Of(s_integers);

    private IEnumerable<string> Elements() =>
        Enumerable.Range(0, Math.Max(1, _random.Next(6) == 0 ? _random.Next(60) : _random.Next(4)))
            .Select(_ => Element());

    private string Element() => _random.Next(14) switch
    {
        0 => "",
        1 or 2 => $"{_random.Next(-3, 4)}",
        3 => $"{_random.NextInt64(long.MinValue, long.MaxValue)}",
        4 => Of(s_oddIntegers),
        5 => new string('s', _random.Next(300)),
        6 when _random.Next(4) == 0 => new string('m', _random.Next(3_000)),
        7 when _random.Next(40) == 0 => new string('b', _random.Next(3_000, 20_000)),
        8 => new string((char)('\x80' + _random.Next(100)), _random.Next(30)),
        _ => $"value{_random.Next(8)}",
    };
}
