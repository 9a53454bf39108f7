using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Hashes;

/// <summary>Fields with deadlines: replies and errors as Redis 7.4 and 8.0 document them.</summary>
public sealed class FieldDeadlineTests
{
    [Fact]
    public void FieldsExpire() => DataCommands.Play("""
        HSET h a 1 b 2 c 3
        HEXPIRE h 10 FIELDS 3 a nope b => *[:1, :-2, :1]
        @changes => 2
        @events => HashSet h, HashExpire h
        OBJECT ENCODING h => $"listpackex"
        HTTL h FIELDS 4 a b c nope => *[:10, :10, :-1, :-2]
        HPEXPIRE h 5000 FIELDS 1 b => *[:1]
        HPTTL h FIELDS 2 a b => *[:10000, :5000]
        @advance 4999
        HPTTL h FIELDS 1 b => *[:1]
        HTTL h FIELDS 1 b => *[:1]
        HLEN h => :3
        @advance 1
        HLEN h => :2
        HGET h b => $-1
        HMGET h a b c => *[$"1", $-1, $"3"]
        HEXISTS h b => :0
        HSTRLEN h b => :0
        HTTL h FIELDS 1 b => *[:-2]
        HGETALL h => *[$"a", $"1", $"c", $"3"]
        HSCAN h 0 => *[$"0", *[$"a", $"1", $"c", $"3"]]
        HRANDFIELD h 10 => *[$"a", $"c"]
        @events => HashExpire h
        @reap
        @events => HashExpired h
        HLEN h => :2
        @advance 5000
        @reap
        @events => HashExpired h
        HGETALL h => *[$"c", $"3"]
        HDEL h c => :1
        @events => HashDeleted h, Deleted h
        """);

    [Fact]
    public void AHashGoesWithItsLastField() => DataCommands.Play("""
        HSETEX h PX 100 FIELDS 2 a 1 b 2 => :1
        HSET other x y
        @events => HashSet h, HashExpire h, HashSet other
        @advance 100
        HGETALL h => *[]
        @reap
        @events => HashExpired h, Deleted h
        EXISTS h => :0
        DBSIZE => :1
        HSETEX h PX 100 FIELDS 1 a 1
        EXPIRE h 1000
        @advance 100
        HSETNX h b 2 => :1
        TTL h => :-1
        HGETALL h => *[$"b", $"2"]
        """);

    [Fact]
    public void WritesMeetFieldsPastTheirDeadline() => DataCommands.Play("""
        HSETEX h PX 100 FIELDS 3 a 1 b 2 c 3
        HSET h d 4
        @advance 100
        HSET h a 5 => :1
        HDEL h b => :0
        HINCRBY h c 1 => :1
        HTTL h FIELDS 3 a b c => *[:-1, :-2, :-1]
        HSETEX h PX 100 FIELDS 1 a 1
        @advance 100
        HSETEX h KEEPTTL FIELDS 1 a 2 => :1
        HTTL h FIELDS 1 a => *[:-1]
        """);

    [Fact]
    public void WritesKeepOrClearDeadlines() => DataCommands.Play("""
        HSETEX h EX 10 FIELDS 4 a 1 b 2 c 3 d 4
        HINCRBY h a 1 => :2
        HINCRBYFLOAT h b 1.5 => $"3.5"
        HSET h c 5
        HSETEX h KEEPTTL FIELDS 2 d 6 e 7 => :1
        HTTL h FIELDS 5 a b c d e => *[:10, :10, :-1, :10, :-1]
        HGETALL h => *[$"a", $"2", $"b", $"3.5", $"d", $"6", $"c", $"5", $"e", $"7"]
        HPERSIST h FIELDS 4 a c nope d => *[:1, :-1, :-2, :1]
        @changes => 2
        HTTL h FIELDS 3 a b d => *[:-1, :10, :-1]
        COPY h copy
        @advance 10000
        @reap
        HLEN copy => :4
        HLEN h => :4
        RENAME copy h
        HEXPIRE h 1 FIELDS 1 a
        RENAME h moved
        @advance 1000
        @reap
        HLEN moved => :3
        """);

    [Fact]
    public void ConditionsAreMetOrNot() => DataCommands.Play("""
        HSET h a 1
        HPEXPIRE h 1000 XX FIELDS 1 a => *[:0]
        HPEXPIRE h 1000 GT FIELDS 1 a => *[:0]
        HPEXPIRE h 1000 LT FIELDS 1 a => *[:1]
        HPEXPIRE h 2000 LT FIELDS 1 a => *[:0]
        HPEXPIRE h 1000 GT FIELDS 1 a => *[:0]
        HPEXPIRE h 2000 GT FIELDS 1 a => *[:1]
        HPEXPIRE h 3000 NX FIELDS 1 a => *[:0]
        HPEXPIRE h 3000 XX FIELDS 1 a => *[:1]
        HPTTL h FIELDS 1 a => *[:3000]
        HPERSIST h FIELDS 1 a
        HPEXPIRE h 3000 NX FIELDS 1 a => *[:1]
        HPEXPIRE h 0 GT FIELDS 1 a => *[:0]
        HPEXPIRE h 0 FIELDS 2 a a => *[:2, :-2]
        EXISTS h => :0
        HPEXPIRE h 10 FIELDS 1 a => *[:-2]
        """);

    [Fact]
    public void DeadlinesAreAbsoluteOrPast() => DataCommands.Play("""
        HSET h a 1 b 2
        HEXPIREAT h 40000000000 FIELDS 1 a => *[:1]
        HEXPIRETIME h FIELDS 2 a b => *[:40000000000, :-1]
        HPEXPIRETIME h FIELDS 1 a => *[:40000000000000]
        HPEXPIREAT h 40000000000001 FIELDS 1 a => *[:1]
        HEXPIRETIME h FIELDS 1 a => *[:40000000001]
        @events
        HPEXPIREAT h 1 FIELDS 1 a => *[:2]
        @events => HashDeleted h
        HEXPIREAT h 0 FIELDS 2 nope b => *[:-2, :2]
        @events => HashDeleted h, Deleted h
        """);

    [Fact]
    public void ExpiryIsRefused() => DataCommands.Play("""
        SET s v
        HSET h a 1
        HEXPIRE s x FIELDS 1 a => -WRONGTYPE Operation against a key holding the wrong kind of value
        HEXPIRE h x FIELDS 1 a => -ERR value is not an integer or out of range
        HEXPIRE h -1 FIELDS 1 a => -ERR invalid expire time, must be >= 0
        HEXPIRE h 70368744178 FIELDS 1 a => -ERR invalid expire time in 'hexpire' command
        HPEXPIREAT h 70368744177664 FIELDS 1 a => -ERR invalid expire time in 'hpexpireat' command
        HPEXPIREAT h 70368744177663 FIELDS 1 a => *[:1]
        HEXPIRE h 1 MAYBE FIELDS 1 a => -ERR unknown argument: MAYBE
        HEXPIRE h 1 NX XX FIELDS 1 a => -ERR Multiple condition flags specified
        HEXPIRE h 1 FIELDS 1 a GT LT => -ERR Multiple condition flags specified
        HEXPIRE h 1 FIELDS 1 a FIELDS 1 b => -ERR FIELDS keyword specified multiple times
        HEXPIRE h 1 FIELDS 1 a b c => -ERR unknown argument: b
        HEXPIRE h 1 2 a b => -ERR unknown argument: 2
        HEXPIRE h 1 NX FIELDS 1 => -ERR FIELDS requires at least numfields and one field argument
        HEXPIRE h 1 NX GT LT => -ERR missing FIELDS argument
        HEXPIRE h FIELDS 1 a 1 => -ERR value is not an integer or out of range
        HEXPIRE h 1 FIELDS 0 a => -ERR Parameter `numFields` should be greater than 0
        HEXPIRE h 1 FIELDS x a => -ERR Parameter `numFields` should be greater than 0
        HEXPIRE h 1 NX FIELDS 2 a => -ERR wrong number of arguments
        HTTL h FIELDS x a => -ERR Number of fields must be a positive integer
        HTTL h FIELDS 2 a => -ERR The `numfields` parameter must match the number of arguments
        HPERSIST h 1 FIELDS a => -ERR Mandatory argument FIELDS is missing or not at the right position
        HPERSIST s FIELDS 1 a => -WRONGTYPE Operation against a key holding the wrong kind of value
        HTTL nokey FIELDS 2 a b => *[:-2, :-2]
        HPERSIST nokey FIELDS 1 a => *[:-2]
        """);

    [Fact]
    public void GettingDeletes() => DataCommands.Play("""
        HSET h a 1 b 2 c 3
        @events
        HGETDEL h FIELDS 3 a nope b => *[$"1", $-1, $"2"]
        @changes => 2
        @events => HashDeleted h
        HGETDEL h FIELDS 2 c c => *[$"3", $-1]
        @events => HashDeleted h, Deleted h
        HGETDEL h FIELDS 1 c => *[$-1]
        @changes => 0
        HGETDEL h FIELD 1 c => -ERR Mandatory argument FIELDS is missing or not at the right position
        HGETDEL h FIELDS 0 c => -ERR Number of fields must be a positive integer
        HGETDEL h FIELDS 2 c => -ERR The `numfields` parameter must match the number of arguments
        """);

    [Fact]
    public void GettingChangesDeadlines() => DataCommands.Play("""
        HSET h a 1 b 2
        @events
        HGETEX h FIELDS 2 a nope => *[$"1", $-1]
        @changes => 0
        HGETEX h EX 10 FIELDS 2 a nope => *[$"1", $-1]
        @changes => 1
        HTTL h FIELDS 2 a b => *[:10, :-1]
        HGETEX h PERSIST FIELDS 2 a b => *[$"1", $"2"]
        @events => HashExpire h, HashPersist h
        HTTL h FIELDS 1 a => *[:-1]
        HGETEX h PXAT 40000000000000 FIELDS 1 a => *[$"1"]
        HPEXPIRETIME h FIELDS 1 a => *[:40000000000000]
        @events
        HGETEX h PX 0 FIELDS 2 a b => *[$"1", $"2"]
        @events => HashDeleted h, Deleted h
        HGETEX h EX 10 FIELDS 1 a => *[$-1]
        HGETEX h EX -1 FIELDS 1 a => -ERR invalid expire time, must be >= 0
        HGETEX h EX x FIELDS 1 a => -ERR value is not an integer or out of range
        HGETEX h KEEPTTL FIELDS 1 a => -ERR unknown argument: KEEPTTL
        HGETEX h FXX FIELDS 1 a => -ERR unknown argument: FXX
        HGETEX h EX 1 FIELDS 0 a => -ERR invalid number of fields
        HGETEX h EX 1 FIELDS 2147483648 a => -ERR invalid number of fields
        HGETEX h FIELDS 2147483647 a => -ERR wrong number of arguments
        HGETEX h FIELDS 2 a => -ERR wrong number of arguments
        HGETEX h EX 1 FIELDS => -ERR wrong number of arguments for 'hgetex' command
        HGETEX h FIELDS 1 a b c => -ERR unknown argument: b
        HGETEX h FIELDS 1 a EX => -ERR missing expire time
        HGETEX h FIELDS 1 a FIELDS 1 b => -ERR FIELDS keyword specified multiple times
        HGETEX h PERSIST FIELDS 1 a PX 1
        => -ERR Only one of EX, PX, EXAT, PXAT or PERSIST arguments can be specified
        SET s v
        HGETEX s FIELDS 0 a => -ERR invalid number of fields
        HGETEX s FIELDS 1 a => -WRONGTYPE Operation against a key holding the wrong kind of value
        """);

    // Since Redis 8.6 the fields may stand anywhere among the options; what they are called does not matter.
    [Fact]
    public void FieldsStandAnywhere() => DataCommands.Play("""
        HSETEX h FIELDS 2 EX 1 FIELDS 2 EX 60 FNX => :1
        HTTL h FIELDS 2 EX FIELDS => *[:60, :60]
        HGETEX h FIELDS 2 FIELDS EX PERSIST => *[$"2", $"1"]
        HTTL h FIELDS 2 EX FIELDS => *[:-1, :-1]
        HEXPIRE h 10 FIELDS 1 EX NX => *[:1]
        HEXPIRE h 20 FIELDS 2 EX FIELDS NX => *[:0, :1]
        HPEXPIRE h 5000 FIELDS 1 EX GT => *[:0]
        HPEXPIRE h 5000 LT FIELDS 1 EX LT => *[:1]
        HTTL h FIELDS 2 EX FIELDS => *[:5, :20]
        HGETEX h FIELDS 1 EX PX 70 => *[$"1"]
        HPTTL h FIELDS 1 EX => *[:70]
        HSETEX h KEEPTTL FIELDS 1 EX 3 XX => :1
        HGET h EX => $"3"
        HPTTL h FIELDS 1 EX => *[:70]
        """);

    [Fact]
    public void AFieldThatIsNamedTwiceIsGotOnceIfItsDeadlineHasPassed() => DataCommands.Play("""
        HSET h a 1 b 2
        @changes => 2
        HGETEX h PXAT 1 FIELDS 3 a nope a => *[$"1", $-1, $-1]
        @changes => 1
        HGETEX h EX 5 FIELDS 2 b b => *[$"2", $"2"]
        @changes => 2
        HGETEX h PERSIST FIELDS 2 b b => *[$"2", $"2"]
        @changes => 1
        """);

    [Fact]
    public void SettingHasConditions() => DataCommands.Play("""
        HSETEX h FXX FIELDS 1 a 1 => :0
        EXISTS h => :0
        HSETEX h FNX EX 10 FIELDS 2 a 1 b 2 => :1
        @changes => 2
        HSETEX h FNX FIELDS 2 b 3 c 3 => :0
        HSETEX h FXX FIELDS 2 b 3 c 3 => :0
        HSETEX h FXX PX 500 FIELDS 2 b 3 a 4 => :1
        HPTTL h FIELDS 2 a b => *[:500, :500]
        HGETALL h => *[$"b", $"3", $"a", $"4"]
        @events
        HSETEX h EX 0 FIELDS 2 a 9 d 9 => :1
        @events => HashSet h, HashDeleted h
        HSETEX h EX 0 FIELDS 1 b 9 => :1
        @events => HashSet h, HashDeleted h, Deleted h
        HSETEX h EX 0 FIELDS 1 b 9 => :1
        EXISTS h => :0
        HSETEX h FNX FXX FIELDS 1 a 1 => -ERR Only one of FXX or FNX arguments can be specified
        HSETEX h EX 1 PX 1 FIELDS 1 a 1
        => -ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified
        HSETEX h KEEPTTL EX 1 FIELDS 1 a 1
        => -ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified
        HSETEX h GT FIELDS 1 a 1 => -ERR unknown argument: GT
        HSETEX h FIELDS 0 a 1 x => -ERR invalid number of fields
        HSETEX h FIELDS 2 a 1 b => -ERR wrong number of arguments
        HSETEX h FIELDS 1 a 1 b 2 => -ERR unknown argument: b
        HSETEX h FIELDS 1 a 1 FIELDS 1 b 2 => -ERR FIELDS keyword specified multiple times
        HSETEX h FIELDS 1 a 1 EX => -ERR missing expire time
        HSETEX h PERSIST FIELDS 1 a 1 => -ERR unknown argument: PERSIST
        HSETEX h FXX EX 10 FIELDS => -ERR wrong number of arguments for 'hsetex' command
        HSETEX h FXX NX EX 10 => -ERR missing FIELDS argument
        HSETEX h EX FIELDS 1 a 1 => -ERR value is not an integer or out of range
        HSETEX h EX -1 FIELDS 1 a 1 => -ERR invalid expire time, must be >= 0
        HSETEX h XX FIELDS 1 a 1 => :0
        HSETEX h NX FIELDS 1 a 1 => :1
        HSETEX h nx FIELDS 1 b 1 => :0
        HSETEX h xx FNX FIELDS 1 b 1 => :1
        HLEN h => :2
        HSETEX h NX XX FIELDS 1 a 1 => -ERR Only one of NX or XX arguments can be specified
        SET s v
        HSETEX s FIELDS 1 a 1 => -WRONGTYPE Operation against a key holding the wrong kind of value
        """);

    [Fact]
    public void BigHashesHaveDeadlinesToo() => DataCommands.Play($"""
        HSET h big {new string('x', 100)} a 1 b 2
        OBJECT ENCODING h => $"hashtable"
        HPEXPIRE h 100 FIELDS 2 a b => *[:1, :1]
        OBJECT ENCODING h => $"hashtable"
        HPEXPIRE h 200 FIELDS 1 b => *[:1]
        HSETEX h PX 300 FIELDS 1 c 3
        COPY h copy => :1
        HLEN h => :4
        @advance 100
        HLEN h => :3
        HGET h a => $-1
        HSETNX h a 5 => :1
        HPTTL h FIELDS 4 a b c big => *[:-1, :100, :200, :-1]
        HINCRBY h b 1 => :3
        HPERSIST h FIELDS 1 c => *[:1]
        @advance 100
        @reap
        HLEN h => :3
        HLEN copy => :2
        HGET copy c => $"3"
        HPEXPIRE h 100 FIELDS 3 a c big => *[:1, :1, :1]
        DEL copy => :1
        @events
        @advance 100
        @reap
        @events => HashExpired h, Deleted h
        DBSIZE => :0
        """);

    // As in Redis 8: also fields that HSETEX names in vain.
    [Theory]
    [InlineData("HEXPIRE h 0 FIELDS 3 a b missing", 2)]
    [InlineData("HPEXPIREAT h 1 FIELDS 1 a", 1)]
    [InlineData("HEXPIRE h 0 XX FIELDS 1 a", 0)]
    [InlineData("HGETEX h EXAT 1 FIELDS 2 a missing", 1)]
    [InlineData("HGETEX h PERSIST FIELDS 1 a", 0)]
    [InlineData("HSETEX h PXAT 1 FIELDS 3 a 1 new 2 new 3", 3)]
    [InlineData("HSETEX h FNX PXAT 1 FIELDS 1 a 1", 0)]
    [InlineData("HSETEX none EXAT 1 FIELDS 1 a 1", 1)]
    public void AFieldWhoseNewDeadlineHasPassedCountsAsExpired(string command, long expectedCount)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        Transcript.Run(harness, "HSET h a 1 b 2 c 3");
        Transcript.Run(harness, command);
        Assert.Equal(expectedCount, harness.Execution.Keys.Statistics.ExpiredFields);
    }

    [Fact]
    public void ManyFieldsGoInSlices()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        for (int number = 0; number < 1000; number++)
            harness.RunWords("HSETEX", "h", "PX", "100", "FIELDS", "1", $"field{number}", "v");
        harness.RunWords("HSET", "h", "stays", "v");
        harness.Advance(100);
        Assert.Equal(":1", Transcript.Run(harness, "HLEN h"));
        Assert.Equal("*[$\"stays\", $\"v\"]", Transcript.Run(harness, "HGETALL h"));
        Assert.Equal("*[$\"stays\"]", Transcript.Run(harness, "HRANDFIELD h 5"));
        Assert.Equal("$\"stays\"", Transcript.Run(harness, "HRANDFIELD h"));
        Assert.Equal(":1", Transcript.Run(harness, "HSETNX h field999 v"));
        Assert.Equal(512, harness.Execution.Keys.Statistics.ExpiredFields);
        harness.Reap();
        Assert.Equal(999, harness.Execution.Keys.Statistics.ExpiredFields);
        Assert.Equal(":2", Transcript.Run(harness, "HLEN h"));
    }

    [Fact]
    public void AStringTakesTheKeyOver() => DataCommands.Play($"""
        HSETEX h PX 100 FIELDS 1 a 1
        SET h string => +OK
        HSETEX g PX 100 FIELDS 1 a {new string('x', 100)}
        SET g string => +OK
        HSETEX k PX 100 FIELDS 1 a 1
        DEL k => :1
        @events
        @advance 100
        @reap
        @events
        DBSIZE => :2
        """);
}
