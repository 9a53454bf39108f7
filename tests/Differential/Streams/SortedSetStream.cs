using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>
/// An endless stream of commands of sorted sets that weighs every option, and crosses the thresholds of the
/// encodings. What is asked for by members goes to keys of its own, whose scores are all equal: elsewhere
/// Redis's replies say nothing.
/// </summary>
/// <param name="seed">What the randomness comes from.</param>
/// <param name="isOld">Whether Redis is 7.0: in newer versions it hangs on the encoding from where a negative
/// offset skips, and on the number of pairs in a command whether it makes a skiplist.</param>
internal sealed class SortedSetStream(int seed, bool isOld)
{
    private static readonly string[] s_scores =
    [
        "0", "1", "2", "-1", "1.5", "-2.25", "inf", "-inf", "+inf", "0.1", "1e20", "123456789012", "-0",
        "3.14159265358979", "1e-7", "5e-324", "4503599627370497", "1.7976931348623157e308", "+5",
    ];

    private static readonly string[] s_oddScores = ["nan", "abc", "", "1e400", " 1", "1e-999", "0x10"];

    private static readonly string[] s_oddBounds =
        ["(inf", "(-inf", "(", "nan", "x", "1e999", "((1", "", "(\0", "1\0x"];

    private readonly Random _random = new(seed);

    /// <summary>All keys.</summary>
    public static IReadOnlyList<string> Keys { get; } =
        ["z0", "z1", "z2", "z3", "z4", "lex0", "lex1", "set0", "set1", "text", "fixed"];

    /// <summary>The next command.</summary>
    public string[] Next()
    {
        string[] words = Whole();
        return _random.Next(80) switch
        {
            0 when words.Length > 1 && words[0] is not ("zrandmember" or "zscan") => words[..^1],
            1 when words[0] is not ("config" or "zrank" or "zrevrank") => [.. words, "odd"],
            _ => words,
        };
    }

    private string[] Whole() => _random.Next(34) switch
    {
        0 or 1 or 2 => ["zadd", Key(), .. AddOptions(), .. Pairs(_random.Next(1, 4))],
        3 => ["zadd", Key(), .. AddOptions(), "INCR", .. Pairs(1)],
        4 => ["zadd", "lex" + Digit(2), .. Lexical().SelectMany(static member => (string[])["0", member])],
        5 => ["zincrby", Key(), Score(), Member()],
        6 => ["zrem", Any(), .. Members()],
        7 => [Of("zscore", "zrank", "zrevrank"), Any(), Member()],
        8 => ["zmscore", Any(), .. Members()],
        9 => ["zcount", Any(), ScoreBound(), ScoreBound()],
        10 => ["zlexcount", Lex(), LexBound(), LexBound()],
        11 => ["zrange", Any(), Index(), Index(), .. Maybe("REV"), .. Maybe("WITHSCORES"), .. Limit(8)],
        12 => ["zrange", Any(), ScoreBound(), ScoreBound(), "byscore", .. Maybe("rev"),
            .. Maybe("withscores"), .. Limit(2)],
        13 => ["zrange", Lex(), LexBound(), LexBound(), "BYLEX", .. Maybe("REV"), .. Limit(2)],
        14 => [Of("zrangebyscore", "zrevrangebyscore"), Any(), ScoreBound(), ScoreBound(),
            .. Maybe("withscores"), .. Limit(2)],
        15 => [Of("zrangebylex", "zrevrangebylex"), Lex(), LexBound(), LexBound(), .. Limit(2)],
        16 => ["zrevrange", Any(), Index(), Index(), .. Maybe("withscores")],
        17 => ["zremrangebyrank", Any(), Index(), Index()],
        18 => ["zremrangebyscore", Any(), ScoreBound(), ScoreBound()],
        19 => ["zremrangebylex", Lex(), LexBound(), LexBound()],
        20 => [Of("zpopmin", "zpopmax"), Any(), .. Choose(2, [Of("0", "1", "2", "3", "-1", "x")])],
        21 => MultiPop(),
        22 => _random.Next(2) == 0
            ? ["zrangestore", Target(), Key(), Index(), Index(), .. Maybe("rev")]
            : ["zrangestore", Target(), Lex(), LexBound(), LexBound(), "bylex", .. Maybe("rev"), .. Limit(2)],
        23 => ["zrangestore", Target(), Key(), ScoreBound(), ScoreBound(), "byscore", .. Maybe("rev"),
            .. Limit(2)],
        24 or 25 => [Of("zunion", "zinter"), .. Sources(), .. Weights(), .. Maybe("withscores")],
        26 => ["zdiff", .. Sources(), .. Maybe("withscores"), .. Choose(20, ["weights", "1"])],
        27 or 28 => [Of("zunionstore", "zinterstore"), Target(), .. Sources(), .. Weights()],
        29 => ["zdiffstore", Target(), .. Sources()],
        30 => ["zintercard", .. Sources(), .. Choose(2, ["LIMIT", Of("0", "1", "2", "-1", "x")])],
        31 => ["sadd", "set" + Digit(2), .. Members()],
        32 => Rare(),
        _ => _random.Next(2) == 0
            ? ["config", "set", "zset-max-listpack-value", Of("0", "3", "8", "64", "128")]
            : ["config", "set", "zset-max-listpack-entries", Of(isOld ? "128" : "0", "3", "8", "64", "128")],
    };

    private string[] Rare() => _random.Next(18) switch
    {
        0 => ["copy", Key(), Target(), "replace"],
        1 => ["rename", Key(), Target()],
        2 => ["del", Any()],
        3 => ["set", Of("text", "fixed"), "x"],
        4 => ["expire", Any(), "100000"],
        5 => ["persist", Any()],
        6 => ["multi"],
        7 or 8 => ["exec"],
        9 => ["zrandmember", Any(), Of("0", "x")],
        10 => ["zrandmember", Any(), "1", "odd"],
        11 => ["zrandmember", "none", .. Maybe("5")],
        12 => ["zscan", Any(), "0", "count", Of("0", "x", "-1")],
        13 => ["zscan", Of("none", "text", "z0"), Of("0", "x"), "odd"],
        14 => ["zcard", Any()],
        15 => ["zrandmember", Any(), "100000", .. Maybe("withscores")],
        16 => ["zscan", Any(), "0", "match", Of("m*", "*1*", "none"), "count", "100000"],
        _ => ["object", "encoding", Key()],
    };

    private string[] MultiPop()
    {
        int count = _random.Next(1, 4);
        string shown = _random.Next(12) == 0 ? Of("0", "-1", "x", "4", "99") : $"{count}";
        return ["zmpop", shown,
            .. Enumerable.Range(0, count).Select(_ => Any()), Of("MIN", "max", "MAX", "x"),
            .. Choose(2, ["count", Of("0", "1", "2", "5", "x")])];
    }

    private string[] Sources()
    {
        int count = _random.Next(1, 4);
        string shown = _random.Next(16) == 0 ? Of("0", "-1", "x", "4", "99") : $"{count}";
        return [shown, .. Enumerable.Range(0, count).Select(_ =>
            _random.Next(40) == 0 ? Any() : Of("z0", "z1", "z2", "z3", "set0", "set1", "none"))];
    }

    private string[] Weights() =>
    [
        .. Choose(3, ["WEIGHTS", .. Enumerable.Range(0, _random.Next(1, 4)).Select(_ =>
            Of("1", "2", "0.5", "-1", "0", "inf", "3", "x"))]),
        .. Choose(3, ["aggregate", Of("SUM", "min", "MIN", "max", "Max", "x")]),
    ];

    private string[] AddOptions() =>
    [
        .. Choose(6, ["NX"]), .. Choose(6, ["xx"]), .. Choose(5, ["GT"]), .. Choose(8, ["lt"]),
        .. Choose(4, ["CH"]),
    ];

    private IEnumerable<string> Pairs(int count) =>
        Enumerable.Range(0, count).SelectMany(_ => (string[])[Score(), Member()]);

    private IEnumerable<string> Lexical()
    {
        IEnumerable<string> members = Enumerable.Range(0, 5).Select(_ => Member());
        return isOld ? members.Distinct() : members;
    }

    private IEnumerable<string> Members() => Enumerable.Range(0, _random.Next(1, 4)).Select(_ => Member());

    private string Key() => _random.Next(30) == 0 ? "text" : "z" + Digit(5);

    private string Target() => Of("z3", "z4", "z0", "text");

    private string Lex() => _random.Next(40) == 0 ? Of("fixed", "none") : "lex" + Digit(2);

    private string Any() => _random.Next(10) == 0 ? Of([.. Keys, "none"]) : Key();

    private string Digit(int count) => _random.Next(count).ToString(CultureInfo.InvariantCulture);

    private string Score() => _random.Next(24) == 0 ? Of(s_oddScores)
        : _random.Next(4) == 0 ? Of(s_scores)
        : _random.Next(2) == 0 ? $"{_random.Next(20)}"
        : (_random.Next(1000) / 8.0).ToString(CultureInfo.InvariantCulture);

    private string Member() => _random.Next(10) switch
    {
        <= 4 => "m" + Digit(30),
        5 or 6 => $"{_random.Next(-20, 300)}",
        7 => string.Concat(Enumerable.Range(0, _random.Next(12)).Select(_ => (char)_random.Next(256))),
        8 => new string('x', _random.Next(1, 20)),
        _ => Of(new string('y', 70), "", "1e5", "012", "9223372036854775807"),
    };

    private string ScoreBound() => _random.Next(12) == 0 ? Of(s_oddBounds)
        : Of("", "(") + (_random.Next(4) == 0 ? Of(s_scores) : $"{_random.Next(-3, 25)}");

    private string LexBound() => _random.Next(20) == 0 ? Of("", "a", "++", "-a", "-\0a")
        : _random.Next(3) == 0 ? Of("-", "+") : Of("[", "(") + Member();

    private string Index() => _random.Next(25) == 0 ? Of("x", "", "9223372036854775808")
        : _random.Next(4) == 0 ? $"{_random.Next(-200, 200)}" : Of("0", "-1", $"{_random.Next(-6, 6)}");

    private string[] Limit(int rarity) =>
        Choose(rarity, ["limit", $"{_random.Next(isOld ? -2 : 0, 6)}", $"{_random.Next(-2, 8)}"]);

    private string Of(params string[] choices) => choices[_random.Next(choices.Length)];

    private string[] Maybe(string word) => Choose(3, [word]);

    private string[] Choose(int rarity, string[] words) => _random.Next(rarity) == 0 ? words : [];
}
