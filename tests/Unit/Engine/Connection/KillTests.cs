using System;
using System.Globalization;
using Cinnabar.Keyspace;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

/// <summary>CLIENT KILL: after its reply, no command of the killed client takes effect.</summary>
public sealed class KillTests
{
    [Fact]
    public void WhatWasReceivedInTheSameTurnHasNoEffect()
    {
        using var server = new TestServer();
        TestClient other = server.Connect();
        TestClient killed = server.Connect();
        Kill(other, killed);
        killed.Send("SET", "k", "v");
        server.Run();
        Assert.Equal(":1 _", other.Shown());
        Assert.Equal("_", other.Run("GET k"));
        Assert.True(killed.IsClosed);
    }

    [Fact]
    public void WhatWaitedForAStripeUntilThatTurnHasNoEffect()
    {
        using var server = new TestServer();
        TestClient other = server.Connect();
        TestClient killed = server.Connect();
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            Assert.True(stripe.Lock.TryEnter());
        Assert.Equal("", killed.Run("SET k v"));
        Kill(other, killed);
        // What was received comes before what is resumed.
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            stripe.Lock.Exit();
        server.Run();
        Assert.Equal(":1 _", other.Shown());
        Assert.Equal("_", other.Run("GET k"));
        Assert.True(killed.IsClosed);
    }

    /// <summary>A loop in the middle of a batch has executed it when the reply comes: none of it runs
    /// later.</summary>
    [Fact]
    public void TheReplyComesWhenTheLoopHasClosedTheClient()
    {
        using var server = new TestServer(loopCount: 3);
        TestClient other = server.Connect();
        TestClient[] killed = [server.Connect(1), server.Connect(2), server.Connect(2)];
        foreach (TestClient client in killed)
            client.Run("SUBSCRIBE c");
        other.Send("CLIENT", "KILL", "TYPE", "pubsub");
        other.Send("PUBSUB", "NUMSUB", "c");
        server.TurnLoop(0);
        server.TurnLoop(1);
        server.TurnLoop(0);
        Assert.Equal("", other.Shown());
        // It is no wait that another client could end.
        Assert.Equal(":0", server.Connect(1).Run($"CLIENT UNBLOCK {other.Session!.Id}"));
        Assert.Equal(":3 *[$c, :0]", other.Shown());
        Assert.All(killed, client => Assert.True(client.IsClosed));
    }

    [Fact]
    public void AKillerThatLeavesWhileClientsAreClosedIsForgotten()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient other = server.Connect();
        TestClient killed = server.Connect(1);
        Kill(other, killed);
        server.TurnLoop(0);
        other.Disconnect();
        server.Run();
        Assert.True(killed.IsClosed);
        Assert.True(server.Engine.Sessions.All.IsEmpty);
    }

    [Fact]
    public void AKillerMayBeKilledBeforeItsReply()
    {
        using var server = new TestServer(loopCount: 3);
        TestClient first = server.Connect();
        TestClient second = server.Connect(1);
        TestClient last = server.Connect(2);
        Kill(first, last);
        server.TurnLoop(0);
        Kill(second, first);
        server.TurnLoop(1);
        server.Run();
        Assert.Equal(":1 _", second.Shown());
        Assert.Equal("", first.Shown());
        Assert.True(first.IsClosed && last.IsClosed);
    }

    [Fact]
    public void AClientThatKillsItselfGetsOnlyTheReply()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient[] others = [server.Connect(), server.Connect(1)];
        TestClient client = server.Connect();
        client.Send("CLIENT", "KILL", "SKIPME", "NO");
        client.Send("SET", "k", "v");
        server.Run();
        Assert.Equal(":3", client.Shown());
        Assert.True(client.IsClosed);
        Assert.All(others, other => Assert.True(other.IsClosed));
        Assert.Equal("_", server.Connect().Run("GET k"));
    }

    [Fact]
    public void InATransactionPublishDoesNotCountAKilledSubscriber()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient other = server.Connect();
        TestClient[] killed = [server.Connect(), server.Connect(1)];
        killed[0].Run("SUBSCRIBE c");
        killed[1].Run("PSUBSCRIBE *");
        TestClient stays = server.Connect(1);
        stays.Run("SUBSCRIBE c");
        other.Send("MULTI");
        foreach (TestClient client in killed)
            other.Send("CLIENT", "KILL", "ID", client.Session!.Id.ToString(CultureInfo.InvariantCulture));
        other.Send("PUBLISH", "c", "m");
        other.Send("EXEC");
        server.Run();
        Assert.EndsWith("*[:1, :1, :1]", other.Shown(), StringComparison.Ordinal);
        Assert.Equal("*[$message, $c, $m]", stays.Shown());
        Assert.Equal("", killed[0].Shown() + killed[1].Shown());
    }

    private static void Kill(TestClient other, TestClient killed)
    {
        other.Send("CLIENT", "KILL", "ID", killed.Session!.Id.ToString(CultureInfo.InvariantCulture));
        other.Send("GET", "k");
    }
}
