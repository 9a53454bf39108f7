using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Engine;

/// <summary>Users may do what redis-server allows them: ACL DRYRUN and the commands themselves.</summary>
public sealed class AccessOracleTests
{
    private const int RoundCount = 60;
    private const int CommandCount = 60;

    private static readonly string[] s_rules =
    [
        "~a*", "~*", "resetkeys", "%R~r*", "%W~w*", "%RW~b?", "%R~a1", "%W~a1", "~[ab]1",
        "&ch*", "&*", "resetchannels", "&one", "+@all", "-@all", "+@read", "-@write", "+@write", "+@string",
        "-@dangerous", "+@keyspace", "-@connection", "+@scripting", "+get", "-get", "+set", "-set",
        "+config|get", "-config", "+client", "-client|id", "+select|0", "-select", "+object|encoding",
        "(+@read ~r*)", "(+set +get %W~w*)", "(+@all ~b* &ch*)", "(-@all)", "clearselectors",
    ];

    // K: a key, C: a channel.
    private static readonly string[] s_commands =
    [
        "GET K", "SET K v", "SET K v GET", "SET K v EX 10 get", "MSET K 1 K 2", "MGET K K", "COPY K K",
        "RENAME K K", "SORT K", "SORT K STORE K", "SORT_RO K", "SORT K BY w*", "SORT K GET w*", "SORT K BY x",
        "DEL K K", "GETDEL K", "GETEX K PERSIST", "EXISTS K", "TYPE K", "EXPIRE K 10", "OBJECT ENCODING K",
        "MEMORY USAGE K", "LPUSH K 1", "LMOVE K K LEFT LEFT", "LMPOP 2 K K LEFT", "BLPOP K 0.001", "SADD K 1",
        "SMOVE K K 1", "SINTERSTORE K K K", "SINTERCARD 2 K K", "ZADD K 1 a", "ZUNIONSTORE K 2 K K",
        "ZRANGESTORE K K 0 1", "HSET K a 1", "HGET K a", "PFADD K 1", "PFCOUNT K", "PFMERGE K K",
        "SETBIT K 1 1",
        "BITFIELD K GET u8 0", "BITFIELD K SET u8 0 1", "BITOP NOT K K", "GEORADIUS K 1 2 3 m STORE K",
        "XADD K * a 1", "XREAD STREAMS K 0", "XGROUP CREATE K g $ MKSTREAM", "EVAL return~1 1 K",
        "EVAL return~1 0", "EVAL_RO return~1 1 K", "EVALSHA x 1 K", "PUBLISH C m", "SPUBLISH C m", "KEYS *",
        "CONFIG GET port", "CLIENT ID", "CLIENT GETNAME", "SELECT 0", "SELECT 1", "ECHO a", "DBSIZE",
        "RANDOMKEY", "SCAN 0", "FLUSHALL", "ACL WHOAMI", "ACL CAT", "COMMAND COUNT", "WATCH K", "TOUCH K",
        "UNLINK K", "APPEND K v", "STRLEN K", "DUMP K", "LPOS K a", "SUBSTR K 0 1", "INCR K", "GETSET K v",
        "MIGRATE h 1 K 0 1", "MIGRATE h 1 ~ 0 1 KEYS K", "EVAL return~1 9 K", "RESTORE K 0 x",
    ];

    private static readonly string[] s_keys = ["a1", "a2", "b1", "bb", "r1", "w1", "x", "%"];
    private static readonly string[] s_channels = ["ch1", "one", "other"];

    [Fact]
    public void GeneratedUsersMayDoWhatTheOracleAllows()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        using var server = new OwnServer(loopCount: 2);
        RespClient ours = server.Connect();
        var random = new Random((int)Seeded.Seed());
        for (int round = 0; round < RoundCount; round++)
        {
            string[] rules = [.. Enumerable.Range(0, 1 + random.Next(9))
                .Select(_ => s_rules[random.Next(s_rules.Length)])];
            foreach (RespClient client in (RespClient[])[redis, ours])
                client.Call("ACL", "SETUSER", "user", "reset", "on", "nopass");
            foreach (string rule in rules)
            {
                Assert.Equal($"{rule} {redis.Call("ACL", "SETUSER", "user", rule)}",
                    $"{rule} {ours.Call("ACL", "SETUSER", "user", rule)}");
            }

            using RespClient theirUser = oracle.Connect();
            RespClient ourUser = server.Connect();
            Assert.Equal($"{theirUser.Call("AUTH", "user", "x")}", $"{ourUser.Call("AUTH", "user", "x")}");
            for (int count = 0; count < CommandCount; count++)
            {
                string[] words = Command(random);
                string what = $"{string.Join(' ', rules)} => {string.Join(' ', words)} => ";
                string[] dryRun = ["ACL", "DRYRUN", "user", .. words];
                Assert.Equal(what + redis.Call(dryRun), what + ours.Call(dryRun));
                if (words[0] is not ("MIGRATE" or "FLUSHALL"))
                    Assert.Equal(what + Denial(theirUser, words), what + Denial(ourUser, words));
            }
        }
    }

    [Fact]
    public void CategoriesHaveTheOraclesCommands()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        using var server = new OwnServer();
        RespClient ours = server.Connect();
        Assert.Equal($"{redis.Call("ACL", "CAT")}", $"{ours.Call("ACL", "CAT")}");
        foreach (string category in redis.Call("ACL", "CAT").Items.Select(item => item.Text))
        {
            string[] theirs = [.. Commands(redis, category)];
            string[] own = [.. Commands(ours, category)];
            // What one side does not have at all stands in WhatOneSideLacksIsKnown.
            HashSet<string> all = [.. ours.Call("COMMAND", "LIST").Items.Select(item => item.Text)];
            string[] missing = [.. theirs.Except(own).Where(name => all.Contains(name.Split('|')[0])
                && !SpecDifferences.SubcommandsNotYet.Contains(name))];
            string[] more = [.. own.Except(theirs).Except(SpecDifferences.Newer)];
            Assert.Equal($"{category}: ", $"{category}: {string.Join(' ', missing)}");
            Assert.Equal($"{category}: " + (category == "blocking" ? "wait" : ""),
                $"{category}: {string.Join(' ', more)}");
        }
    }

    private static IEnumerable<string> Commands(RespClient client, string category) =>
        client.Call("ACL", "CAT", category).Items.Select(item => item.Text);

    private static string[] Command(Random random) =>
        [.. s_commands[random.Next(s_commands.Length)].Split(' ')
        .Select(word => word switch
        {
            "K" => s_keys[random.Next(s_keys.Length)],
            "C" => s_channels[random.Next(s_channels.Length)],
            "~" => "",
            _ => word.Replace('~', ' '),
        })];

    private static string Denial(RespClient client, string[] words)
    {
        string reply = client.Call(words).ToString();
        bool isDenied = reply.StartsWith("-NOPERM", StringComparison.Ordinal)
            || reply.Contains("denied due to", StringComparison.Ordinal);
        return isDenied ? reply : "allowed";
    }
}
