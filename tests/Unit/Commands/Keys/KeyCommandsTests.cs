using System.Collections.Generic;
using Cinnabar.Keyspace;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Keys;

/// <summary>DEL, EXISTS, RANDOMKEY, TOUCH, TYPE, UNLINK, OBJECT, MEMORY USAGE as redis-server 7.0.15 has
/// them.</summary>
public sealed class KeyCommandsTests
{
    [Fact]
    public void KeysGoAndAreCounted() => DataCommands.Play("""
        MSET a 1 b 2 c 3
        EXISTS a => :1
        EXISTS a a nokey b => :3
        TOUCH a a nokey b => :3
        @changes => 0
        TYPE a => +string
        TYPE nokey => +none
        @events
        DEL a nokey a b => :2
        @changes => 2
        @events => Deleted a, Deleted b
        UNLINK c c => :1
        @events => Deleted c
        DBSIZE => :0
        RANDOMKEY => $-1
        """);

    [Fact]
    public void HitsAndMissesAreCountedAsInRedis()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        harness.Run("SET a b");
        foreach (string line in (string[])
            ["TYPE a", "TTL a", "EXISTS a", "OBJECT ENCODING a", "MEMORY USAGE a", "EXPIRE a 100", "TOUCH a",
             "COPY a b", "RENAME a c", "TYPE nokey", "OBJECT ENCODING nokey"])
            harness.Run(line);
        Assert.Equal(6, harness.Execution.Keys.Statistics.Hits);
        Assert.Equal(2, harness.Execution.Keys.Statistics.Misses);
    }

    [Fact]
    public void OnlyUseIsAnAccess()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        harness.Run("SET a v");
        harness.Advance(5_000);
        foreach (string line in (string[])
            ["TYPE a", "TTL a", "EXISTS a", "OBJECT ENCODING a", "MEMORY USAGE a", "RANDOMKEY", "KEYS *",
             "SCAN 0"])
            harness.Run(line);
        Assert.Equal(":5\r\n", harness.Run("OBJECT IDLETIME a"));
        harness.Execution.Keys.IsNoTouch = true;
        harness.Run("GET a");
        Assert.Equal(":5\r\n", harness.Run("OBJECT IDLETIME a"));
        harness.Run("TOUCH a");
        Assert.Equal(":0\r\n", harness.Run("OBJECT IDLETIME a"));
        Assert.True(harness.Execution.Keys.IsNoTouch);
        harness.Advance(1L << 34);
        Assert.Equal($":{((1L << 34) / 1000 & 0xFFFFFF) + CarryOf(harness, 1L << 34)}\r\n",
            harness.Run("OBJECT IDLETIME a"));
    }

    [Fact]
    public void ObjectRepliesHowValuesAreStored() => DataCommands.Play("""
        OBJECT ENCODING nokey => $-1
        OBJECT FREQ nokey => $-1
        OBJECT IDLETIME nokey => $-1
        OBJECT REFCOUNT nokey => $-1
        SET s abc
        OBJECT ENCODING s => $"embstr"
        OBJECT REFCOUNT s => :1
        APPEND s d
        OBJECT ENCODING s => $"raw"
        SET s 9999
        OBJECT ENCODING s => $"int"
        OBJECT REFCOUNT s => :2147483647
        INCR s
        OBJECT REFCOUNT s => :1
        SET s -1
        OBJECT REFCOUNT s => :1
        SETRANGE s 70000 x
        OBJECT ENCODING s => $"raw"
        OBJECT FREQ s
        => -ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that
        .. when switching between policies at runtime LRU and LFU data will take some time to adjust.
        """);

    /// <summary>Nine bytes more than the key and its value take: a slot of the table, and its tag. So the
    /// smallest keys, too, exceed the 20 bytes that Jedis's test suite expects.</summary>
    [Fact]
    public void MemoryUsageIsExact()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        long used = Used(harness);
        harness.Run("SET k 0123456789012345678901234567890123456789");
        Assert.Equal($":{Used(harness) - used + 9}\r\n", harness.Run("MEMORY USAGE k"));
        DataCommands.Play("""
            SET foo bar => +OK
            MEMORY USAGE foo => :25
            MEMORY USAGE nokey => $-1
            MEMORY USAGE nokey FOO => -ERR syntax error
            MEMORY USAGE nokey SAMPLES => -ERR syntax error
            MEMORY USAGE nokey SAMPLES abc => -ERR value is not an integer or out of range
            MEMORY USAGE nokey SAMPLES -1 => -ERR syntax error
            MEMORY USAGE nokey SAMPLES 0 SAMPLES 5 => $-1
            """);
    }

    [Fact]
    public void RandomKeyIsUniform()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        const int keyCount = 50;
        const int drawsPerKey = 200;
        for (int index = 0; index < keyCount; index++)
            harness.Run($"SET key:{index} v");
        Dictionary<string, int> draws = [];
        for (int draw = 0; draw < keyCount * drawsPerKey; draw++)
        {
            string key = harness.Run("RANDOMKEY");
            draws[key] = draws.GetValueOrDefault(key) + 1;
        }

        Assert.Equal(keyCount, draws.Count);
        double chiSquare = 0;
        foreach (int count in draws.Values)
            chiSquare += (count - drawsPerKey) * (double)(count - drawsPerKey) / drawsPerKey;
        // 49 degrees of freedom: the seed is fixed, and one in a million seeds would exceed this.
        Assert.InRange(chiSquare, 15, 110);
    }

    [Fact]
    public void RandomKeyFindsTheOneThatLives()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        for (int index = 0; index < 3000; index++)
            harness.Run($"SET dead:{index} v PX 1");
        harness.Advance(1);
        Assert.Equal("$-1\r\n", harness.Run("RANDOMKEY"));
        harness.Run("SET alive v");
        for (int round = 0; round < 20; round++)
            Assert.Equal("$5\r\nalive\r\n", harness.Run("RANDOMKEY"));
        Assert.Equal(":3001\r\n", harness.Run("DBSIZE"));
        Assert.Equal("*1\r\n$5\r\nalive\r\n", harness.Run("KEYS *"));
    }

    private static long CarryOf(CommandHarness harness, long milliseconds) =>
        (harness.NowMs / 1000) - ((harness.NowMs - milliseconds) / 1000) - (milliseconds / 1000);

    private static long Used(CommandHarness harness)
    {
        long used = 0;
        foreach (Stripe stripe in harness.Keyspace.Stripes)
            used += stripe.Arena.UsedBytes;
        return used;
    }
}
