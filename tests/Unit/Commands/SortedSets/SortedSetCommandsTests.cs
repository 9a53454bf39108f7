using System;
using System.Globalization;
using System.Linq;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.SortedSets;

/// <summary>
/// What random streams beside redis-server 7.0.15 do not show of sorted sets: newer options, events, counts
/// of changes, chance, the slow lane.
/// </summary>
public sealed class SortedSetCommandsTests
{
    [Fact]
    public void RanksComeWithScores() => DataCommands.Play("""
        ZADD z 1 a 2.5 b
        ZRANK z b WITHSCORE => *[:1, $"2.5"]
        ZREVRANK z b withscore => *[:0, $"2.5"]
        ZRANK z none => $-1
        ZRANK z none WITHSCORE => *-1
        ZRANK none a WITHSCORE => *-1
        ZRANK z a b => -ERR syntax error
        ZRANK z a WITHSCORE b => -ERR wrong number of arguments for 'zrank' command
        ZREVRANK z a WITHSCORE b => -ERR wrong number of arguments for 'zrevrank' command
        @resp 3
        ZRANK z b WITHSCORE => *[:1, ,2.5]
        ZRANK z none WITHSCORE => _
        """);

    [Fact]
    public void ScoresHaveTheShortestText() => DataCommands.Play("""
        ZADD z 0.1 a 1e300 b 100000000000000000000 c -1.5e-7 d
        ZRANGE z 0 -1 WITHSCORES
        => *[$"d", $"-1.5e-7", $"a", $"0.1", $"c", $"1e+20", $"b", $"1e+300"]
        ZINCRBY z 0.2 a => $"0.30000000000000004"
        ZMSCORE z a x => *[$"0.30000000000000004", $-1]
        ZADD z -inf e inf f
        ZSCORE z e => $"-inf"
        @resp 3
        ZSCORE z f => ,inf
        ZRANGE z 0 0 WITHSCORES => *[*[$"e", ,-inf]]
        """);

    [Fact]
    public void OnlyABigSetKeepsTheNegativeZero()
    {
        string longMember = new('x', 65);
        DataCommands.Play($"""
            ZADD z -0 a
            ZSCORE z a => $"0"
            ZADD z -0 {longMember} -0 b
            @stored z => SkipList
            ZMSCORE z a {longMember} b => *[$"0", $"-0", $"-0"]
            ZADD z 0 b => :0
            ZADD z XX INCR -0 none => $-1
            """);
    }

    [Fact]
    public void AScanMayLeaveTheScoresOut() => DataCommands.Play("""
        ZADD z 1 a 2 b 0.5 c
        ZSCAN z 0 NOSCORES => *[$"0", *[$"c", $"a", $"b"]]
        ZSCAN z 0 noscores MATCH [ab] COUNT 5 => *[$"0", *[$"a", $"b"]]
        ZSCAN z 0 => *[$"0", *[$"c", $"0.5", $"a", $"1", $"b", $"2"]]
        ZSCAN z 0 NOVALUES => -ERR NOVALUES option can only be used in HSCAN
        """);

    [Fact]
    public void ChangesAreDeclared() => DataCommands.Play("""
        @events
        ZADD z 1 a 2 b 3 c 4 d => :4
        @changes => 4
        @events => ZAdd z
        ZADD z 1 a => :0
        @changes => 0
        @events =>
        ZADD z CH 5 a 2 b => :1
        @changes => 1
        ZINCRBY z 0 a => $"5"
        @changes => 0
        ZADD z INCR 1 a => $"6"
        @events => ZAdd z, ZIncr z
        ZREM z a x => :1
        @changes => 1
        ZREMRANGEBYRANK z 0 0 => :1
        ZREMRANGEBYSCORE z 9 10 => :0
        @events => ZRem z, ZRemRangeByRank z
        ZADD y 0 p 0 q 0 r
        ZREMRANGEBYLEX y [p (q => :1
        ZREMRANGEBYSCORE y 0 0 => :2
        @changes => 2
        @events => ZAdd y, ZRemRangeByLex y, ZRemRangeByScore y, Deleted y
        ZPOPMIN z => *[$"c", $"3"]
        ZMPOP 2 none z MAX COUNT 5 => *[$"z", *[*[$"d", $"4"]]]
        @events => ZPopMin z, ZPopMax z, Deleted z
        @stored z => missing
        """);

    [Fact]
    public void ResultsAreDeclared() => DataCommands.Play("""
        ZADD a 1 x 2 y
        SADD s x q
        @events
        ZUNIONSTORE d 2 a s => :3
        @changes => 1
        ZRANGE d 0 -1 WITHSCORES => *[$"q", $"1", $"x", $"2", $"y", $"2"]
        ZINTERSTORE d 2 a s WEIGHTS 2 10 AGGREGATE MAX => :1
        ZRANGE d 0 -1 WITHSCORES => *[$"x", $"10"]
        ZDIFFSTORE d 2 s a => :1
        ZRANGESTORE d a 0 -1 => :2
        @events => ZUnionStore d, ZInterStore d, ZDiffStore d, ZRangeStore d
        ZINTERSTORE d 2 a none => :0
        @events => Deleted d
        ZINTERSTORE d 2 a none => :0
        @changes => 0
        ZRANGESTORE a a 1 1 => :1
        ZRANGE a 0 -1 => *[$"y"]
        """);

    [Fact]
    public void InfinitiesThatCancelAre0() => DataCommands.Play("""
        ZADD a inf x
        ZADD b -inf x
        ZUNION 2 a b WITHSCORES => *[$"x", $"0"]
        ZINTER 1 a WEIGHTS 0 WITHSCORES => *[$"x", $"0"]
        ZADD a INCR -inf x => -ERR resulting score is not a number (NaN)
        """);

    [Fact]
    public void RandomMembersAreDifferentUnlessAskedOtherwise()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        foreach (int size in (int[])[20, 2000])
        {
            harness.RunWords(["DEL", "z"]);
            harness.RunWords(["ZADD", "z", .. Enumerable.Range(0, size).SelectMany(number =>
                (string[])[$"{number}", $"m{number}"])]);
            foreach (int count in (int[])[1, 15, 90, size, size * 2])
            {
                string[] members = Members(Transcript.Run(harness, $"ZRANDMEMBER z {count}"));
                Assert.Equal(Math.Min(count, size), members.Length);
                Assert.Equal(members.Length, members.Distinct().Count());
                Assert.Equal(count, Members(Transcript.Run(harness, $"ZRANDMEMBER z -{count}")).Length);
            }

            string[] pair = Members(Transcript.Run(harness, "ZRANDMEMBER z 1 WITHSCORES"));
            Assert.Equal(pair[0], "m" + pair[1]);
        }

        Assert.Equal("-ERR value is out of range",
            Transcript.Run(harness, "ZRANDMEMBER z -9223372036854775807"));
        Assert.Equal("$-1", Transcript.Run(harness, "ZRANDMEMBER none"));
    }

    [Theory]
    [InlineData("SADD", "SRANDMEMBER")]
    [InlineData("HSET", "HRANDFIELD")]
    [InlineData("ZADD", "ZRANDMEMBER")]
    public void MoreElementsThanAReplyMayHaveAreRefused(string add, string pick)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        Transcript.Run(harness, $"{add} k 1 1");
        Assert.Equal("-ERR value is out of range", Transcript.Run(harness, $"{pick} k -4294967296"));
        Assert.Equal("-ERR value is out of range", Transcript.Run(harness, $"{pick} k {-long.MaxValue}"));
        Assert.Equal("*[$\"1\"]", Transcript.Run(harness, $"{pick} k {long.MaxValue}"));
    }

    [Fact]
    public void LongWorkAsksForTheSlowLane()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        for (int start = 0; start < 20_000; start += 1000)
        {
            harness.RunWords(["ZADD", "z", .. Enumerable.Range(start, 1000).SelectMany(number =>
                (string[])[number.ToString(CultureInfo.InvariantCulture), $"m{number}"])]);
        }

        Transcript.Play(harness, """
            ZRANGE z 5 10 => *[$"m5", $"m6", $"m7", $"m8", $"m9", $"m10"]
            ZCOUNT z 5 (10000 => :9995
            ZRANK z m19999 => :19999
            """);
        Assert.Equal(0, harness.SlowLaneCount);
        harness.RunWords("ZRANGE", "z", "0", "-1");
        Assert.Equal(1, harness.SlowLaneCount);
        Transcript.Play(harness, """
            ZUNIONSTORE d 1 z => :20000
            ZREMRANGEBYRANK d 0 9999 => :10000
            ZRANGESTORE e d 0 -1 => :10000
            @stored e => SkipList
            """);
        Assert.Equal(4, harness.SlowLaneCount);
        harness.RunWords("DEL", "z");
        harness.RunWords("ZREMRANGEBYRANK", "d", "0", "-1");
        Assert.Equal(4, harness.SlowLaneCount);
    }

    [Fact]
    public void SourcesAreOrderedInAFewStepsEach()
    {
        const int count = 10_000;
        using CommandHarness harness = DataCommands.NewHarness();
        var sources = new ScoredSource[count];
        for (int place = 0; place < count; place++)
            sources[place] = harness.Execution.SortedSets.Source(default, weight: place, place);
        long steps = 0;
        sources.AsSpan().Sort((left, right) =>
        {
            steps++;
            return -ScoredSource.CompareSizes(left, right);
        });
        sources.AsSpan().Sort((left, right) =>
        {
            steps++;
            return ScoredSource.CompareSizes(left, right);
        });
        Assert.InRange(steps, count, 60L * count);
        for (int place = 0; place < count; place++)
            Assert.Equal(place, sources[place].Weight);
    }

    // The texts of members and scores of a reply that has nothing else.
    private static string[] Members(string reply) =>
        [.. reply.Split('"').Where((_, index) => index % 2 == 1)];
}
