using System;
using System.Globalization;
using Cinnabar.Engine.Loops;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Unit.Engine.Server;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine;

/// <summary>
/// A hundred thousand keys with the same deadline, under a clock that goes on by 10 us with each look at it:
/// so a slice of housekeeping ends after as many looks, whatever the machine does.
/// </summary>
public sealed class ExpiryStormTests
{
    private const int KeyCount = 100_000;
    private const int FieldCount = 10_000;
    private const long FieldsRemovedPerTurnMax = 1000;
    private const long StepUs = 10;

    // 100 us a turn, two looks a portion, 8 records a portion; and once more for the portion that ends the
    // slice.
    private const long RemovedPerTurnMax = ((100 / (2 * StepUs)) + 1) * 8;

    [Fact]
    public void ManyDeadlinesAtOnceAreMetInSlicesBetweenTheCommands()
    {
        var clock = new SteppingClock();
        using var server = new TestServer(1, clock);
        TestClient client = server.Connect();
        client.Call("SET", "stays", "0");
        long usedEmpty = server.Engine.Keyspace.UsedBytes;
        long deadlineMs = (clock.UnixMicroseconds / 1000) + 5000;
        for (int index = 0; index < KeyCount; index++)
        {
            client.Send("SET", $"key:{index}", "value", "PXAT",
                deadlineMs.ToString(CultureInfo.InvariantCulture));
            if (index % 1000 == 999)
            {
                server.Run();
                Assert.Equal(1000, client.Take().Count);
            }
        }

        Assert.Equal(KeyCount + 1, server.Engine.Keyspace.Count(0));
        long usedFull = server.Engine.Keyspace.UsedBytes;
        Assert.True(usedFull > usedEmpty + (KeyCount * 40), $"{usedEmpty} bytes, then {usedFull}");
        clock.Advance(5_000_000);
        clock.StepUs = StepUs;
        int turnCount = RemoveInSlices(server, client);
        clock.StepUs = 0;

        Assert.InRange(turnCount, KeyCount / RemovedPerTurnMax, KeyCount);
        Assert.Contains($"\r\nexpired_keys:{KeyCount}\r\n", client.Call("INFO", "stats").Text,
            StringComparison.Ordinal);
        Assert.Equal($":{turnCount}", $"{client.Call("INCRBY", "stays", "0")}");
        for (int turn = 0; turn < 100; turn++)
            server.Turn();
        long usedAfter = server.Engine.Keyspace.UsedBytes;
        Assert.True(usedAfter - usedEmpty < (usedFull - usedEmpty) / 20,
            $"{usedEmpty} bytes in use without the keys, {usedFull} with them, {usedAfter} after them");
    }

    [Fact]
    public void ManyFieldsOfAHashGoInSlicesToo()
    {
        var clock = new SteppingClock();
        using var server = new TestServer(1, clock);
        TestClient client = server.Connect();
        client.Call("HSET", "hash", "stays", "0");
        long deadlineMs = (clock.UnixMicroseconds / 1000) + 5000;
        for (int index = 0; index < FieldCount; index++)
        {
            client.Send("HSETEX", "hash", "PXAT", deadlineMs.ToString(CultureInfo.InvariantCulture),
                "FIELDS", "1", $"field:{index}", "value");
            if (index % 1000 == 999)
            {
                server.Run();
                Assert.Equal(1000, client.Take().Count);
            }
        }

        clock.Advance(5_000_000);
        clock.StepUs = StepUs;
        server.Turn();
        long removedCount = server.Engine.Loops[0].KeyspaceStatistics.ExpiredFields;
        Assert.InRange(removedCount, 1, FieldsRemovedPerTurnMax);
        Assert.Equal(":1", $"{client.Call("HLEN", "hash")}");
        Assert.Equal("*[$stays, $0]", $"{client.Call("HGETALL", "hash")}");
        for (int turn = 0; server.Engine.Loops[0].KeyspaceStatistics.ExpiredFields < FieldCount; turn++)
        {
            Assert.InRange(turn, 0, FieldCount);
            server.Turn();
        }

        Assert.Contains($"\r\nexpired_subkeys:{FieldCount}\r\n", client.Call("INFO", "stats").Text,
            StringComparison.Ordinal);
    }

    // One command a turn: it is answered in that turn, and no key that is due is seen.
    private static int RemoveInSlices(TestServer server, TestClient client)
    {
        Loop loop = server.Engine.Loops[0];
        int turnCount = 0;
        for (long left = server.Engine.Keyspace.Count(0); left > 1;)
        {
            client.Send("INCR", "stays");
            client.Send("EXISTS", $"key:{turnCount}");
            server.Turn();
            turnCount++;
            Assert.Equal($":{turnCount} :0", client.Shown());
            long count = server.Engine.Keyspace.Count(0);
            Assert.InRange(left - count, 1, RemovedPerTurnMax + 1);
            left = count;
            // The last key may go just when the slice ends: then the loop has work until its next turn.
            if (left == 1)
                server.Turn();
            Assert.Equal(left > 1 ? 0 : 1, Math.Min(1, loop.BeginWait()));
            loop.EndWait();
        }

        return turnCount;
    }
}
