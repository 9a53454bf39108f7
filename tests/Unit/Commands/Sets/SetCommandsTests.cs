using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Sets;

/// <summary>Commands of sets: events, counted changes, what newer versions of Redis do otherwise.</summary>
public sealed class SetCommandsTests
{
    [Fact]
    public void MembersComeAndGo() => DataCommands.Play("""
        SADD s 3 1 2 1 => :3
        @changes => 3
        @events => SAdd s
        SADD s 1 => :0
        @changes => 0
        SMEMBERS s => *[$"1", $"2", $"3"]
        @stored s => Intset
        SADD s x => :1
        @stored s => Listpack
        SMISMEMBER s 1 y x => *[:1, :0, :1]
        SREM s 1 x nothing => :2
        @changes => 2
        @events => SAdd s, SRem s
        SREM s 2 3 => :2
        @changes => 2
        @events => SRem s, Deleted s
        SCARD s => :0
        @stored s => missing
        """);

    [Fact]
    public void MovedMembersAreDeclaredTwice() => DataCommands.Play("""
        SADD a x y
        SADD b y
        @events
        SMOVE a b x => :1
        @changes => 2
        @events => SRem a, SAdd b
        SMOVE a b y => :1
        @changes => 1
        @events => SRem a, Deleted a
        SMOVE b c x => :1
        @events => SRem b, SAdd c
        SMOVE b b y => :1
        SMOVE b b z => :0
        @changes => 0
        SET str x
        SMOVE none str x => :0
        SMOVE b str y => -WRONGTYPE Operation against a key holding the wrong kind of value
        SMOVE str b y => -WRONGTYPE Operation against a key holding the wrong kind of value
        """);

    [Fact]
    public void PoppedMembersAreCounted() => DataCommands.Play("""
        SADD s a
        @events
        SPOP s => $"a"
        @changes => 1
        @events => SPop s, Deleted s
        SADD s 1 2 3 4 5
        SPOP s 3
        @changes => 3
        @events => SAdd s, SPop s
        SCARD s => :2
        @resp 3
        SPOP s 9
        @changes => 2
        @events => SPop s, Deleted s
        SPOP s 9 => ~[]
        SPOP s => _
        SRANDMEMBER s 5 => *[]
        """);

    [Fact]
    public void StoredResultsTakeTheTargetsPlace() => DataCommands.Play("""
        SADD a 1 2 3 x
        SADD b 2 3 4
        @events
        SET d v PX 1000
        SINTERSTORE d a b => :2
        @changes => 1
        @stored d => Intset
        SUNIONSTORE d a b => :5
        @stored d => Listpack
        SDIFFSTORE d a b => :2
        @events => Set d, Expire d, SInterStore d, SUnionStore d, SDiffStore d
        SINTERSTORE d a none => :0
        @changes => 1
        @events => Deleted d
        SINTERSTORE d a none => :0
        @changes => 0
        SDIFFSTORE a a b => :2
        SINTERSTORE b b a => :0
        @events => SDiffStore a, Deleted b
        SINTERSTORE a none d none => :0
        SET str x
        SINTERSTORE a none str => -WRONGTYPE Operation against a key holding the wrong kind of value
        SUNIONSTORE a none str => -WRONGTYPE Operation against a key holding the wrong kind of value
        SDIFFSTORE a none str => -WRONGTYPE Operation against a key holding the wrong kind of value
        """);

    // From the documentation of Redis 7.2 and later; the oracle knows no listpacks of members.
    [Fact]
    public void EncodingsChangeAsInRedis7Dot2()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        harness.Keyspace.Limits.SetIntsetEntriesMax = 6;
        harness.Keyspace.Limits.SetListpackEntriesMax = 4;
        harness.Keyspace.Limits.SetListpackValueMax = 5;
        Transcript.Play(harness, """
            SADD i 1 2 3 4 5 6
            @stored i => Intset
            SADD i 7
            @stored i => HashTable
            SADD few 1 2 3
            SADD few x
            @stored few => Listpack
            SADD few 4
            @stored few => HashTable
            SADD more 1 2 3 4
            SADD more x
            @stored more => HashTable
            SADD wide 123456
            @stored wide => Intset
            SADD wide x
            @stored wide => HashTable
            SADD long abcde
            @stored long => Listpack
            SADD long abcdef
            @stored long => HashTable
            SADD many 1 1 1 1 1 1 1
            @stored many => HashTable
            SADD texts a a a a a
            @stored texts => HashTable
            SREM i 1 2 3 4 5 6
            @stored i => HashTable
            COPY i copy
            @stored copy => HashTable
            SUNIONSTORE i i
            @stored i => Intset
            """);
    }

    [Theory]
    [InlineData(40)]
    [InlineData(20_000)]
    public void RandomMembersAreSpreadEvenly(int count)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        string[] members = [.. Enumerable.Range(0, count).Select(number => $"m{number}")];
        harness.RunWords(["SADD", "s", .. members]);
        int low = 0;
        const int rounds = 2000;
        for (int round = 0; round < rounds; round++)
        {
            string reply = harness.Run("SRANDMEMBER s");
            int number = int.Parse(reply.Split("\r\n")[1][1..], CultureInfo.InvariantCulture);
            low += number < count / 2 ? 1 : 0;
        }

        // 2000 throws of a coin: one in 10^15 runs is more than eight deviations off.
        Assert.InRange(low, (rounds / 2) - 180, (rounds / 2) + 180);
    }

    [Fact]
    public void BigSetsGoToTheSlowLane()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        string[] members = [.. Enumerable.Range(0, 40_000).Select(number => $"{number}")];
        harness.RunWords(["SADD", "s", .. members]);
        harness.Run("SMEMBERS s");
        harness.Run("SINTERSTORE t s s");
        Assert.Equal(":40000\r\n", harness.Run("SCARD t"));
        harness.Run("SPOP s 39990");
        Assert.Equal(3, harness.SlowLaneCount);
        Assert.Equal(":10\r\n", harness.Run("SCARD s"));
        Assert.Equal("Intset", harness.Describe("s"));
    }
}
