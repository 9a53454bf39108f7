using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>A server that ends while commands are suspended frees their memory.</summary>
public sealed class SuspendedExecutionTests
{
    [Fact]
    public void ArgumentsOfCommandsThatWaitForALockAreFreed()
    {
        var server = new TestServer();
        TestClient small = server.Connect();
        TestClient big = server.Connect();
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            Assert.True(stripe.Lock.TryEnter());
        long usedBytes = server.Engine.Sessions.Records.UsedBytes;
        small.Send("SET", "k", new string('x', 50_000));
        big.Send("SET", "k", new string('x', 200_000));
        server.Run();
        // What the big value lies in is counted elsewhere.
        Assert.InRange(server.Engine.Sessions.Records.UsedBytes - usedBytes, 50_000, 51_000);
        Assert.InRange(small.Session!.RecordBytes, 50_000, 50_500);
        SessionExecution[] waiting = [small.Session!.Suspended!, big.Session!.Suspended!];
        Assert.All(waiting, execution => Assert.True(execution.OwnsArguments));
        Assert.Single(waiting[1].Regions);
        server.Dispose();
        Assert.All(waiting, execution => Assert.False(execution.OwnsArguments));
        Assert.Empty(waiting[1].Regions);
        AssertNothingMapped(server);
    }

    [Fact]
    public void ATransactionThatTheSlowLaneHasNotBegunIsFreed()
    {
        var server = new TestServer { IsSlowLaneHeld = true };
        TestClient client = server.Connect();
        client.Run("WATCH k");
        client.Run("MULTI");
        client.Run("KEYS *");
        Assert.Equal("", client.Run("EXEC"));
        SessionExecution execution = client.Session!.Suspended!;
        client.Disconnect();
        server.Engine.Dispose();
        Assert.False(execution.OwnsArguments);
        Assert.Null(client.Session!.Transaction);
        Assert.Null(client.Session!.Watches);
        AssertNothingMapped(server);
        // The pool may come to it yet: nothing is left for it to do.
        server.Engine.SlowLane.Run(execution);
        Assert.Null(server.Fault);
    }

    [Fact]
    public void AnUnclaimedReplyOfTheSlowLaneIsFreed()
    {
        var server = new TestServer { IsSlowLaneHeld = true };
        TestClient client = server.Connect();
        client.Run("MULTI");
        client.Run("KEYS *");
        Assert.Equal("", client.Run("EXEC"));
        SessionExecution execution = client.Session!.Suspended!;
        client.Disconnect();
        server.Engine.SlowLane.Run(execution);
        Assert.Equal(ExecutionState.Completed, execution.State);
        server.Engine.Dispose();
        AssertNothingMapped(server);
    }

    /// <summary>A blocking command that is sent to the slow lane may find there that all has expired: it
    /// comes back to wait on its loop. Its session may have closed meanwhile.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void AClientThatLeavesWhileTheSlowLaneFindsNothingLeavesNothing(bool isBeforeTheLane)
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCostNsMax: 0, loopCount: 2, clock);
        TestClient other = server.Connect();
        TestClient client = server.Connect(loop: 1, protocol: 3);
        other.Run("RPUSH list a b");
        other.Run("PEXPIRE list 10");
        client.Run("SUBSCRIBE c");
        client.Run("WATCH watched");
        server.IsSlowLaneHeld = true;
        Assert.Equal("", client.Run("BLMPOP 0 1 list LEFT COUNT 2"));
        SessionExecution execution = client.Session!.Suspended!;
        Assert.Equal(ExecutionState.InSlowLane, execution.State);
        clock.Advance(20_000);
        if (isBeforeTheLane)
            client.Disconnect();
        server.Engine.SlowLane.Run(execution);
        Assert.Equal(ExecutionState.Retrying, execution.State);
        client.Disconnect();
        server.IsSlowLaneHeld = false;
        server.Run();
        Assert.Equal(":0", other.Run("PUBLISH c m"));
        Assert.Null(client.Session!.Watches);
        Assert.Equal("*[$c, :0]", other.Run("PUBSUB NUMSUB c"));
        Assert.True(server.Engine.Waits.IsEmpty);
        Assert.DoesNotContain(server.Engine.Keyspace.Stripes.ToArray(), static stripe => stripe.Lock.IsHeld);
    }

    /// <summary>As above, where the server ends before the command is back on its loop.</summary>
    [Fact]
    public void AServerThatEndsBeforeTheCommandReturnsLeavesNothing()
    {
        var clock = new ManualClock();
        var server = new TestServer(loopCostNsMax: 0, loopCount: 1, clock);
        TestClient client = server.Connect(protocol: 3);
        client.Run("RPUSH list a b");
        client.Run("PEXPIRE list 10");
        client.Run("SUBSCRIBE c");
        client.Run("WATCH watched");
        server.IsSlowLaneHeld = true;
        Assert.Equal("", client.Run("BLMPOP 0 1 list LEFT COUNT 2"));
        SessionExecution execution = client.Session!.Suspended!;
        clock.Advance(20_000);
        client.Disconnect();
        server.Engine.SlowLane.Run(execution);
        server.Engine.Dispose();
        Assert.Null(client.Session!.Watches);
        Assert.Equal(0, server.Engine.Channels.ChannelCount);
        AssertNothingMapped(server);
    }

    /// <summary>A session may close by the very reply that it has waited for.</summary>
    [Fact]
    public void AClientWhoseReplyIsOverItsLimitLeavesNothing()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient other = server.Connect();
        TestClient client = server.Connect(loop: 1);
        client.Run("WATCH watched");
        Assert.Equal("", client.Run("BLPOP list 0"));
        other.Call("CONFIG", "SET", "client-output-buffer-limit", "normal 20000 0 0");
        other.Call("RPUSH", "list", new string('x', 100_000));
        Assert.True(client.IsClosed);
        Assert.Null(client.Session!.Watches);
    }

    private static void AssertNothingMapped(TestServer server)
    {
        Assert.Empty(server.Engine.Keyspace.Pages.LeakReport());
        Assert.Equal(0, server.Engine.Keyspace.Pages.MappedBytes);
        Assert.Equal(0, server.Engine.Keyspace.Blocks.MappedBytes);
    }
}
