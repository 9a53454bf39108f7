using System.Globalization;
using Cinnabar.Keyspace;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

/// <summary>CLIENT KILL: when it has replied, what the client has sent takes no effect any more.</summary>
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

    private static void Kill(TestClient other, TestClient killed)
    {
        other.Send("CLIENT", "KILL", "ID", killed.Session!.Id.ToString(CultureInfo.InvariantCulture));
        other.Send("GET", "k");
    }
}
