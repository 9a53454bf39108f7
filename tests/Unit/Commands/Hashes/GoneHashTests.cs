using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Hashes;

/// <summary>Hashes whose fields are all past their deadline, before the housekeeping has been there; and
/// after DEBUG SET-ACTIVE-EXPIRE 0, when it does not come.</summary>
public sealed class GoneHashTests
{
    private static readonly string s_long = new('x', 100);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void NoCommandFindsThem(bool isBig) => DataCommands.Play($"""
        HSETEX h PX 100 FIELDS 1 a {(isBig ? s_long : "1")}
        HSETEX h PX 70 FIELDS 1 b 2
        @advance 99
        HLEN h => :1
        EXISTS h => :1
        @advance 1
        EXISTS h h => :0
        TYPE h => +none
        TTL h => :-2
        EXPIRE h 10 => :0
        KEYS * => *[]
        SCAN 0 => *[$"0", *[]]
        RANDOMKEY => $-1
        MEMORY USAGE h => $-1
        OBJECT ENCODING h => $-1
        TOUCH h => :0
        HLEN h => :0
        HRANDFIELD h => $-1
        HSCAN h 0 => *[$"0", *[]]
        RENAME h x => -ERR no such key
        COPY h x => :0
        SORT h => *[]
        @events => HashSet h, HashExpire h, HashSet h, HashExpire h
        @reap
        @events => HashExpired h, Deleted h
        @reap
        @events
        """);

    [Theory]
    [InlineData("SET h 1", "+OK", "Set h")]
    [InlineData("APPEND h 1", ":1", "Append h")]
    [InlineData("SADD h m", ":1", "SAdd h")]
    [InlineData("HSET h c 1", ":1", "HashSet h")]
    [InlineData("DEL h", ":0", "")]
    [InlineData("RENAME other h", "+OK", "RenamedFrom other, RenamedTo h")]
    [InlineData("GETSET h 2", "$-1", "Set h")]
    public void AWriteToTheirKeyRemovesThem(string command, string reply, string events)
    {
        string[] values = ["1", s_long];
        foreach (string value in values)
        {
            string all = "HashExpired h, Deleted h" + (events.Length == 0 ? "" : $", {events}");
            DataCommands.Play($"""
                SET other 0
                HSETEX h PX 100 FIELDS 2 a {value} b 2
                @advance 100
                @events => Set other, HashSet h, HashExpire h
                {command} => {reply}
                @events => {all}
                @advance 1000
                @reap
                @events => 
                """);
        }
    }

    [Fact]
    public void AFieldWithoutDeadlineKeepsThem() => DataCommands.Play($"""
        HSETEX h PX 100 FIELDS 1 a 1
        HSET h b 2
        HSETEX g PX 100 FIELDS 1 a {s_long}
        HSETEX g PX 101 FIELDS 1 b 2
        @advance 100
        EXISTS h g => :2
        HGETALL h => *[$"b", $"2"]
        HGETALL g => *[$"b", $"2"]
        @advance 1
        EXISTS h g => :1
        """);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WithoutHousekeepingWhatIsStoredCounts(bool isBig)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        harness.Keyspace.IsActiveExpiryEnabled = false;
        Transcript.Play(harness, $"""
            HSETEX h PX 100 FIELDS 6 a {(isBig ? s_long : "1")} b 2 c 3 d 4 e 5 f 6
            HSET h g 7 k 8
            @events
            @advance 100
            EXISTS h => :1
            HLEN h => :8
            HGETALL h => *[$"g", $"7", $"k", $"8"]
            HTTL h FIELDS 1 a => *[:-2]
            HLEN h => :8
            @events => 
            HGET h a => $-1
            HLEN h => :7
            @events => HashExpired h
            HMGET h b b g => *[$-1, $-1, $"7"]
            HEXISTS h c => :0
            HLEN h => :5
            @events => HashExpired h, HashExpired h
            HDEL h d => :1
            @events => HashDeleted h
            HINCRBY h e 1 => :1
            @events => HashExpired h, HashIncrementBy h
            HLEN h => :4
            HRANDFIELD h 0 => *[]
            HLEN h => :3
            @events => HashExpired h
            HSETEX h PX 100 FIELDS 3 l 1 m 1 n 1
            @events
            @advance 100
            HSETNX h l 1 => :1
            @events => HashExpired h, HashSet h
            HGETEX h PERSIST FIELDS 2 m n => *[$-1, $-1]
            @events => HashExpired h
            """);
        Assert.Equal(8, harness.Execution.Keys.Statistics.ExpiredFields);
    }

    [Theory]
    [InlineData("HGET h a", "$-1")]
    [InlineData("HSTRLEN h a", ":0")]
    [InlineData("HGETDEL h FIELDS 1 a", "*[$-1]")]
    [InlineData("HGETEX h PX 10 FIELDS 1 a", "*[$-1]")]
    [InlineData("HSETEX h FXX FIELDS 1 a 2", ":0")]
    [InlineData("HRANDFIELD h", "$-1")]
    [InlineData("SORT l BY nosort GET *->a", "*[$-1]")]
    public void WithoutHousekeepingTheyEndWithTheirLastField(string command, string reply)
    {
        string[] values = ["1", s_long];
        foreach (string value in values)
        {
            using CommandHarness harness = DataCommands.NewHarness();
            harness.Keyspace.IsActiveExpiryEnabled = false;
            Transcript.Play(harness, $"""
                RPUSH l h
                HSETEX h PX 100 FIELDS 1 a {value}
                @advance 100
                EXISTS h => :1
                @events
                {command} => {reply}
                @events => HashExpired h, Deleted h
                EXISTS h => :0
                """);
        }
    }
}
