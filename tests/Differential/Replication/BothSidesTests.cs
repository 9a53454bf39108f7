using System;
using System.Collections.Generic;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>What clients of a master and of its replica see of the same commands: waits that end, keyspace
/// events, transactions, scripts and functions. Each pair of Cinnabar and redis-server shows what two
/// redis-servers show.</summary>
public sealed class BothSidesTests
{
    private const string Library = "#!lua name=lib\n"
        + "redis.register_function('put', function(k, a) return redis.call('SET', k[1], a[1]) end)\n"
        + "redis.register_function{function_name='look', flags={'no-writes'}, "
        + "callback=function(k) return redis.call('GET', k[1]) end}";

    private static readonly string[] s_options =
    [
        "--notify-keyspace-events", "AE", "--repl-diskless-sync-delay", "0", "--replica-read-only", "no",
        "--repl-ping-replica-period", "3600",
    ];

    [Theory]
    [InlineData("own", "own")]
    [InlineData("own", "redis")]
    [InlineData("redis", "own")]
    public void ClientsSeeWhatThoseOfRedisSee(string first, string second)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        Assert.Equal(Run("redis", "redis"), Run(first, second));
    }

    private static List<string> Run(string first, string second)
    {
        using OracleServer master = Start(first);
        using OracleServer replica = Start(second, "--replicaof", $"127.0.0.1 {master.Port}");
        using var sides = new ObservedPair(master, replica);
        Waits(sides);
        WritesInOneUnit(sides);
        Functions(sides);
        WatchedKey(sides);
        OwnKeysOfTheReplica(sides);
        sides.TakeEvents();
        return sides.Seen;
    }

    // Clients of the master that wait: the replica gets what serving them has done.
    private static void Waits(ObservedPair sides)
    {
        sides.AwaitServed(["BLPOP", "q", "0"], ["RPUSH", "q", "a", "b"]);
        sides.AwaitServed(["BLPOP", "q2", "0"], ["RPUSH", "q2", "a"]);
        sides.AwaitServed(["BLMOVE", "from", "to", "LEFT", "RIGHT", "0"], ["RPUSH", "from", "x", "y"]);
        sides.AwaitServed(["BZPOPMIN", "z", "0"], ["ZADD", "z", "1", "m", "2", "n"]);
        sides.AwaitServed(["BLMPOP", "0", "2", "none", "l", "RIGHT", "COUNT", "2"],
            ["RPUSH", "l", "1", "2", "3"]);
        sides.AwaitServed(["XREAD", "BLOCK", "0", "STREAMS", "x", "$"], ["XADD", "x", "1-1", "f", "v"]);
        sides.OnBoth(["LRANGE", "q", "0", "-1"], ["EXISTS", "q2"], ["LRANGE", "to", "0", "-1"],
            ["ZRANGE", "z", "0", "-1"], ["LRANGE", "l", "0", "-1"], ["XRANGE", "x", "-", "+"]);
    }

    private static void WritesInOneUnit(ObservedPair sides)
    {
        sides.OnMaster(["MULTI"], ["SET", "a", "1"], ["INCR", "a"], ["SELECT", "1"], ["SET", "b", "1"],
            ["SELECT", "0"], ["LPUSH", "w", "1", "2"], ["EXEC"]);
        sides.OnMaster(["EVAL", "redis.call('SET', KEYS[1], 's') redis.call('DEL', KEYS[2]) "
            + "return redis.call('SPOP', KEYS[3], 5)", "3", "c", "w", "none"]);
        sides.OnMaster(["MULTI"], ["SET", "d", "1"], ["EVAL", "return redis.call('APPEND', 'd', '2')", "0"],
            ["GETDEL", "a"], ["EXEC"]);
        sides.OnMaster(["MULTI"], ["SET", "lost", "1"], ["DISCARD"]);
        sides.OnMaster(["HSET", "h", "f", "1"], ["HDEL", "h", "f"], ["RENAME", "c", "e"],
            ["COPY", "e", "g"], ["MOVE", "e", "1"], ["SET", "g", "1", "EX", "100"], ["PERSIST", "g"]);
        sides.OnBoth(["GET", "a"], ["GET", "d"], ["GET", "lost"], ["GET", "g"], ["DBSIZE"], ["SELECT", "1"],
            ["GET", "b"], ["GET", "e"], ["SELECT", "0"]);
    }

    private static void Functions(ObservedPair sides)
    {
        sides.OnMaster(["FUNCTION", "LOAD", Library], ["FCALL", "put", "1", "k", "v"],
            ["SCRIPT", "LOAD", "return redis.call('GET', KEYS[1])"]);
        sides.OnBoth(["FCALL_RO", "look", "1", "k"], ["FUNCTION", "STATS"],
            ["EVAL_RO", "return redis.call('GET', KEYS[1])", "1", "k"],
            ["EVAL_RO", "return redis.call('SET', KEYS[1], 'x')", "1", "k"]);
        sides.OnReplica(["CONFIG", "SET", "replica-read-only", "yes"], ["FCALL", "put", "1", "k", "w"],
            ["FCALL", "look", "1", "k"], ["EVAL", "return redis.call('SET', KEYS[1], 'x')", "1", "k"],
            ["MULTI"], ["GET", "k"], ["FCALL", "put", "1", "k", "w"], ["EXEC"], ["FUNCTION", "FLUSH"],
            ["BLPOP", "q", "0"], ["CONFIG", "SET", "replica-read-only", "no"]);
        sides.OnMaster(["FUNCTION", "DELETE", "lib"]);
        sides.OnBoth(["FCALL_RO", "look", "1", "k"], ["GET", "k"], ["FUNCTION", "STATS"]);
    }

    // A key that the stream changes is changed for those that watch it.
    private static void WatchedKey(ObservedPair sides)
    {
        sides.OnReplica(["WATCH", "k"], ["MULTI"], ["GET", "k"]);
        sides.OnMaster(["SET", "k", "changed"]);
        sides.OnReplica(["EXEC"], ["WATCH", "k"], ["MULTI"], ["GET", "k"]);
        sides.OnMaster(["SET", "other", "1"]);
        sides.OnReplica(["EXEC"]);
    }

    private static void OwnKeysOfTheReplica(ObservedPair sides)
    {
        sides.AwaitServedByReplica(["BLPOP", "own", "0"], ["RPUSH", "own", "a"]);
        sides.AwaitServedByReplica(["BLMOVE", "own", "own2", "LEFT", "LEFT", "0"], ["RPUSH", "own", "b"]);
        sides.OnReplica(["LRANGE", "own2", "0", "-1"], ["SET", "mine", "1"], ["DEL", "mine"]);
        // The master's stream serves, too, and does not hear of it.
        sides.AwaitServedByStream(["BLPOP", "both", "0"], ["RPUSH", "both", "a", "b"]);
        sides.AwaitServedByStream(["XREAD", "BLOCK", "0", "STREAMS", "x", "$"],
            ["XADD", "x", "2-1", "f", "w"]);
        sides.OnBoth(["LRANGE", "both", "0", "-1"], ["EXISTS", "own2"]);
    }

    private static OracleServer Start(string kind, params ReadOnlySpan<string> options) => kind == "own"
        ? OracleServer.StartOwn(
            [.. s_options, "--rdb-compatibility", "7.0", "--io-threads", "2", .. options])
        : OracleServer.Start([.. s_options, .. options]);
}
