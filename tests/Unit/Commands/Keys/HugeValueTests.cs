using System;
using System.Linq;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Expiry;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Keys;

/// <summary>A huge collection leaves its key at once and its memory in slices, however it goes.</summary>
public sealed class HugeValueTests
{
    private const int MemberCount = 60_000;
    private const int SlicePageCount = 64;

    // Pages have at most 8 KiB here, and a slice may end with a subtree of 256 KiB.
    private const long SliceBytesMax = (SlicePageCount * (9 << 10)) + (256 << 10);

    private static readonly string[] s_types = ["list", "set", "zset", "hash", "stream"];

    private static readonly string[] s_members = [.. Enumerable.Range(0, MemberCount)
        .Select(static number => $"a member of some length, number {number}")];

    /// <summary>The types with trees, and the ways to go.</summary>
    public static TheoryData<string, string> Ways()
    {
        var data = new TheoryData<string, string>();
        foreach (string type in s_types)
        {
            foreach (string way in
                (string[])["DEL k", "UNLINK k", "PEXPIRE k 1", "FLUSHALL ASYNC", "SET k v"])
                data.Add(type, way);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public void NoSliceTakesAll(string type, string way)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        TreeSource trees = harness.Keyspace.Trees;
        Make(harness, type);
        long used = trees.UsedBytes;
        Assert.True(used > 2 * SliceBytesMax, $"only {used} bytes");
        harness.Run(way);
        harness.Advance(10);
        Reap(harness);
        Assert.Equal(way == "SET k v" ? ":1\r\n" : ":0\r\n", harness.Run("EXISTS k"));
        Assert.InRange(trees.UsedBytes, used - SliceBytesMax, used);
        Assert.True(harness.Keyspace.HasGarbage);
        for (bool isMore = true; isMore;)
        {
            long before = trees.UsedBytes;
            isMore = harness.Keyspace.ReclaimSlice(SlicePageCount);
            Assert.InRange(before - trees.UsedBytes, 0, SliceBytesMax);
        }

        Assert.Equal(0, trees.BlockCount);
    }

    /// <summary>The types with trees, and what overwrites them.</summary>
    public static TheoryData<string, string> Overwriters()
    {
        var data = new TheoryData<string, string>();
        foreach (string type in s_types)
        {
            foreach (string way in (string[])
                [
                    "RENAME small k",
                    "COPY small k REPLACE",
                    "SUNIONSTORE k small",
                    "SINTERSTORE k small missing",
                    "ZUNIONSTORE k 1 small",
                    "ZRANGESTORE k missing 0 -1",
                    "SORT small ALPHA STORE k",
                    "BITOP NOT k missing",
                    "MSET k v",
                    "FLUSHDB ASYNC",
                ])
                data.Add(type, way);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Overwriters))]
    public void OverwritingTakesNoMoreThanASlice(string type, string way)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        TreeSource trees = harness.Keyspace.Trees;
        Make(harness, type);
        harness.Run("SADD small a");
        long used = trees.UsedBytes;
        string reply = harness.Run(way);
        Assert.False(reply.StartsWith('-'), reply);
        Assert.InRange(trees.UsedBytes, used - SliceBytesMax, used);
        Reap(harness);
        Assert.True(harness.Keyspace.HasGarbage);
        for (bool isMore = true; isMore;)
        {
            long before = trees.UsedBytes;
            isMore = harness.Keyspace.ReclaimSlice(SlicePageCount);
            Assert.InRange(before - trees.UsedBytes, 0, SliceBytesMax);
        }

        Assert.InRange(trees.UsedBytes, 0, 1 << 10);
    }

    /// <summary>Commands that take all members of a value of their own type.</summary>
    [Theory]
    [InlineData("list", "LTRIM k 1 0")]
    [InlineData("list", "LPOP k 60000")]
    [InlineData("set", "SPOP k 60000")]
    [InlineData("zset", "ZREMRANGEBYRANK k 0 -1")]
    [InlineData("zset", "ZREMRANGEBYSCORE k -inf +inf")]
    [InlineData("zset", "ZPOPMIN k 60000")]
    [InlineData("stream", "XTRIM k MAXLEN 0")]
    public void TakingAllLeavesItsMemoryInSlices(string type, string way)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        TreeSource trees = harness.Keyspace.Trees;
        Make(harness, type);
        long used = trees.UsedBytes;
        Assert.False(harness.Run(way).StartsWith('-'));
        Assert.InRange(trees.UsedBytes, used - SliceBytesMax, used);
    }

    /// <summary>Removing members by their names frees memory: no part of it, nor the last one, frees more
    /// than a slice.</summary>
    [Theory]
    [InlineData("set", "SREM k")]
    [InlineData("hash", "HDEL k")]
    [InlineData("hash", "HGETDEL k FIELDS 1000")]
    [InlineData("zset", "ZREM k")]
    public void TakingAllByNameFreesMemoryOnTheWay(string type, string way)
    {
        const int namedCount = 1000;
        using CommandHarness harness = DataCommands.NewHarness();
        TreeSource trees = harness.Keyspace.Trees;
        Make(harness, type);
        Assert.True(trees.UsedBytes > 2 * SliceBytesMax, $"only {trees.UsedBytes} bytes");
        long most = trees.UsedBytes;
        foreach (string[] named in s_members.Chunk(namedCount))
        {
            long before = trees.UsedBytes;
            string reply = harness.RunWords([.. way.Split(' '), .. named]);
            Assert.StartsWith(way.StartsWith('H') && way.Length > 6 ? "*1000" : ":1000", reply);
            Assert.InRange(before - trees.UsedBytes, -SliceBytesMax, SliceBytesMax);
            most = Math.Max(most, trees.UsedBytes);
            if (named[0] == s_members[MemberCount / 2])
                Assert.InRange(trees.UsedBytes, 0, most * 3 / 4);
        }

        Assert.Equal(":0\r\n", harness.Run("EXISTS k"));
        while (harness.Keyspace.ReclaimSlice(SlicePageCount))
        {
        }

        Assert.Equal(0, trees.BlockCount);
    }

    /// <summary>The same in one command.</summary>
    [Theory]
    [InlineData("set", "SREM k")]
    [InlineData("hash", "HDEL k")]
    [InlineData("hash", "HGETDEL k FIELDS 60000")]
    [InlineData("zset", "ZREM k")]
    public void TakingAllByNameLeavesNothing(string type, string way)
    {
        using CommandHarness harness = DataCommands.NewHarness();
        Make(harness, type);
        Assert.False(harness.RunWords([.. way.Split(' '), .. s_members]).StartsWith('-'));
        Assert.Equal(":0\r\n", harness.Run("EXISTS k"));
        while (harness.Keyspace.ReclaimSlice(SlicePageCount))
        {
        }

        Assert.Equal(0, harness.Keyspace.Trees.BlockCount);
    }

    [Fact]
    public void ACopySharesItsMemoryUntilOneOfThemChanges()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        foreach (string type in s_types)
        {
            Make(harness, type);
            long used = harness.Keyspace.Trees.UsedBytes;
            Assert.Equal(":1\r\n", harness.Run("COPY k copy"));
            Assert.Equal(used, harness.Keyspace.Trees.UsedBytes);
            harness.Run("DEL k");
            Assert.Equal(used, harness.Keyspace.Trees.UsedBytes);
            Assert.False(harness.Keyspace.HasGarbage);
            harness.Run("FLUSHALL SYNC");
            Assert.Equal(0, harness.Keyspace.Trees.UsedBytes);
        }
    }

    private static void Make(CommandHarness harness, string type)
    {
        if (type == "stream")
        {
            for (int number = 0; number < MemberCount; number++)
                harness.Run($"XADD k {number + 1}-1 field value-of-some-length-that-takes-its-room");
            return;
        }

        string[] words = type switch
        {
            "list" => ["RPUSH", "k", .. s_members],
            "set" => ["SADD", "k", .. s_members],
            "zset" => ["ZADD", "k", .. s_members.Index().SelectMany(static pair =>
                (string[])[$"{pair.Index}", pair.Item])],
            _ => ["HSET", "k", .. s_members.SelectMany(static member => (string[])[member, "v"])],
        };
        Assert.StartsWith(":", harness.RunWords(words));
    }

    // What the housekeeping does of entries: they go one by one, and their values behind them.
    private static void Reap(CommandHarness harness)
    {
        foreach (Stripe stripe in harness.Keyspace.Stripes)
        {
            harness.Execution.Keys.Begin(0, harness.NowMs);
            while (Reaper.ReapSlice(stripe, harness.Execution.Keys)
                   || stripe.DropSlice(1))
            {
            }

            harness.Execution.Keys.Commit();
        }
    }
}
