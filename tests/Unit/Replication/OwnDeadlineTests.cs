using System;
using System.Collections.Generic;
using Cinnabar.Keyspace;
using Cinnabar.Platform;
using Cinnabar.Structures.Deadlines;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>A writable replica removes the keys whose deadline its clients have set, and leaves its master's
/// to the master.</summary>
public sealed class OwnDeadlineTests
{
    private const int KeyCount = 20;
    private const int StepCount = 5_000;
    private const int CronUs = 100_000;

    [Fact]
    public void EachKeyIsTakenOnceAtItsLatestDeadline()
    {
        var random = new Random(5);
        var own = new OwnDeadlines();
        Dictionary<ulong, long> model = [];
        for (int nowMs = 0; nowMs < StepCount; nowMs++)
        {
            ulong key = (ulong)random.Next(KeyCount);
            long deadlineMs = nowMs + random.Next(100);
            own.Add(new DeadlineRecord(deadlineMs, 0, key));
            model[key] = deadlineMs;
            while (own.TryTakeDue(nowMs, out DeadlineRecord record))
            {
                Assert.True(record.DeadlineMs <= nowMs, "it is due");
                Assert.True(model.Remove(record.Hash, out long known), "it is taken once");
                Assert.Equal(known, record.DeadlineMs);
            }

            Assert.DoesNotContain(model, pair => pair.Value <= nowMs);
            Assert.Equal(model.Count, own.Count);
        }
    }

    [Fact]
    public void OnlyKeysOfItsOwnAreRemoved()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 1, clock, ("replica-read-only", "no"));
        TestClient client = server.Connect();
        client.Run("SET masters 1 PX 50");
        server.Engine.Keyspace.IsReplica = true;
        client.Run("SET own 1 PX 50");
        client.Run("SET later 1 PX 50");
        client.Run("PEXPIRE later 1000");
        client.Run("HSET hash a b");
        client.Run("PEXPIRE hash 40");
        client.Run("COPY own copied");
        client.Run("SET kept 1 PX 50");
        client.Run("PERSIST kept");
        Assert.Contains("slave_expires_tracked_keys:5\r", client.Call("INFO", "stats").Text,
            StringComparison.Ordinal);
        Assert.Equal(":6", client.Run("DBSIZE"));
        Pass(server, clock);
        // The master's, which is hidden, and those of a later deadline or none.
        Assert.Equal(":3", client.Run("DBSIZE"));
        Assert.Equal(":2", client.Run("EXISTS masters later kept"));
        for (int count = 0; count < 10; count++)
            Pass(server, clock);
        Assert.Equal(":2", client.Run("DBSIZE"));
        Assert.Equal(":1", client.Run("EXISTS masters later kept"));

        client.Run("SET own 1 PX 50");
        server.Engine.Keyspace.IsReplica = false;
        OwnDeadlines.Forget(server.Engine.Keyspace);
        Assert.Equal(0, OwnDeadlines.CountIn(server.Engine.Keyspace));
        Pass(server, clock);
        Assert.Equal(":1", client.Run("DBSIZE"));
    }

    private static void Pass(TestServer server, ManualClock clock)
    {
        clock.Advance(CronUs);
        server.Run();
        server.Run();
    }
}
