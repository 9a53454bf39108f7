using System;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>Where newer Redis differs from the oracle and the newer wins; each has a test of its
/// own.</summary>
internal static partial class StreamDifferences
{
    // 7.0 prints 17 digits behind the point of a place, however small it is.
    private const double LastPlace = 1e-17;

    /// <summary>Whether two replies may differ.</summary>
    /// <param name="isOld">Whether the oracle is of Redis 7.0.</param>
    /// <param name="words">The command.</param>
    /// <param name="redis">The oracle's reply.</param>
    /// <param name="ours">Our reply.</param>
    public static bool IsAllowed(bool isOld, string[] words, string redis, string ours)
    {
        if (redis == ours)
            return true;
        return isOld
            ? IsAllowedOfOld(words, redis, ours)
            : IsAllowedAlways(words[0].ToUpperInvariant(), redis, ours);
    }

    private static bool IsAllowedAlways(string name, string redis, string ours) => name switch
    {
        // Redis counts a key that is past its deadline (SET with PXAT in the past makes one) until it comes
        // upon it; here it is gone. That no other key is missing is seen at the next checkpoint.
        "DBSIZE" => redis[0] == ':' && ours[0] == ':' && Count(redis) > Count(ours),
        "TTL" or "PTTL" or "EXPIRETIME" or "PEXPIRETIME" => Contents.AreSameDeadlines(name, redis, ours),
        // What is stored, or is left, small is small here; in Redis it hangs on the way there.
        "OBJECT" => (ours, redis) is ("$listpack", "$quicklist" or "$skiplist" or "$hashtable")
            or ("$intset", "$hashtable"),
        // Redis's digits are the shortest nearly always.
        _ => name[0] is 'Z' or 'G' or 'S' && AreSameNumbers(redis, ours),
    };

    private static bool IsAllowedOfOld(string[] words, string redis, string ours)
    {
        string name = words[0].ToUpperInvariant();

        if (IsAllowedAlways(name, redis, ours))
            return true;

        if (StreamGroups.IsQuestion(words) && StreamGroups.AreAsGoodAsOld(words, redis, ours))
            return true;

        // Since Redis 7.2 illegal arguments are an error where the key is missing, too.
        if (name is "BITCOUNT" or "BITPOS" && redis is ":0" or ":-1" && ours.StartsWith("-ERR",
            StringComparison.Ordinal))
            return true;

        // Newer Redis names the command in this error.
        if (name[0] == 'X' && redis.StartsWith("-ERR Unbalanced XREAD", StringComparison.Ordinal))
            return ours.StartsWith("-ERR Unbalanced 'x", StringComparison.Ordinal);

        // Since Redis 7.4 the ID + asks XREAD for the last entry, and is named in XREADGROUP's error.
        if (name.StartsWith("XREAD", StringComparison.Ordinal) && words.Contains("+")
            && redis.StartsWith("-ERR Invalid stream ID specified", StringComparison.Ordinal))
            return name == "XREAD" || ours.StartsWith("-ERR The + ID", StringComparison.Ordinal);

        // Since Redis 7.2 XREADGROUP makes the consumer also where there is nothing to read.
        if (name == "XGROUP" && redis == ":1" && ours == ":0")
            return words[1].Equals("createconsumer", StringComparison.OrdinalIgnoreCase);

        // Since Redis 7.2 LPOS refuses a rank that has no negative.
        if (name == "LPOS" && ours.StartsWith("-ERR value is out of range, value must between",
            StringComparison.Ordinal))
            return words.Contains("-9223372036854775808");

        // Redis 7.2 and later name the operators that came since in this error; the operators do not exist in
        // 7.0.
        return name == "BITOP" && redis == "-ERR syntax error" && ours.StartsWith('-');
    }

    private static bool AreSameNumbers(string redis, string ours) =>
        NumberPattern().Replace(redis, "#") == NumberPattern().Replace(ours, "#")
        && NumberPattern().Matches(redis).Zip(NumberPattern().Matches(ours)).All(static pair =>
            pair.First.Value == pair.Second.Value || Number(pair.First).Equals(Number(pair.Second))
            || Math.Abs(Number(pair.First) - Number(pair.Second)) <= LastPlace);

    private static double Number(Match match) => double.Parse(match.ValueSpan, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"-?\d+(\.\d+)?([eE][+-]?\d+)?")]
    private static partial Regex NumberPattern();

    private static long Count(string reply) => long.Parse(reply.AsSpan(1), CultureInfo.InvariantCulture);
}
