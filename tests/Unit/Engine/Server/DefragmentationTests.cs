using System.Globalization;
using System.Linq;
using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Moving;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>Memory is defragmented, and the data stay what they are.</summary>
public sealed class DefragmentationTests
{
    private const int KeyCount = 6_000;
    private const int MemberCount = 3_000;
    private const int RoundCountMax = 50;
    private const int TickCountMax = 1000;
    private const int SliceCount = 3;
    private const int BigCount = 5;
    private const long NsPerMs = 1_000_000;

    // What passes from one look at the clock to the next; a slice looks before its first step and after each.
    private const long StepUs = 100;
    private const long StepNs = StepUs * 1000;

    [Fact]
    public void RoundsMoveWhatLiesInSparseSlabsAndChangeNothing()
    {
        using var server = new TestServer(loopCount: 2, new ManualClock());
        TestClient client = server.Connect();
        Fill(client);
        Thin(client);
        var moves = new MovingRound(server.Engine.Keyspace);
        using var before = new EntryCollector();
        using var after = new EntryCollector();
        Assert.True(AllStripes.TryRun(
            server.Engine.Keyspace, () => before.CollectAll(server.Engine.Keyspace)));
        long fragmentsBefore = FragmentBytes(server, client);
        long movedCount = -1;
        for (int round = 0; round < RoundCountMax && moves.Counts.Moved != movedCount; round++)
        {
            movedCount = moves.Counts.Moved;
            do
                moves.Step(scanFieldsMax: 100);
            while (moves.IsUnderWay);
        }

        Assert.True(AllStripes.TryRun(
            server.Engine.Keyspace, () => after.CollectAll(server.Engine.Keyspace)));
        EntryCollector.Compare(before.Entries, after.Entries);
        Assert.InRange(moves.Counts.Moved, KeyCount / 20, long.MaxValue);
        Assert.InRange(FragmentBytes(server, client), 0, fragmentsBefore / 2);
        // What has moved is found, changed and freed as ever.
        for (int key = 0; key < KeyCount; key += 4)
            Assert.Equal(":1", client.Call("DEL", $"key:{key}").ToString());
        Assert.Equal("+OK", client.Run("FLUSHALL"));
    }

    [Fact]
    public void WhatIsSwitchedOnRunsUntilThereIsLittleLeft()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock, ("active-defrag-ignore-bytes", "100kb"),
            ("active-defrag-threshold-lower", "5"), ("active-defrag-cycle-min", "50"),
            ("active-defrag-cycle-max", "75"));
        TestClient client = server.Connect();
        Fill(client);
        Thin(client);
        string digest = client.Run("DEBUG DIGEST");
        Assert.Equal("+OK", client.Run("CONFIG SET activedefrag yes"));
        Assert.Equal("0", Field(client, "active_defrag_hits"));
        bool hasRun = false;
        for (int tick = 0; tick < TickCountMax; tick++)
        {
            clock.Advance(10_000);
            server.Run();
            bool isRunning = Field(client, "active_defrag_running") != "0";
            if (hasRun && !isRunning)
                break;
            hasRun |= isRunning;
        }

        Assert.True(hasRun);
        Assert.NotEqual("0", Field(client, "active_defrag_key_hits"));
        Assert.NotEqual("0", Field(client, "total_active_defrag_time"));
        Assert.Equal("0", Field(client, "current_active_defrag_time"));
        Assert.Equal(digest, client.Run("DEBUG DIGEST"));
        Assert.Equal("+OK", client.Run("CONFIG RESETSTAT"));
        Assert.Equal("0", Field(client, "active_defrag_hits"));
        Assert.Equal("+OK", client.Run("CONFIG SET activedefrag no"));
    }

    /// <summary>A slice ends with the step in which active-defrag-cycle-us has passed, and is followed by a
    /// pause that gives the slices their share of the time.</summary>
    [Theory]
    [InlineData("500", "10", 5, 45)]
    [InlineData("500", "50", 5, 5)]
    [InlineData("2000", "10", 20, 180)]
    [InlineData("100", "1", 1, 99)]
    public void ASliceAndItsPauseAreAsLongAsTheDirectivesSay(
        string cycleUs, string share, int stepCount, int pauseStepCount)
    {
        var clock = new SteppingClock();
        using var server = new TestServer(1, clock, ("active-defrag-ignore-bytes", "1"),
            ("active-defrag-threshold-lower", "1"), ("active-defrag-cycle-us", cycleUs),
            ("active-defrag-cycle-min", share), ("active-defrag-cycle-max", share));
        TestClient client = server.Connect();
        Fill(client);
        Thin(client);
        Assert.Equal("+OK", client.Run("CONFIG SET activedefrag yes"));
        ActiveDefrag defrag = server.Engine.MemoryLimit.Defrag;
        clock.Advance(1_000_000);
        defrag.Look();
        Assert.Equal(int.Parse(share, CultureInfo.InvariantCulture), defrag.Share);
        for (int slice = 0; slice < SliceCount; slice++)
        {
            long startNs = clock.MonotonicNanoseconds;
            clock.StepUs = StepUs;
            defrag.Run();
            clock.StepUs = 0;
            long endNs = clock.MonotonicNanoseconds;
            // The first look is at the beginning.
            Assert.Equal(stepCount + 1, (endNs - startNs) / StepNs);
            Assert.Equal(((pauseStepCount * StepNs) + NsPerMs - 1) / NsPerMs, defrag.WaitMs());
            clock.Advance((pauseStepCount * StepUs) - 1);
            defrag.Run();
            Assert.InRange(defrag.WaitMs(), 1, long.MaxValue);
            clock.Advance(1);
            Assert.Equal(0, defrag.WaitMs());
        }
    }

    /// <summary>A step passes a page of each big value that it is at, or as many fields as it is
    /// told.</summary>
    [Fact]
    public void AStepOfBigValuesIsBounded()
    {
        using var server = new TestServer(loopCount: 1);
        TestClient client = server.Connect();
        Fill(client);
        for (int key = 0; key < KeyCount; key++)
            client.Call("DEL", $"key:{key}");
        Thin(client);
        (long few, long fewTotal) = LongestStep(server, scanFieldsMax: 1);
        (long many, _) = LongestStep(server, scanFieldsMax: MemberCount);
        Assert.InRange(few, 1, BigCount);
        Assert.InRange(fewTotal, BigCount * 5, long.MaxValue);
        Assert.InRange(many, BigCount * 5, long.MaxValue);
    }

    // Of one round: how many blocks a step has passed at most, and all.
    private static (long Most, long All) LongestStep(TestServer server, long scanFieldsMax)
    {
        var moves = new MovingRound(server.Engine.Keyspace);
        long most = 0;
        long before = 0;
        do
        {
            moves.Step(scanFieldsMax);
            long passed = moves.Counts.Moved + moves.Counts.Stayed;
            (most, before) = (long.Max(most, passed - before), passed);
        }
        while (moves.IsUnderWay);
        return (most, before);
    }

    /// <summary>A slice that takes long is an event of LATENCY.</summary>
    [Fact]
    public void ASliceIsTimed()
    {
        var clock = new SteppingClock();
        using var server = new TestServer(loopCount: 1, clock, ("active-defrag-ignore-bytes", "100kb"),
            ("active-defrag-threshold-lower", "5"), ("latency-monitor-threshold", "7"));
        TestClient client = server.Connect();
        Fill(client);
        Thin(client);
        Assert.Equal("+OK", client.Run("CONFIG SET activedefrag yes"));
        clock.Advance(1_000_000);
        server.Run();
        Assert.NotEqual("0", Field(client, "active_defrag_running"));
        Assert.Equal("*", client.Run("LATENCY HISTORY active-defrag-cycle"));
        // The step by which the clock advances while the slice is made ends it.
        clock.StepUs = 7000;
        for (int count = 0; count < 100; count++)
            server.Engine.Loops[0].Turn();
        clock.StepUs = 0;
        Assert.Contains(", :7]", client.Run("LATENCY HISTORY active-defrag-cycle"),
            System.StringComparison.Ordinal);
    }

    // Each stripe has some slabs of the keys' size.
    private static void Fill(TestClient client)
    {
        for (int key = 0; key < KeyCount; key++)
            client.Call("SET", $"key:{key}", new string('v', 2600 + (key % 3)));
        for (int member = 0; member < MemberCount; member++)
        {
            client.Call("HSET", "hash", $"f{member}", new string('h', member % 60));
            client.Call("SADD", "set", $"member:{member}");
            client.Call("ZADD", "sorted", (member * 31 % 1000).ToString(CultureInfo.InvariantCulture),
                $"member:{member}");
            client.Call("RPUSH", "list", $"element:{member}:{new string('l', 90)}");
            client.Call("XADD", "stream", $"{member + 1}-0", "f", new string('x', 60));
        }

        client.Call(["HEXPIRE", "hash", "1000", "FIELDS", "1000",
            .. Enumerable.Range(0, 1000).Select(static field => $"f{field}")]);
    }

    // One of four stays: of keys, of members in runs that lie on other pages each.
    private static void Thin(TestClient client)
    {
        for (int key = 0; key < KeyCount; key++)
        {
            if (key % 4 != 0)
                client.Call("DEL", $"key:{key}");
        }

        for (int member = 0; member < MemberCount; member++)
        {
            if (member / 200 % 4 == 0)
                continue;
            client.Call("HDEL", "hash", $"f{member}");
            client.Call("SREM", "set", $"member:{member}");
            client.Call("ZREM", "sorted", $"member:{member}");
            client.Call("LREM", "list", "1", $"element:{member}:{new string('l', 90)}");
            client.Call("XDEL", "stream", $"{member + 1}-0");
        }
    }

    // Beyond what is used; MEMORY PURGE gives reserves and, in checked mode, the quarantine back.
    private static long FragmentBytes(TestServer server, TestClient client)
    {
        Assert.Equal("+OK", client.Run("MEMORY PURGE"));
        PageUse pages = server.Engine.Keyspace.MeasurePages();
        return pages.ActiveBytes - server.Engine.Keyspace.UsedBytes;
    }

    private static string Field(TestClient client, string name)
    {
        string start = name + ":";
        return client.Call("INFO", "everything").Text.Split("\r\n")
            .First(line => line.StartsWith(start, System.StringComparison.Ordinal))[start.Length..];
    }
}
