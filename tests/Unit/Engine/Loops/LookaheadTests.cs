using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

/// <summary>
/// Commands on one key that come together are looked at together before the first of them runs; they must
/// answer as if they had come one by one.
/// </summary>
public sealed class LookaheadTests
{
    private const int MemberCount = 600;
    private const int RunCount = 150;
    private const int RunLengthMax = 70;

    // {0}: a key, {1}: a member, {2}: a score.
    private static readonly string[] s_commands =
    [
        "SADD set:{0} {1}", "SADD set:{0} {1} {2}", "SREM set:{0} {1}", "SISMEMBER set:{0} {1}",
        "HSET hash:{0} {1} {2}", "HSET hash:{0} {1} {2} other 1", "HGET hash:{0} {1}", "HDEL hash:{0} {1}",
        "HEXISTS hash:{0} {1}", "HSTRLEN hash:{0} {1}", "HSETNX hash:{0} {1} {2}", "HINCRBY hash:{0} {1} 1",
        "HINCRBYFLOAT hash:{0} {1} 0.5", "HGET hash:{0}", "HPEXPIREAT hash:{0} 9000000000000 FIELDS 1 {1}",
        "ZADD zset:{0} {2} {1}", "ZADD zset:{0} XX CH {2} {1}", "ZADD zset:{0} {2} {1} 7 seven",
        "ZADD zset:{0} x{2} {1}", "ZINCRBY zset:{0} {2} {1}", "ZREM zset:{0} {1}", "ZSCORE zset:{0} {1}",
        "ZRANK zset:{0} {1}", "ZREVRANK zset:{0} {1}", "ZPOPMIN zset:{0}", "ZPOPMAX zset:{0}",
        "ZPOPMIN zset:{0} 3", "ZRANK zset:{0} {1} WITHSCORE",
        "ZREM zset:{0} {1} member:5", "ZMSCORE zset:{0} {1} member:5", "ZADD zset:{0} INCR {2} {1}",
        "ZINCRBY zset:{0} -inf {1}", "GEOPOS zset:{0} {1} member:5", "GEODIST zset:{0} {1} member:5",
        "GEOHASH zset:{0} {1}", "HMGET hash:{0} {1} member:5", "HDEL hash:{0} {1} member:5",
        "SMISMEMBER set:{0} {1} member:5", "SADD hash:{0} {1}", "HSET zset:{0} {1} 1", "ZADD set:{0} {2} {1}",
        "LPUSH list:{0} {1}", "RPUSH list:{0} {1} {2}", "LPOP list:{0}", "RPOP list:{0}", "HGET list:{0} {1}",
    ];

    [Fact]
    public void CommandsAnswerTogetherAsOneByOne() => Seeded.Run(2, seed =>
    {
        using var server = new TestServer();
        TestClient together = server.Connect();
        TestClient alone = server.Connect();
        alone.Run("SELECT 1");
        var random = new RandomSource(seed);
        for (int run = 0; run < RunCount; run++)
        {
            string command = s_commands[(int)random.NextBelow((ulong)s_commands.Length)];
            int key = (int)random.NextBelow(2);
            List<string> lines = [];
            for (int left = 1 + (int)random.NextBelow(RunLengthMax); left > 0; left--)
                lines.Add(string.Format(null, command, key, Member(ref random), random.NextBelow(1_000)));
            foreach (string line in lines)
                together.Send(line.Split(' '));
            server.Run();
            Assert.Equal(string.Join(' ', lines.Select(alone.Run)), together.Shown());
        }
    });

    // {0}: a key, {1}: what follows. Commands on more members than are looked at together.
    private static readonly (string Command, bool HasOther)[] s_longCommands =
    [
        ("SADD set:{0}", false), ("SREM set:{0}", false), ("SMISMEMBER set:{0}", false),
        ("HSET hash:{0}", true), ("HMGET hash:{0}", false), ("HDEL hash:{0}", false),
        ("ZADD zset:{0}", true), ("ZADD zset:{0} GT CH", true), ("ZREM zset:{0}", false),
        ("ZMSCORE zset:{0}", false), ("ZADD set:{0}", true), ("SADD zset:{0}", false),
    ];

    [Fact]
    public void ACommandOnManyMembersAnswersAsManyCommands() => Seeded.Run(2, seed =>
    {
        using var server = new TestServer();
        TestClient together = server.Connect();
        TestClient alone = server.Connect();
        alone.Run("SELECT 1");
        var random = new RandomSource(seed);
        for (int run = 0; run < RunCount; run++)
        {
            (string command, bool hasOther) = s_longCommands[
                (int)random.NextBelow((ulong)s_longCommands.Length)];
            string line = string.Format(null, command, random.NextBelow(2));
            List<string> members = [];
            for (int left = 1 + (int)random.NextBelow(2 * RunLengthMax); left > 0; left--)
            {
                string other = hasOther ? $"{random.NextBelow(1_000)} " : "";
                members.Add(line[0] == 'H' && hasOther
                    ? $"{Member(ref random)} {random.NextBelow(1_000)}" : other + Member(ref random));
            }

            string reply = together.Run($"{line} {string.Join(' ', members)}");
            string[] replies = [.. members.Select(member => alone.Run($"{line} {member}"))];
            Assert.Equal(Sum(replies), Sum([reply]));
        }
    });

    // The sum of all integers in replies, or their texts, or the error that all of them are.
    private static string Sum(string[] replies)
    {
        string[] all = [.. replies.SelectMany(static reply =>
            reply.Trim('*', '[', ']').Split(", ", StringSplitOptions.RemoveEmptyEntries))];
        return all.All(static reply => reply[0] == ':')
            ? $"{all.Sum(static reply => long.Parse(reply.AsSpan(1), CultureInfo.InvariantCulture))}"
            : string.Join(' ', all[0][0] == '-' ? all[..1] : all);
    }

    [Fact]
    public void MembersPoppedTogetherAreAllDifferent()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        for (int number = 0; number < MemberCount; number++)
            client.Send("SADD", "set", $"member:{number}");
        server.Run();
        client.Take();
        // More than there are.
        for (int number = 0; number < MemberCount + 10; number++)
            client.Send("SPOP", "set");
        client.Send("EXISTS", "set");
        server.Run();
        string[] popped = [.. client.Take().Select(reply => reply.ToString())];
        Assert.Equal(MemberCount + 2, popped.Distinct().Count());
        Assert.EndsWith("0", popped[^1], StringComparison.Ordinal);
    }

    private static string Member(ref RandomSource random) => $"member:{random.NextBelow(MemberCount)}";
}
