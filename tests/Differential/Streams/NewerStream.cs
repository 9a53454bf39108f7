using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>
/// An endless stream of what versions behind Redis 7.0 have added: commands, and options of older ones; of
/// these, what a server's own COMMAND DOCS describe.
/// </summary>
internal sealed class NewerStream
{
    private static readonly string[] s_keys = ["s0", "s1", "s2"];
    private static readonly string[] s_hashes = ["h0", "h1"];
    private static readonly string[] s_streams = ["x0", "x1"];
    private static readonly string[] s_values =
        ["a", "b", "10", "-3", "", "a long value of more than 24 bytes"];

    private readonly Random _random;
    private readonly Func<string[], RespValue> _ask;
    private readonly List<(string Name, Func<string[]> Make)> _known;
    private int _id;

    /// <summary>Makes a stream.</summary>
    /// <param name="seed">What the randomness comes from.</param>
    /// <param name="ask">Asks the server that decides what there is.</param>
    public NewerStream(int seed, Func<string[], RespValue> ask)
    {
        _random = new Random(seed);
        _ask = ask;
        _known = [.. Makers().Where(maker => IsKnown(maker.Command, maker.Token))
            .Select(static maker => (maker.Token.Length == 0 ? maker.Command
                : $"{maker.Command} {maker.Token}", maker.Make))];
    }

    /// <summary>What the server has of it: commands, and commands with an option.</summary>
    public IEnumerable<string> Names => _known.Select(static one => one.Name);

    /// <summary>The next command, and which of the names it is of; empty: of none, it makes data.</summary>
    public (string Name, string[] Words) Next()
    {
        if (_random.Next(2) == 0)
            return ("", Data());
        (string name, Func<string[]> make) = _known[_random.Next(_known.Count)];
        string[] words = make();
        return (name, _random.Next(50) == 0 ? words[..^1] : words);
    }

    private bool IsKnown(string command, string token)
    {
        if (_ask(["COMMAND", "DOCS", command]).Items is not [_, var docs])
            return false;
        return token.Length == 0 || Tokens(docs).Contains(token);
    }

    private static IEnumerable<string> Tokens(RespValue node) => (node["arguments"]?.Items ?? [])
        .SelectMany(static one => Tokens(one).Prepend(one["token"]?.Text ?? ""));

    private IEnumerable<(string Command, string Token, Func<string[]> Make)> Makers()
    {
        string[] strings = ["IFEQ", "IFNE", "IFDEQ", "IFDNE"];
        foreach (string token in strings)
        {
            yield return ("set", token, () => ["SET", Key(), Value(), token, Compared(token), .. Maybe("GET"),
                .. Maybe("EXAT", FarS()), .. Maybe("KEEPTTL")]);
            yield return ("delex", token, () => ["DELEX", Key(), token, Compared(token)]);
        }

        yield return ("delex", "", () => ["DELEX", Any()]);
        yield return ("digest", "", () => ["DIGEST", Any()]);
        yield return ("msetex", "", MultiSet);
        foreach (string token in (string[])["DIFF", "DIFF1", "ANDOR", "ONE"])
            yield return ("bitop", token, () => ["BITOP", token, Key(), .. Some(Any, 4)]);
        yield return ("zrank", "WITHSCORE", () => ["ZRANK", "z", Value(), "WITHSCORE"]);
        yield return ("zrevrank", "WITHSCORE", () => ["ZREVRANK", "z", Value(), "WITHSCORE"]);
        yield return ("hscan", "NOVALUES", () => ["HSCAN", "small", "0", "NOVALUES"]);
        foreach ((string command, Func<string> time) in ((string, Func<string>)[])[("hexpire", LeftS),
            ("hpexpire", LeftMs), ("hexpireat", FarS), ("hpexpireat", FarMs)])
        {
            yield return (command, "", () => [command, Hash(), time(),
                .. Maybe(Of("NX", "XX", "GT", "LT", "no")), .. Fields()]);
        }

        foreach (string command in (string[])["httl", "hpttl", "hexpiretime", "hpexpiretime", "hpersist",
            "hgetdel"])
            yield return (command, "", () => [command, Hash(), .. Fields()]);
        yield return ("hgetex", "", () => ["HGETEX", Hash(), .. FieldTime("PERSIST"), .. Fields()]);
        yield return ("hsetex", "", () => ["HSETEX", Hash(), .. Maybe(Of("FNX", "FXX")),
            .. FieldTime("KEEPTTL"), .. Fields(withValues: true)]);
        foreach (string token in (string[])["KEEPREF", "DELREF", "ACKED"])
        {
            yield return ("xdelex", token, () =>
                ["XDELEX", token == "ACKED" ? GroupedStream() : Stream(), token, .. Ids()]);
            yield return ("xackdel", token, () => ["XACKDEL", Stream(), "g", token, .. Ids()]);
            yield return ("xtrim", token, () => ["XTRIM", Stream(), "MAXLEN", $"{_random.Next(6)}", token]);
            yield return ("xadd", token, () =>
                ["XADD", Stream(), token, "MAXLEN", $"{_random.Next(6)}", $"{++_id}-0", "f", Value()]);
        }
    }

    private string[] Data() => _random.Next(16) switch
    {
        0 => ["DEL", Any()],
        1 or 2 or 3 => ["SET", Key(), Value()],
        4 => ["GET", Any()],
        5 => ["EXPIREAT", Any(), FarS()],
        6 => ["ZADD", "z", $"{_random.Next(5)}.5", Value()],
        7 or 8 => ["HSET", Hash(), $"f{_random.Next(4)}", Value()],
        9 => ["HDEL", Hash(), $"f{_random.Next(4)}"],
        10 => ["HSET", "small", "f", Value(), "g", Value()],
        11 or 12 => ["XADD", Stream(), $"{++_id}-0", "f", Value()],
        13 => ["XGROUP", "CREATE", Stream(), Of("g", "k"), "0", "MKSTREAM"],
        14 => ["XREADGROUP", "GROUP", Of("g", "k"), "c", "COUNT", "3", "STREAMS", Stream(), ">"],
        _ => ["XACK", Stream(), Of("g", "k"), $"{Math.Max(1, _id - _random.Next(8))}-0"],
    };

    // XDELEX with ACKED of a stream that never had a group is a known difference.
    private string GroupedStream() => s_streams.FirstOrDefault(
        stream => _ask(["XINFO", "GROUPS", stream]).Items is [_, ..]) ?? "missing";

    private string[] MultiSet()
    {
        string[] pairs = [.. Some(Key, 3).SelectMany(key => (string[])[key, Value()])];
        string count = _random.Next(20) == 0 ? Of("0", "x", "9") : $"{pairs.Length / 2}";
        return ["MSETEX", count, .. pairs, .. Maybe(Of("NX", "XX")),
            .. _random.Next(3) == 0 ? ["EXAT", FarS()] : Maybe("KEEPTTL")];
    }

    private string Compared(string token)
    {
        if (!token.StartsWith("IFD", StringComparison.Ordinal))
            return Value();
        RespValue digest = _ask(["DIGEST", Key()]);
        return digest.Kind == '$' ? digest.Text : Of("0123456789abcdef", "0123456789ABCDEF", "x");
    }

    private string[] Fields(bool withValues = false)
    {
        string[] fields = [.. Some(() => $"f{_random.Next(4)}", 3).Distinct()];
        string count = _random.Next(20) == 0 ? Of("0", "x", "9", "-1") : $"{fields.Length}";
        return ["FIELDS", count, .. fields.SelectMany(field =>
            withValues ? (string[])[field, Value()] : [field])];
    }

    private string[] FieldTime(string word) => _random.Next(6) switch
    {
        0 => ["EXAT", FarS()],
        1 => ["PXAT", FarMs()],
        2 => ["EX", LeftS()],
        3 => [word],
        _ => [],
    };

    private string[] Ids()
    {
        string[] ids = [.. Some(() => $"{Math.Max(1, _id - _random.Next(10))}-0", 3)];
        return ["IDS", _random.Next(20) == 0 ? Of("0", "x", "9") : $"{ids.Length}", .. ids];
    }

    private string FarS() => $"{4_000_000_000 + _random.Next(1000)}";

    private string FarMs() => $"{4_000_000_000_000 + _random.Next(1000)}";

    private string LeftS() => _random.Next(15) == 0 ? Of("-1", "x", "9223372036854775807") : "500000";

    private string LeftMs() => _random.Next(15) == 0 ? Of("-1", "x", "9223372036854775807") : "500000000";

    private string Key() => Of(s_keys);

    private string Hash() => _random.Next(15) == 0 ? Any() : Of(s_hashes);

    private string Stream() => _random.Next(15) == 0 ? Any() : Of(s_streams);

    private string Any() => _random.Next(8) == 0 ? Of(s_hashes[0], s_streams[0], "none") : Key();

    private string Value() => Of(s_values);

    private string Of(params ReadOnlySpan<string> choices) => choices[_random.Next(choices.Length)];

    private string[] Maybe(params string[] words) => _random.Next(3) == 0 ? words : [];

    private IEnumerable<string> Some(Func<string> make, int countMax) =>
        Enumerable.Range(0, _random.Next(1, countMax + 1)).Select(_ => make()).ToArray();
}
