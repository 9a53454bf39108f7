using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Keys;

/// <summary>Deadlines set, replied and removed; replies as redis-server 7.0.15 gives them.</summary>
public sealed class ExpiryCommandsTests
{
    [Fact]
    public void DeadlinesPass() => DataCommands.Play("""
        SET k v => +OK
        TTL k => :-1
        PTTL k => :-1
        EXPIRETIME k => :-1
        PEXPIRETIME k => :-1
        TTL nokey => :-2
        PTTL nokey => :-2
        EXPIRETIME nokey => :-2
        PEXPIRETIME nokey => :-2
        EXPIRE nokey 10 => :0
        @changes => 0
        @events => Set k
        EXPIRE k 10 => :1
        @changes => 1
        @events => Expire k
        @stored k => Embstr 10000 ms
        TTL k => :10
        PTTL k => :10000
        @advance 8499
        TTL k => :2
        @advance 2
        TTL k => :1
        PTTL k => :1499
        @advance 1498
        EXISTS k => :1
        TTL k => :0
        PTTL k => :1
        @advance 1
        EXISTS k => :0
        TTL k => :-2
        DBSIZE => :1
        DEL k => :0
        @events => Expired k
        DBSIZE => :0
        """);

    [Fact]
    public void TheReaperFreesAndDeclares() => DataCommands.Play("""
        SET a v PX 10
        SET b v PX 20
        SET c v
        @events => Set a, Expire a, Set b, Expire b, Set c
        @advance 10
        @reap
        @events => Expired a
        DBSIZE => :2
        @advance 10
        @reap
        @events => Expired b
        DBSIZE => :1
        """);

    [Fact]
    public void AbsoluteDeadlines() => DataCommands.Play("""
        SET k v
        PEXPIREAT k 9000000000123 => :1
        PEXPIRETIME k => :9000000000123
        EXPIRETIME k => :9000000000
        EXPIREAT k 9000000001 => :1
        PEXPIRETIME k => :9000000001000
        PEXPIREAT k 9000000000500 => :1
        EXPIRETIME k => :9000000001
        PEXPIREAT k 9223372036854775807 => :1
        PEXPIRETIME k => :9223372036854775807
        EXPIRETIME k => :9223372036854776
        PERSIST k => :1
        @changes => 1
        @stored k => Embstr
        PERSIST k => :0
        @changes => 0
        PERSIST nokey => :0
        """);

    [Fact]
    public void APastDeadlineDeletes() => DataCommands.Play("""
        SET a v
        SET b v
        SET c v
        SET d v
        @events
        EXPIRE a 0 => :1
        PEXPIRE b -1 => :1
        EXPIREAT c 1 => :1
        PEXPIREAT d -9223372036854775808 => :1
        @changes => 1
        @events => Deleted a, Deleted b, Deleted c, Deleted d
        DBSIZE => :0
        """);

    [Fact]
    public void Conditions() => DataCommands.Play("""
        SET k v
        EXPIRE k 10 XX => :0
        EXPIRE k 10 GT => :0
        @changes => 0
        EXPIRE k -1 XX => :0
        EXPIRE k -1 GT => :0
        EXPIRE k 30 lt => :1
        EXPIRE k 10 NX => :0
        EXPIRE k 30 LT => :0
        EXPIRE k 30 GT => :0
        EXPIRE k 20 LT => :1
        EXPIRE k 20 XX GT => :0
        EXPIRE k 40 XX GT => :1
        EXPIRE k 50 XX => :1
        EXPIRE k 5 LT LT => :1
        EXPIRE k 60 XX LT => :0
        TTL k => :5
        PERSIST k => :1
        EXPIRE k 10 XX LT => :0
        EXPIRE k 10 NX NX => :1
        EXPIRE k -1 GT => :0
        EXPIRE k -1 NX => :0
        EXPIRE k -1 LT => :1
        EXISTS k => :0
        """);

    [Fact]
    public void ErrorsInOrder() => DataCommands.Play("""
        SET k v
        EXPIRE k abc FOO => -ERR Unsupported option FOO
        EXPIRE k abc NX XX => -ERR NX and XX, GT or LT options at the same time are not compatible
        EXPIRE k abc GT NX => -ERR NX and XX, GT or LT options at the same time are not compatible
        EXPIRE k abc NX GT LT => -ERR NX and XX, GT or LT options at the same time are not compatible
        EXPIRE k abc GT LT => -ERR GT and LT options at the same time are not compatible
        EXPIRE k abc XX GT => -ERR value is not an integer or out of range
        EXPIRE nokey abc => -ERR value is not an integer or out of range
        EXPIRE nokey 9223372036854775807 => -ERR invalid expire time in 'expire' command
        EXPIRE k 9223372036854775 => -ERR invalid expire time in 'expire' command
        EXPIRE k -9223372036854775808 => -ERR invalid expire time in 'expire' command
        PEXPIRE k 9223372036854775807 => -ERR invalid expire time in 'pexpire' command
        EXPIREAT k 9223372036854776 => -ERR invalid expire time in 'expireat' command
        PEXPIREAT k 9223372036854775808 => -ERR value is not an integer or out of range
        @changes => 0
        TTL k => :-1
        """);

    [Fact]
    public void TheSameDeadlineAgainCostsNoMemory()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        harness.Run("SET k v PXAT 9000000000000");
        long before = Records(harness);
        for (int round = 0; round < 100; round++)
        {
            harness.Run("SET k v PXAT 9000000000000");
            harness.Run("SET k v KEEPTTL");
            harness.Run("SET k 1 KEEPTTL");
            harness.Run("PEXPIREAT k 9000000000000");
            harness.Run("INCR k");
        }

        Assert.Equal(before, Records(harness));
        Assert.Equal(1, harness.Keyspace.VolatileCount(0));
    }

    [Fact]
    public void TheSameDeadlineByTurnsCostsBoundedMemory()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        for (int round = 0; round < 2_500; round++)
        {
            harness.Run("SET k v");
            harness.Run("PEXPIREAT k 9000000000000");
            harness.Reap();
            Assert.True(Records(harness) < 1100, $"{Records(harness)} records after {round} rounds");
        }

        Assert.Equal(1, harness.Keyspace.VolatileCount(0));
    }

    private static long Records(CommandHarness harness)
    {
        long count = 0;
        foreach (Cinnabar.Keyspace.Stripe stripe in harness.Keyspace.Stripes)
            count += stripe.Deadlines.Count;
        return count;
    }
}
