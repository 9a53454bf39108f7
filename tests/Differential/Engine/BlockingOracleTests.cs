using System.Collections.Generic;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Engine;

/// <summary>
/// Several clients, on several loops here, push, pop, move and wait at random, beside redis-server: every
/// client gets the same replies at the same moment. A command that waits for several keys runs again as a
/// whole here, as in Redis since 7.2, and so waits for keys that no move leads to; transactions make one key
/// ready at a time.
/// </summary>
public sealed class BlockingOracleTests
{
    private const int ClientCount = 6;
    private const int StepCount = 5000;
    private const int ServedCountMin = 100;

    private static readonly string[] s_sources = ["a", "b", "c"];
    private static readonly string[] s_targets = ["d", "e"];
    private static readonly string[] s_all = ["a", "b", "c", "d", "e"];
    private static readonly string[] s_sorted = ["x", "y", "z"];
    private static readonly string[] s_streams = ["s", "t"];

    [Fact]
    public void EveryClientIsServedAsByRedis()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        Seeded.Run(1, seed =>
        {
            using var server = new OwnServer(3, ("loop-placement", "all"));
            using var pairs = new BlockingPairs(server, oracle, ClientCount);
            var random = new RandomSource(seed);
            foreach (string key in s_streams)
                pairs.Run(0, ["XGROUP", "CREATE", key, "g", "$", "MKSTREAM"]);
            for (int step = 0; step < StepCount; step++)
                Step(pairs, ref random);
            for (int client = 0; client < ClientCount; client++)
                pairs.Unblock(client, "ERROR");
            foreach (string key in s_all)
                pairs.Run(0, ["LRANGE", key, "0", "-1"]);
            pairs.Run(0, ["FLUSHALL"]);
            Assert.True(pairs.ServedCount > ServedCountMin, $"{pairs.ServedCount} were served");
        });
    }

    private static void Step(BlockingPairs pairs, ref RandomSource random)
    {
        int client = (int)random.NextBelow(ClientCount);
        if (pairs.IsBlocked(client))
        {
            if (random.NextBelow(10) == 0)
                pairs.Unblock(client, random.NextBelow(2) == 0 ? "ERROR" : "TIMEOUT");
            return;
        }

        switch (random.NextBelow(27))
        {
            case 0:
                Transaction(pairs, client, ref random);
                break;
            case 1:
                string key = Any(s_all, ref random);
                pairs.Run(client, ["SELECT", "1"], ["FLUSHDB"], ["RPUSH", key, "x", "y"],
                    ["SWAPDB", "0", "1"], ["SELECT", "0"]);
                break;
            case 2:
                string moved = Any(s_all, ref random);
                pairs.Run(client, ["SELECT", "1"], ["RPUSH", moved, "m"], ["MOVE", moved, "0"],
                    ["SELECT", "0"]);
                break;
            case < 9:
                pairs.Run(client, [SortedSetCommand(ref random)]);
                break;
            case < 13:
                pairs.Run(client, [StreamCommand(client, ref random)]);
                break;
            default:
                pairs.Run(client, [Command(ref random)]);
                break;
        }
    }

    private static void Transaction(BlockingPairs pairs, int client, ref RandomSource random)
    {
        string key = Any(s_all, ref random);
        List<string[]> commands = [["MULTI"]];
        for (int count = 1 + (int)random.NextBelow(3); count > 0; count--)
        {
            commands.Add(random.NextBelow(6) switch
            {
                0 => ["LPOP", key],
                1 => ["DEL", key],
                2 => ["BLPOP", key, "0"],
                3 => ["LPUSH", key, $"{random.NextBelow(1000)}"],
                _ => ["RPUSH", key, $"{random.NextBelow(1000)}", $"{random.NextBelow(1000)}"],
            });
        }

        commands.Add(["EXEC"]);
        pairs.Run(client, [.. commands]);
    }

    private static string[] Command(ref RandomSource random)
    {
        string key = Any(s_all, ref random);
        string source = Any(s_sources, ref random);
        string target = random.NextBelow(8) == 0 ? "string" : Any(s_targets, ref random);
        string end = End(ref random);
        return random.NextBelow(20) switch
        {
            0 or 1 => ["LPUSH", key, .. Values(ref random)],
            2 or 3 or 4 => ["RPUSH", key, .. Values(ref random)],
            5 => ["LPOP", key],
            6 => ["RPOPLPUSH", source, target],
            7 => ["LMOVE", source, target, end, End(ref random)],
            8 => ["RENAME", key, Any(s_all, ref random)],
            9 => ["COPY", key, Any(s_all, ref random), "REPLACE"],
            10 => ["SET", "string", "s"],
            11 => ["DEL", key],
            12 or 13 => ["BLMOVE", source, target, end, End(ref random), "0"],
            14 => ["BRPOPLPUSH", source, target, "0"],
            15 => ["BLMPOP", "0", "2", source, Any(s_sources, ref random), end, "COUNT", "2"],
            16 => ["BRPOP", source, Any(s_sources, ref random), source, "0"],
            _ => ["BLPOP", key, "0"],
        };
    }

    private static string[] SortedSetCommand(ref RandomSource random)
    {
        string key = Any(s_sorted, ref random);
        string other = Any(s_sorted, ref random);
        string which = random.NextBelow(2) == 0 ? "MIN" : "MAX";
        return random.NextBelow(9) switch
        {
            0 or 1 => ["ZADD", key, $"{random.NextBelow(5)}", $"{random.NextBelow(20)}"],
            2 => ["ZADD", key, "1.5", $"{random.NextBelow(20)}", "inf", $"{random.NextBelow(20)}", "2", "m"],
            3 => ["RENAME", key, other],
            4 => ["ZPOPMIN", key],
            5 => ["BZMPOP", "0", "2", key, other, which, "COUNT", "2"],
            6 => [$"BZPOP{which}", key, other, "0"],
            7 => ["ZRANGE", key, "0", "-1", "WITHSCORES"],
            _ => [$"BZPOP{which}", key, "0"],
        };
    }

    // IDs of the future, so that both servers give the same. Readers of a group wait for one stream: those of
    // several keep their places here, and lose them there. What ends a stream is left out: newer versions
    // have another word for it.
    private static string[] StreamCommand(int client, ref RandomSource random)
    {
        string key = Any(s_streams, ref random);
        string[] group = ["GROUP", "g", $"c{client}"];
        return random.NextBelow(9) switch
        {
            0 or 1 or 2 => ["XADD", key, "9999999999999-*", "field", $"{random.NextBelow(100)}"],
            3 => ["XREAD", "BLOCK", "0", "STREAMS", key, "$"],
            4 => ["XREAD", "COUNT", "1", "BLOCK", "0", "STREAMS", .. s_streams, "$", "$"],
            5 => ["XREADGROUP", .. group, "COUNT", "1", "BLOCK", "0", "STREAMS", key, ">"],
            6 => ["XREADGROUP", .. group, "BLOCK", "0", "NOACK", "STREAMS", key, ">"],
            7 => ["XREADGROUP", .. group, "BLOCK", "0", "STREAMS", key, "0"],
            _ => ["XTRIM", key, "MAXLEN", "3"],
        };
    }

    private static string[] Values(ref RandomSource random)
    {
        var values = new string[1 + (int)random.NextBelow(4)];
        for (int index = 0; index < values.Length; index++)
            values[index] = $"{random.NextBelow(1000)}";
        return values;
    }

    private static string End(ref RandomSource random) => random.NextBelow(2) == 0 ? "LEFT" : "RIGHT";

    private static string Any(string[] keys, ref RandomSource random) =>
        keys[(int)random.NextBelow((ulong)keys.Length)];
}
