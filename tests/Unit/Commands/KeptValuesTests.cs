using System;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands;

/// <summary>Commands that read big values go on without their keys, though other commands delete these and
/// overwrite their memory as soon as they can.</summary>
public sealed class KeptValuesTests
{
    private const int SmallCount = 9;
    private const int BigCount = 700;

    /// <summary>Commands on keys that <see cref="Fill"/> makes; each lets go of its keys once.</summary>
    public static TheoryData<string> Readers => new(
    [
        "SMEMBERS s", "SSCAN s 0 COUNT 500", "SSCAN s 0 MATCH *1* COUNT 100", "SRANDMEMBER s 40",
        "SRANDMEMBER s -40", "SRANDMEMBER s 10000", "SINTER s s2", "SINTER s s2 s", "SINTERCARD 2 s s2",
        "SINTERCARD 2 s s2 LIMIT 5", "SUNION s s2", "SUNION s s2 s s2 s s2", "SDIFF s s2", "SDIFF s s",
        "SDIFF s2 s",
        "HGETALL h", "HKEYS h", "HVALS h", "HSCAN h 0 COUNT 500", "HSCAN h 0 COUNT 3 NOVALUES",
        "HRANDFIELD h 40", "HRANDFIELD h -40 WITHVALUES", "HRANDFIELD h 650", "HGETALL d", "HVALS d",
        "LRANGE l 0 -1", "LRANGE l -30 -2", "LPOS l e5", "LPOS l e5 RANK -1 COUNT 0", "LPOS l none",
        "ZRANGE z 0 -1 WITHSCORES", "ZRANGE z 3 600 REV", "ZRANGEBYSCORE z 2 (400", "ZREVRANGEBYSCORE z 50 2",
        "ZREVRANGE z 0 30 WITHSCORES", "ZRANGEBYLEX y [e1 [e3", "ZREVRANGEBYLEX y + - LIMIT 2 40",
        "ZSCAN z 0 COUNT 600", "ZRANDMEMBER z 30 WITHSCORES", "ZRANDMEMBER z 600", "ZRANDMEMBER z -30",
        "ZRANDMEMBER z 9999", "ZUNION 3 z y s WITHSCORES", "ZINTER 2 z y WEIGHTS 2 3 WITHSCORES",
        "ZDIFF 2 z y",
        "ZINTERCARD 2 z y", "GEORADIUS g 15 37 2000 km WITHDIST",
        "GEOSEARCH g FROMMEMBER e7 BYRADIUS 900 km ASC",
        "XRANGE x - +", "XREVRANGE x + - COUNT 400", "XINFO GROUPS x", "XINFO CONSUMERS x g1",
        "XINFO STREAM x FULL COUNT 0", "XPENDING x g1", "XPENDING x g1 - + 500",
        "BITCOUNT t", "BITCOUNT t 5 70000", "BITPOS t 1", "BITPOS t 0 2 -1", "LCS t u LEN", "LCS u u2 IDX",
        "XREAD STREAMS x 0", "XREAD COUNT 7 STREAMS x x 3-1 5-0", "XREAD BLOCK 0 STREAMS none x 0 +",
        "SORT n BY w*", "SORT n BY w* GET # GET o* GET f*->f DESC", "SORT n BY w* GET o* LIMIT 2 5",
        "SORT s BY nosort GET o*", "SORT l BY o* ALPHA", "SORT l BY o* ALPHA GET o* LIMIT 1 90",
        "SORT z BY nosort GET o* LIMIT 1 5 DESC", "SORT l BY nosort",
        "DIGEST t", "SORT l ALPHA", "SORT s ALPHA DESC LIMIT 3 50", "SORT z LIMIT 0 9 ALPHA", "SORT n",
    ]);

    [Theory]
    [MemberData(nameof(Readers))]
    public void TheReplyIsWhatTheKeysHadWhenTheyWereReleased(string command)
    {
        foreach (int count in (int[])[SmallCount, BigCount])
        {
            using CommandHarness quiet = DataCommands.NewHarness();
            using CommandHarness losing = DataCommands.NewHarness(losesReleased: true);
            Fill(quiet, count);
            Fill(losing, count);
            int releaseCount = losing.ReleaseCount;
            Assert.Equal(quiet.Run(command), losing.Run(command));
            Assert.Equal(1, losing.ReleaseCount - releaseCount);
            Assert.Equal(":0\r\n", losing.Run("DBSIZE"));
        }
    }

    [Theory]
    [InlineData("SUNIONSTORE r s s2", "SMEMBERS r")]
    [InlineData("SINTERSTORE r s s2", "SMEMBERS r")]
    [InlineData("SDIFFSTORE r s s2", "SMEMBERS r")]
    [InlineData("SUNIONSTORE s s s2 n2", "SMEMBERS s")]
    [InlineData("ZUNIONSTORE r 3 z y s WEIGHTS 2 1 3", "ZRANGE r 0 -1 WITHSCORES")]
    [InlineData("ZINTERSTORE r 2 z y", "ZRANGE r 0 -1 WITHSCORES")]
    [InlineData("ZDIFFSTORE z 2 z y", "ZRANGE z 0 -1 WITHSCORES")]
    [InlineData("ZRANGESTORE r z 3 600", "ZRANGE r 0 -1 WITHSCORES")]
    [InlineData("BITOP XOR r t u none", "GET r")]
    [InlineData("BITOP NOT t t", "GET t")]
    [InlineData("BITOP ONE r t u u2", "GET r")]
    [InlineData("SORT l ALPHA STORE r", "LRANGE r 0 -1")]
    [InlineData("SORT n STORE n", "LRANGE n 0 -1")]
    [InlineData("SORT s BY nosort STORE r", "LRANGE r 0 -1")]
    [InlineData("SORT z ALPHA LIMIT 2 4 STORE r", "LRANGE r 0 -1")]
    [InlineData("GEOSEARCHSTORE r g FROMLONLAT 15 37 BYRADIUS 900 km", "ZRANGE r 0 -1 WITHSCORES")]
    [InlineData("GEORADIUS g 15 37 900 km STOREDIST r", "ZRANGE r 0 -1 WITHSCORES")]
    public void WhatIsStoredIsWhatTheSourcesHad(string command, string question)
    {
        foreach (int count in (int[])[SmallCount, BigCount])
        {
            using CommandHarness quiet = DataCommands.NewHarness();
            using CommandHarness losing = DataCommands.NewHarness(losesReleased: true);
            Fill(quiet, count);
            Fill(losing, count);
            int releaseCount = losing.ReleaseCount;
            Assert.Equal(quiet.Run(command), losing.Run(command));
            Assert.Equal(1, losing.ReleaseCount - releaseCount);
            Assert.Equal(quiet.Run(question), losing.Run(question));
        }
    }

    [Theory]
    [InlineData("SINTER s l", "-WRONGTYPE")]
    [InlineData("SMEMBERS none", "*0")]
    [InlineData("LCS t l", "-ERR The specified keys must contain string values")]
    [InlineData("ZUNION 2 z l", "-WRONGTYPE")]
    public void WhatIsKeptInVainIsGivenBack(string command, string reply)
    {
        using CommandHarness losing = DataCommands.NewHarness(losesReleased: true);
        Fill(losing, BigCount);
        Assert.StartsWith(reply, losing.Run(command), StringComparison.Ordinal);
    }

    private static void Fill(CommandHarness harness, int count)
    {
        string[] names = [.. Enumerable.Range(0, count)
            .Select(static index => string.Create(CultureInfo.InvariantCulture, $"e{index * 7 % 1000}"))];
        Add(harness, "SADD s", names);
        Add(harness, "SADD s2", names[(count / 3)..]);
        Add(harness, "RPUSH l", [.. names.Select(static name => $"{name}"), "e5"]);
        Add(harness, "RPUSH n", [.. names.Select(static name => name[1..])]);
        Add(harness, "HSET h", [.. names.SelectMany(static name => new[] { name, $"v{name}" })]);
        Add(harness, "HSET d", [.. names.SelectMany(static name => new[] { name, $"w{name}" })]);
        harness.Run("HPEXPIRE d 1000 FIELDS 3 e0 e7 e14");
        harness.Run("HPEXPIRE d 10 FIELDS 1 e21");
        harness.Advance(20);
        Add(harness, "ZADD z", [.. names.SelectMany(static (name, rank) => new[] { $"{rank}", name })]);
        Add(harness, "ZADD y", [.. names[(count / 4)..].SelectMany(static name => new[] { "1", name })]);
        Add(harness, "GEOADD g", [.. names.SelectMany(static (name, rank) =>
            new[] { $"{10 + (rank % 17)}", $"{30 + (rank % 13)}", name })]);
        harness.Run("XGROUP CREATE x g1 0 MKSTREAM");
        for (int index = 1; index <= count; index++)
            harness.Run($"XADD x {index}-1 field {names[index - 1]}");
        harness.Run($"XREADGROUP GROUP g1 c1 COUNT {count / 2} STREAMS x >");
        harness.Run($"XREADGROUP GROUP g1 c2 COUNT {count / 4} STREAMS x >");
        for (int index = 0; index < count; index++)
        {
            harness.Run($"SET w{names[index][1..]} {index * 31 % 1000}");
            if (index % 3 != 0)
                harness.Run($"SET o{names[index]} {(index % 2 == 0 ? "12" : "object")}{index}");
            if (index % 2 != 0)
                harness.Run($"HSET f{names[index][1..]} f {index}");
        }

        harness.Run("SET u abcabxbcabac");
        harness.Run("SET u2 bacbxabcccab");
        harness.Run("SETRANGE t 3 ab");
        harness.Run($"SETRANGE t {count * 200} xyz");
    }

    private static void Add(CommandHarness harness, string command, string[] words) =>
        harness.RunWords([.. command.Split(' '), .. words]);
}
