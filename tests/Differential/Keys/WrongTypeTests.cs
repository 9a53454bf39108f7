using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;
using Cinnabar.Engine.Specs;
using Cinnabar.Platform;
using Cinnabar.Tests.Differential.Streams;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Keys;

/// <summary>Every command that takes keys, on a key of every type and on a missing one: the reply is
/// redis-server's.</summary>
public sealed partial class WrongTypeTests
{
    private const int KeyCount = 12;
    private const int CallCount = 3;
    private const int SeedOfCi = 20261121;

    // Commands whose replies cannot be predicted, or that look into the store: an error, or none.
    private static readonly HashSet<string> s_loose = new(StringComparer.OrdinalIgnoreCase)
    {
        "spop", "srandmember", "hrandfield", "zrandmember", "sscan", "hscan", "zscan", "xadd", "xautoclaim",
        "dump", "xpending", "xclaim", "xinfo", "xreadgroup", "memory", "object", "sort", "sort_ro", "pfdebug",
        // The order of names means something among equal scores only.
        "zlexcount", "zrangebylex", "zrevrangebylex", "zremrangebylex", "zrange", "zrangestore",
    };

    // Newer versions of Redis look at these arguments before the key, and refuse some that 7.0 takes.
    private static readonly HashSet<string> s_argumentsFirst =
        new(StringComparer.OrdinalIgnoreCase) { "bitcount", "bitpos", "lpos", "lrem" };

    [Fact]
    public void EveryCommandMeetsEveryType()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        using var server = new OwnServer();
        RespClient ours = server.Connect();
        int seed = int.TryParse(Environment.GetEnvironmentVariable("CINNABAR_SEED"), out int given) ? given
            : Environment.GetEnvironmentVariable("CI") == "true" ? SeedOfCi
            : (int)(RandomSource.SystemSeed() & int.MaxValue);
        var random = new Random(seed);
        var values = new ValuePool(random);
        var differences = new List<string>();
        bool isFresh = false;
        foreach (string name in Names(redis))
        {
            RespValue docs = redis.Call("COMMAND", "DOCS", name).Items[1];
            IReadOnlyList<ArgumentTree> arguments = ArgumentTree.Of(docs);
            for (int call = 0; call < CallCount * KeyCount; call++)
            {
                string[] words = [.. name.Split('|'), .. Words(arguments, random, values)];
                // A command that waits for an entry of a stream would wait for ever.
                if (words.Contains("block", StringComparer.OrdinalIgnoreCase))
                    continue;
                NameKey(words, call % KeyCount);
                if (!isFresh)
                    Build(redis, ours);
                RespValue expected = redis.Call(words);
                RespValue actual = ours.Call(words);
                isFresh = expected.Kind == '-' && actual.Kind == '-';
                if (!IsSame(words, expected, actual))
                    differences.Add($"{string.Join(' ', words)}\n  redis: {expected}\n  ours:  {actual}");
            }
        }

        Assert.True(differences.Count == 0,
            $"Replay with CINNABAR_SEED={seed}.\n{string.Join('\n', differences.Take(60))}");
    }

    private static IEnumerable<string> Names(RespClient redis)
    {
        foreach (CommandSpec spec in new CommandTable().All.ToArray())
        {
            // A shard channel lies where a key does, but there is no key.
            const CommandFlags others = CommandFlags.Blocking | CommandFlags.Admin | CommandFlags.PubSub;
            // MIGRATE connects to whatever its arguments name.
            if ((spec.Flags & others) != 0 || spec.HandlerAddress == 0 || spec.Name == "migrate")
                continue;
            RespValue info = redis.Call("COMMAND", "INFO", spec.Name).Items[0];
            if (info.Items.Count > 3 && info.Items[3].Text != "0")
                yield return spec.Name;
        }

        foreach (string name in (string[])["object|encoding", "object|refcount", "memory|usage", "sintercard",
            "lmpop", "zmpop", "zunion", "zinter", "zdiff", "zintercard", "xread", "xreadgroup",
            "xinfo|stream", "xinfo|groups",
            "xgroup|create", "xgroup|destroy", "xgroup|setid", "georadius", "sort", "lcs"])
        {
            if (CommandStream.IsBuilt(name))
                yield return name;
        }
    }

    private static List<string> Words(IReadOnlyList<ArgumentTree> arguments, Random random, ValuePool values)
    {
        List<string> words = [];
        foreach (ArgumentTree argument in arguments)
            argument.Append(words, random, values);
        return words;
    }

    private static void NameKey(string[] words, int key)
    {
        int index = Array.FindIndex(words, static word => KeyName().IsMatch(word));
        if (index >= 0)
            words[index] = $"k{key}";
    }

    private static void Build(RespClient redis, RespClient ours)
    {
        redis.Call("FLUSHALL");
        ours.Call("FLUSHALL");
        redis.Call("SELECT", "0");
        ours.Call("SELECT", "0");
        foreach (string[] words in TypedData.OneOfEach())
        {
            redis.Call(words);
            ours.Call(words);
        }
    }

    private static bool IsSame(string[] words, RespValue redis, RespValue ours)
    {
        // Redis 8 and Valkey 9 refuse these cursors, and before they look at the key.
        if (words is ["hscan" or "sscan" or "zscan", _, "" or ['-', >= '1' and <= '9', ..], ..])
            return ours is { Kind: '-', Text: "ERR invalid cursor" };
        if (s_loose.Contains(words[0]) && redis.Kind != '-')
            return ours.Kind == redis.Kind;
        if (s_argumentsFirst.Contains(words[0])
            && ours.Text.StartsWith("ERR value is", StringComparison.Ordinal))
            return true;
        // Newer texts of this error name the command, newer scores have the shortest digits.
        if (redis.Text.Contains("Unbalanced", StringComparison.Ordinal))
            return ours.Text.Contains("Unbalanced", StringComparison.Ordinal);
        if (redis.Kind == '$' && double.TryParse(redis.Text, CultureInfo.InvariantCulture, out double number))
        {
            return double.TryParse(ours.Text, CultureInfo.InvariantCulture, out double same)
                && same.Equals(number);
        }

        return StreamDifferences.IsAllowed(isOld: true, words, Contents.Comparable(words, redis),
            Contents.Comparable(words, ours));
    }

    [GeneratedRegex("^k[0-9]+$")]
    private static partial Regex KeyName();
}
