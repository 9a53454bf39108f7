using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>A server that ends while commands are suspended gives their memory back.</summary>
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
        small.Send("SET", "k", "value");
        big.Send("SET", "k", new string('x', 200_000));
        server.Run();
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
        Assert.Null(client.Session.Transaction);
        Assert.Null(client.Session.Watches);
        AssertNothingMapped(server);
        // The pool may come to it yet: nothing is left for it to do.
        server.Engine.SlowLane.Run(execution);
        Assert.Null(server.Fault);
    }

    [Fact]
    public void AReplyOfTheSlowLaneThatNobodyTookIsFreed()
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

    private static void AssertNothingMapped(TestServer server)
    {
        Assert.Empty(server.Engine.Keyspace.Pages.LeakReport());
        Assert.Equal(0, server.Engine.Keyspace.Pages.MappedBytes);
        Assert.Equal(0, server.Engine.Keyspace.Blocks.MappedBytes);
    }
}
