using Cinnabar.Keyspace;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Keys;

/// <summary>FLUSHALL, FLUSHDB and SWAPDB as redis-server 7.0.15 has them.</summary>
public sealed class DatabaseCommandsTests
{
    [Fact]
    public void SwappedDatabasesKeepTheirDeadlines() => DataCommands.Play("""
        SET k zero PX 100
        @select 3
        SET k three PX 200
        SWAPDB 0 3 => +OK
        @changes => 1
        @stored k => Embstr 100 ms
        @select 0
        @stored k => Embstr 200 ms
        @advance 100
        @reap
        GET k => $"three"
        DBSIZE => :1
        @select 3
        DBSIZE => :0
        SWAPDB 3 3 => +OK
        SWAPDB a b => -ERR invalid first DB index
        SWAPDB 0 b => -ERR invalid second DB index
        SWAPDB 99 b => -ERR invalid second DB index
        SWAPDB 0 16 => -ERR DB index is out of range
        SWAPDB -1 0 => -ERR DB index is out of range
        SWAPDB 2147483648 0 => -ERR invalid first DB index
        """);

    [Fact]
    public void FlushedKeysAreGoneAtOnce() => DataCommands.Play("""
        MSET a 1 b 2
        SET c v PX 100
        @select 1
        SET d v
        FLUSHDB FOO => -ERR syntax error
        FLUSHALL SYNC ASYNC => -ERR syntax error
        FLUSHALL SYNC SYNC => -ERR syntax error
        DBSIZE => :1
        FLUSHDB async => +OK
        @changes => 1
        DBSIZE => :0
        SET d again PX 50
        @select 0
        DBSIZE => :3
        FLUSHALL => +OK
        @changes => 4
        DBSIZE => :0
        SET c new PX 200
        @advance 100
        @reap
        GET c => $"new"
        """);

    [Theory]
    [InlineData(100)]
    [InlineData(20_000)]
    public void FlushSyncHasFreedTheMemory(int keyCount)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        long before = Used(harness);
        for (int index = 0; index < keyCount; index++)
            harness.Run($"SET key:{index} v");
        harness.Run("SETRANGE big 3000000 x");
        Assert.True(Used(harness) > before);
        Assert.Equal("+OK\r\n", harness.Run("FLUSHALL SYNC"));
        Assert.Equal(before, Used(harness));
        Assert.Equal(0, harness.SlowLaneCount);
    }

    [Fact]
    public void FlushAsyncLeavesTheFreeingToTheHousekeeping()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        long before = Used(harness);
        for (int index = 0; index < 20_000; index++)
            harness.Run($"SET key:{index} v");
        long full = Used(harness);
        Assert.Equal("+OK\r\n", harness.Run("FLUSHALL ASYNC"));
        Assert.Equal(full, Used(harness));
        Assert.Equal(0, harness.SlowLaneCount);
        harness.Reap();
        Assert.Equal(before, Used(harness));
    }

    private static long Used(CommandHarness harness)
    {
        long used = harness.Keyspace.Blocks.UsedBytes;
        foreach (Stripe stripe in harness.Keyspace.Stripes)
            used += stripe.Arena.UsedBytes;
        return used;
    }
}
