using System;
using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.Differential.StreamType;

/// <summary>An endless stream of random commands about a few streams and their groups. What depends on the
/// clock is left out, or far enough from any limit.</summary>
internal sealed class StreamCommands(Random random)
{
    private static readonly string[] s_oddIds =
    [
        "0-0", "0", "-", "+", "$", ">", "abc", "5-", "-5", "5-x", "1-*", "18446744073709551615",
        "18446744073709551615-18446744073709551615", "18446744073709551616", "18446744073709551615-*", " 5-1",
        "+5-1", "05-007", "1--05", "1--5", "(5-1", "((5", "(-", "(+", "(0-0", "", "1-1-1", "5 ",
        "1-18446744073709551615",
    ];

    private static readonly string[] s_numbers =
        ["0", "1", "2", "3", "5", "10", "100", "-1", "-5", "abc", "1.5", "9223372036854775808", ""];

    private const long FutureMs = 9_999_999_999_999;

    private int _ms = 1;
    private bool _isInTransaction;

    /// <summary>The keys that streams are made under.</summary>
    internal static string[] Keys { get; } = ["s0", "s1", "s2"];

    /// <summary>A stream whose IDs lie in the future.</summary>
    internal static string Future => "future";

    /// <summary>The groups.</summary>
    internal static string[] Groups { get; } = ["g0", "g1", "group \u00e9"];

    /// <summary>The next command.</summary>
    internal string[] Next()
    {
        // Long ones would nearly all have a command that is refused, and be discarded with it.
        List<string> words = _isInTransaction && random.Next(10) == 0 ? ["EXEC"] : Make();
        bool isOurs = words[0] != "CONFIG" && words.Count > 1;
        // Without its key, an entry with the server's own ID would go to a stream of another name.
        if (isOurs && random.Next(60) == 0 && !words.Contains("*"))
            words.RemoveAt(random.Next(1, words.Count));
        if (isOurs && random.Next(60) == 0) words.Add(Pick("x", Id(), Number(), "COUNT", "JUSTID"));
        if (words[0] == "MULTI") _isInTransaction = true;
        if (words[0] is "EXEC" or "DISCARD") _isInTransaction = false;
        if (random.Next(4) == 0) words[0] = words[0].ToLowerInvariant();
        return [.. words];
    }

    /// <summary>
    /// Since Redis 7.2 commands make their consumer even if they find nothing for it; for the oracle it is
    /// made before.
    /// </summary>
    internal static IEnumerable<string[]> Before(string[] words)
    {
        string name = words[0].ToUpperInvariant();
        if (name is "XCLAIM" or "XAUTOCLAIM" && words.Length > 3)
            yield return ["XGROUP", "CREATECONSUMER", words[1], words[2], words[3]];
        int first = Array.IndexOf(words, "STREAMS") + 1;
        if (name != "XREADGROUP" || words.Length < 4 || first == 0) yield break;
        foreach (string key in words.Skip(first).Take((words.Length - first) / 2))
            yield return ["XGROUP", "CREATECONSUMER", key, words[2], words[3]];
    }

    /// <summary>Notes that no transaction is open any more.</summary>
    internal void EndTransaction() => _isInTransaction = false;

    private List<string> Make() => random.Next(100) switch
    {
        < 30 => Add(),
        < 34 => Trim(),
        < 39 => [.. new[] { "XDEL", Key() }, .. Some(Id, 4)],
        < 44 => Range(),
        < 48 => Read(),
        < 62 => ReadGroup(),
        < 68 => [.. new[] { "XACK", Key(), Group() }, .. Some(Id, 4)],
        < 74 => Pending(),
        < 79 => Claim(),
        < 83 => AutoClaim(),
        < 90 => OfGroup(),
        < 92 => SetId(),
        < 95 => Info(),
        _ => Other(),
    };

    private string Pick(params ReadOnlySpan<string> choices) => choices[random.Next(choices.Length)];

    private string Key() => random.Next(30) switch
    {
        0 => "text",
        1 => "missing",
        _ => Pick(Keys),
    };

    private string Group() => random.Next(20) == 0 ? "nobody" : Pick(Groups);

    private string Consumer() => "c" + random.Next(4);

    private string Number() => Pick(s_numbers);

    private string Count() => random.Next(10) == 0 ? Number() : random.Next(1, 12).ToString();

    // Of what may be there: all have been given or will soon be.
    private string Id() => random.Next(14) switch
    {
        0 => Pick(s_oddIds),
        1 => random.Next(1, _ms + 2).ToString(),
        _ => $"{random.Next(Math.Max(1, _ms - 40), _ms + 1)}-{random.Next(5)}",
    };

    private string Bound() => random.Next(6) switch
    {
        0 => "-",
        1 => "+",
        2 => "(" + Id(),
        _ => Id(),
    };

    private IEnumerable<string> Some(Func<string> one, int countMax) =>
        Enumerable.Range(0, random.Next(1, countMax + 1)).Select(_ => one());

    private List<string> Add()
    {
        List<string> words = ["XADD", Key()];
        if (random.Next(20) == 0) words.Add("NOMKSTREAM");
        if (random.Next(6) == 0) words.AddRange(Threshold());
        if (random.Next(40) == 0) words.Add("NOMKSTREAM");
        if (random.Next(40) == 0) words.AddRange(Threshold());
        if (random.Next(3) == 0) _ms += random.Next(1, 4);
        words.Add(random.Next(8) switch
        {
            0 => Id(),
            1 => $"{_ms}-{random.Next(1, 100)}",
            2 => $"{++_ms}",
            _ => $"{_ms}-*",
        });
        for (int left = random.Next(3) == 0 ? random.Next(0, 5) : 2; left > 0; left--)
        {
            words.Add("field" + left);
            words.Add(Pick("1", "-77", "100000", "a value", "", new string('v', 70), "12345678901234567890"));
        }
        return words;
    }

    private List<string> Threshold()
    {
        List<string> words = [Pick("MAXLEN", "MINID", "maxlen")];
        if (random.Next(3) != 0) words.Add(Pick("~", "~", "="));
        words.Add(words[0] == "MINID" ? Id() : Count());
        if (random.Next(5) == 0) words.AddRange(["LIMIT", Count()]);
        return words;
    }

    private List<string> Trim() => [.. new[] { "XTRIM", Key() }, .. Threshold()];

    private List<string> Range()
    {
        List<string> words = [Pick("XRANGE", "XREVRANGE"), Key(), Bound(), Bound()];
        if (random.Next(3) == 0) words.AddRange(["COUNT", Count()]);
        if (random.Next(20) == 0) words.AddRange(["COUNT", Count()]);
        return words;
    }

    private List<string> Read()
    {
        List<string> words = ["XREAD"];
        AddReadOptions(words);
        int count = random.Next(1, 4);
        words.Add("STREAMS");
        for (int left = count; left > 0; left--) words.Add(Key());
        for (int left = count; left > 0; left--) words.Add(random.Next(12) == 0 ? Pick("$", ">") : Id());
        // The last entry, since Redis 7.4.
        words.RemoveAll(static word => word == "+");
        return words;
    }

    private void AddReadOptions(List<string> words)
    {
        if (random.Next(3) == 0) words.AddRange(["COUNT", Count()]);
        // Outside of transactions it would wait.
        if (_isInTransaction && random.Next(4) == 0) words.AddRange(["BLOCK", Number()]);
        if (random.Next(20) == 0) words.Add("NOACK");
    }

    private List<string> ReadGroup()
    {
        List<string> words = ["XREADGROUP"];
        if (random.Next(40) != 0) words.AddRange(["GROUP", Group(), Consumer()]);
        AddReadOptions(words);
        int count = random.Next(4) == 0 ? 2 : 1;
        words.Add("STREAMS");
        for (int left = count; left > 0; left--) words.Add(Key());
        for (int left = count; left > 0; left--) words.Add(random.Next(3) == 0 ? Id() : ">");
        return words;
    }

    private List<string> Pending()
    {
        List<string> words = ["XPENDING", Key(), Group()];
        if (random.Next(4) == 0) return words;
        if (random.Next(4) == 0) words.AddRange(["IDLE", Pick("0", "500000", "500000", "abc", "-1")]);
        words.AddRange([Bound(), Bound(), Count()]);
        if (random.Next(2) == 0) words.Add(Consumer());
        return words;
    }

    private List<string> Claim()
    {
        List<string> words = ["XCLAIM", Key(), Group(), Consumer(), Pick("0", "0", "500000", "-1", "abc")];
        words.AddRange(Some(Id, 4));
        if (random.Next(3) == 0) words.Add("FORCE");
        if (random.Next(4) == 0) words.Add("JUSTID");
        if (random.Next(4) == 0) words.AddRange(["IDLE", Pick("1000000", "1000000", "0", "-5", "abc")]);
        if (random.Next(8) == 0) words.AddRange(["TIME", Pick("1000", "-1", "9223372036854775807", "x")]);
        if (random.Next(6) == 0) words.AddRange(["RETRYCOUNT", Number()]);
        if (random.Next(6) == 0) words.AddRange(["LASTID", Id()]);
        return words;
    }

    private List<string> AutoClaim()
    {
        List<string> words =
            ["XAUTOCLAIM", Key(), Group(), Consumer(), Pick("0", "0", "500000", "-1", "abc"), Bound()];
        if (random.Next(2) == 0) words.AddRange(["COUNT", Count()]);
        if (random.Next(4) == 0) words.Add("JUSTID");
        return words;
    }

    private List<string> OfGroup()
    {
        List<string> words;
        switch (random.Next(10))
        {
            case < 4:
                words = ["XGROUP", "CREATE", Key(), Group(), random.Next(3) == 0 ? "$" : Id()];
                if (random.Next(2) == 0) words.Add("MKSTREAM");
                if (random.Next(6) == 0) words.AddRange(["ENTRIESREAD", Number()]);
                return words;
            case < 6:
                words = ["XGROUP", "SETID", Key(), Group(), random.Next(3) == 0 ? "$" : Id()];
                if (random.Next(6) == 0) words.AddRange(["ENTRIESREAD", Number()]);
                return words;
            case 6:
                return ["XGROUP", "DESTROY", Key(), Group()];
            case 7:
                return ["XGROUP", "CREATECONSUMER", Key(), Group(), Consumer()];
            default:
                return ["XGROUP", "DELCONSUMER", Key(), Group(), Consumer()];
        }
    }

    private List<string> SetId()
    {
        if (_isInTransaction) return ["XLEN", Key()];
        List<string> words = ["XSETID", Key(), Pick($"{++_ms}", Id())];
        if (random.Next(2) == 0) words.AddRange(["ENTRIESADDED", random.Next(3) == 0 ? Number() : "1000"]);
        if (random.Next(3) == 0) words.AddRange(["MAXDELETEDID", Pick(Id(), $"{_ms + 5}")]);
        return words;
    }

    private List<string> Info()
    {
        switch (random.Next(4))
        {
            case 0:
                return ["XINFO", "GROUPS", Key()];
            case 1:
                return ["XINFO", "CONSUMERS", Key(), Group()];
            case 2:
                return ["XINFO", "STREAM", Key()];
            default:
                List<string> words = ["XINFO", "STREAM", Key(), "FULL"];
                if (random.Next(2) == 0) words.AddRange(["COUNT", Count()]);
                return words;
        }
    }

    private List<string> Other() => random.Next(16) switch
    {
        0 => ["DEL", Pick(Keys)],
        1 => ["COPY", Key(), Pick(Keys), "REPLACE"],
        2 => ["RENAME", Key(), Pick(Keys)],
        3 => ["CONFIG", "SET", "stream-node-max-entries", Pick("0", "1", "3", "5", "100")],
        // Below the length of an entry redis-server 7.0.15 mixes up entries in the end, or does not survive;
        // StreamNodeTests asks it for such nodes more gently.
        4 => ["CONFIG", "SET", "stream-node-max-bytes", Pick("0", "4096")],
        5 => ["XGROUP", "HELP"],
        6 => ["XINFO", "HELP"],
        7 => ["XINFO", Pick("NOTHING", "STREAM")],
        8 => ["TYPE", Key()],
        9 or 10 => ["MULTI"],
        11 => ["SET", "text", "x"],
        12 => ["XADD", Future, $"{FutureMs}-*", "field", "value"],
        // In the time of no clock: the ID is the next one.
        13 => ["XADD", Future, "NOMKSTREAM", "MAXLEN", "5", "*", "field", "value"],
        _ => [_isInTransaction ? "EXEC" : "XLEN", .. _isInTransaction ? Array.Empty<string>() : [Key()]],
    };
}
