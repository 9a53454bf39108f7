using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Differential.Streams;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Journaling;

/// <summary>What is appended to the file of random commands is what redis-server 7.0 appends to its
/// own.</summary>
public sealed class EffectOracleTests
{
    private const int CommandCount = 1500;
    private const long PastMs = 1_700_000_000_000;

    [Theory]
    [InlineData("strings")]
    [InlineData("lists")]
    [InlineData("hashes")]
    [InlineData("sets")]
    [InlineData("sortedsets")]
    [InlineData("streams")]
    [InlineData("geo")]
    public void RecordsAreThoseOfRedis(string family)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start("--appendonly", "yes", "--appendfsync", "no");
        // With this policy a record is in the file before its reply leaves.
        using OracleServer own = OracleServer.StartOwn("--appendonly", "yes", "--appendfsync", "always",
            "--rdb-compatibility", "7.0", "--io-threads", "1");
        Seeded.Run(1, seed => Compare(redis, own, family, (int)seed));
    }

    private static void Compare(OracleServer redis, OracleServer own, string family, int seed)
    {
        using RespClient theirs = redis.Connect();
        using RespClient ours = own.Connect();
        using var theirFile = new AppendedFile(theirs);
        using var ownFile = new AppendedFile(ours);
        var stream = new CommandStream(words => theirs.Call(words), seed, CommandFamily.CommandsOf(family));
        List<string> differences = [];
        HashSet<string> early = [];
        HashSet<string> late = [];
        for (int count = 0; count < CommandCount; count++)
        {
            string[] words = count % 10 == 9 ? Own(new Random(seed + count), family) : stream.Next();
            string reply = $"{theirs.Call(words)}";
            string ownReply = $"{ours.Call(words)}";
            List<string[]> expected = theirFile.TakeCommands();
            List<string[]> actual = ownFile.TakeCommands();
            AllowPast(words, expected, actual, late);
            Allow(expected, actual, family, early);
            if (!RecordedText.AreEqual(expected, actual))
                differences.Add($"{string.Join(' ', words)} ({reply} | {ownReply}):\n  "
                    + $"{RecordedText.Shown(expected)}\n  {RecordedText.Shown(actual)}");
        }

        Assert.True(differences.Count == 0,
            $"{differences.Count}: {string.Join("\n", differences.Take(20))}");
    }

    // A string that is set with a deadline in the past is stored by 7.0, which removes it a moment later,
    // with a record of each; here it removes what was there.
    private static void AllowPast(
        string[] words, List<string[]> expected, List<string[]> actual, HashSet<string> late)
    {
        string name = words.ElementAtOrDefault(1)?.ToLowerInvariant() ?? "";
        if (words[0].Equals("SET", StringComparison.OrdinalIgnoreCase)
            && expected.RemoveAll(static other => other[0] == "set" && IsInThePast(other)) > 0)
        {
            late.Add(name);
            actual.RemoveAll(other => other is ["del", string key] && key == name);
        }

        expected.RemoveAll(other => other is ["del", string key] && late.Contains(key)
            && !actual.Exists(own => Shown(own) == Shown(other)) && late.Remove(key));
    }

    private static bool IsInThePast(string[] words)
    {
        int index = Array.FindLastIndex(words, static word => word is "exat" or "pxat");
        return index > 2 && index < words.Length - 1 && long.TryParse(words[index + 1], out long time)
            && (words[index] == "exat" ? time < PastMs / 1000 : time < PastMs);
    }

    private static void Allow(
        List<string[]> expected, List<string[]> actual, string family, HashSet<string> early)
    {
        // Redis leaves LIMIT behind an exact threshold, which it accepts from files only, and records GEOADD
        // as ZADD; ours finds the same scores again.
        for (int index = 0; index < expected.Count; index++)
            expected[index] = Allowed(expected[index], family);
        for (int index = 0; index < actual.Count; index++)
            actual[index] = Allowed(actual[index], family);
        // Since Redis 7.2 a claim makes its consumer even if it finds nothing for it. Asked for later, it is
        // new in 7.0 only, and deleted before, it was there here only.
        string[] theirs = [.. expected.Where(IsNewConsumer).Select(Shown)];
        string[] own = [.. actual.Where(IsNewConsumer).Select(Shown)];
        expected.RemoveAll(
            words => IsNewConsumer(words) && !own.Contains(Shown(words)) && early.Remove(Shown(words)));
        early.UnionWith(own.Except(theirs));
        actual.RemoveAll(words => IsNewConsumer(words) && !theirs.Contains(Shown(words)));
        actual.RemoveAll(words => words is ["xgroup", "delconsumer", string key, string group, string name]
            && early.Remove(Shown(["xgroup", "createconsumer", key, group, name]))
            && !expected.Exists(other => Shown(other) == Shown(words)));
        actual.RemoveAll(words => IsOwn(words) && !expected.Exists(other => Shown(other) == Shown(words)));
        Unwrap(expected);
        Unwrap(actual);

        // Redis 7.0 does not record how many entries a group has read, which 7.2 does, nor a BITFIELD that
        // only made the string longer.
        bool IsOwn(string[] words) => words is ["bitfield", ..]
            || (words is ["xgroup", "setid", string key, string group, string id, "entriesread", _]
                && expected.Exists(other => other is ["xclaim", ..] && other[1] == key && other[2] == group
                    && other[^1] == id));
    }

    // A transaction of one command, or of what is left after the above.
    private static void Unwrap(List<string[]> commands)
    {
        if (commands.Count is 2 or 3 && commands[0] is ["multi"] && commands[^1] is ["exec"])
            commands.RemoveAll(static words => words is ["multi"] or ["exec"]);
    }

    private static string Shown(string[] words) => string.Join(' ', words);

    private static bool IsNewConsumer(string[] words) => words is ["xgroup", "createconsumer", ..];

    private static string[] Allowed(string[] words, string family)
    {
        if (family == "geo" && words is ["geoadd" or "zadd", string key, ..])
            return ["zadd", key];
        int limit = Array.IndexOf(words, "limit");
        return words[0] is "xadd" or "xtrim" && limit is > 0 and < 7
            ? [.. words[..limit], .. words[(limit + 2)..]]
            : words;
    }

    private static string[] Own(Random random, string family)
    {
        string key = $"k{random.Next(12)}";
        string other = $"k{random.Next(12)}";
        return family switch
        {
            "sets" => random.Next(2) == 0 ? ["SPOP", key, "1000"] : ["SUNIONSTORE", key, other, key],
            "lists" => ["LMPOP", "2", key, other, "LEFT", "COUNT", "3"],
            "sortedsets" => ["ZMPOP", "2", key, other, "MAX", "COUNT", "3"],
            "streams" => ["XADD", key, "MAXLEN", "~", "3", "LIMIT", "5", $"{random.Next(30)}-*", "f", "v"],
            "hashes" => ["HINCRBYFLOAT", key, "m1", "1.5"],
            _ => ["GETEX", key, "EX", "1000"],
        };
    }
}
