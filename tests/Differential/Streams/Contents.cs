using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>What is asked of a server to know all that it holds, and how two answers are compared.</summary>
internal static class Contents
{
    // How long after the other a server may have got a command, on a machine with other things to do: less
    // than the shortest time to live that streams give.
    private const long LateSeconds = 300;

    private static readonly HashSet<string> s_unordered = new(StringComparer.OrdinalIgnoreCase)
    {
        "keys", "smembers", "sinter", "sunion", "sdiff", "hkeys", "hvals",
    };

    /// <summary>The questions about one database, which they select.</summary>
    /// <param name="call">Asks a server that knows the keys.</param>
    /// <param name="database">The database.</param>
    public static IEnumerable<string[]> Probes(Func<string[], RespValue> call, int database)
    {
        yield return ["SELECT", $"{database}"];
        yield return ["DBSIZE"];
        yield return ["KEYS", "*"];
        foreach (RespValue key in call(["KEYS", "*"]).Items)
        {
            yield return ["OBJECT", "ENCODING", key.Text];
            yield return ["EXPIRETIME", key.Text];
            yield return ["TYPE", key.Text];
            string type = call(["TYPE", key.Text]).Text;
            foreach (string[] words in ProbesOf(type, key.Text))
                yield return words;
            if (type != "stream")
                continue;
            foreach (string[] words in StreamGroups.Probes(call, key.Text))
                yield return words;
        }
    }

    /// <summary>A reply in a form in which equal contents are equal texts.</summary>
    public static string Comparable(string[] words, RespValue reply)
    {
        if (words[0].Equals("hgetall", StringComparison.OrdinalIgnoreCase))
            return Sorted(reply.Items.Chunk(2).Select(static pair => $"{pair[0]} {pair[^1]}"));
        if (StreamGroups.IsQuestion(words))
            return StreamGroups.Comparable(words, reply);
        if (s_unordered.Contains(words[0]) && reply.Items.Count > 0)
            return Sorted(reply.Items.Select(static item => item.ToString()));
        return reply.ToString();
    }

    /// <summary>Whether two replies name about the same deadline, or the same time that is left: that of a
    /// relative one depends on when the server got it.</summary>
    public static bool AreSameDeadlines(string command, string redis, string ours)
    {
        long unit = command.ToUpperInvariant() switch
        {
            "TTL" or "EXPIRETIME" => 1,
            "PTTL" or "PEXPIRETIME" => 1000,
            _ => 0,
        };
        return unit != 0 && IsTime(redis, out long theirs) && IsTime(ours, out long mine)
            && Math.Abs(theirs - mine) <= LateSeconds * unit;
    }

    private static bool IsTime(string reply, out long time) =>
        long.TryParse(reply.AsSpan(1), CultureInfo.InvariantCulture, out time)
        && reply[0] == ':' && time >= 0;

    private static string[][] ProbesOf(string type, string key) => type switch
    {
        "list" => [["LRANGE", key, "0", "-1"], ["LLEN", key]],
        "set" => [["SMEMBERS", key], ["SCARD", key]],
        "zset" => [["ZRANGE", key, "0", "-1", "WITHSCORES"], ["ZCARD", key]],
        "hash" => [["HGETALL", key], ["HLEN", key]],
        "stream" => [["XRANGE", key, "-", "+"], ["XLEN", key]],
        _ => [["GET", key]],
    };

    private static string Sorted(IEnumerable<string> items) =>
        string.Join(',', items.Order(StringComparer.Ordinal));
}
