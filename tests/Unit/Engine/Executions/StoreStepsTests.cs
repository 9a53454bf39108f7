using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>Results that are built without keys are those of one moment: the one at which they are
/// stored.</summary>
public sealed class StoreStepsTests
{
    [Theory]
    [InlineData("SUNIONSTORE d s t", "SADD s z", ":4", ":5")]
    [InlineData("SINTERSTORE d s t", "SREM t b", ":2", ":1")]
    [InlineData("SDIFFSTORE d s t", "SADD s z", ":1", ":2")]
    [InlineData("SUNIONSTORE d s none", "SADD none z", ":3", ":4")]
    [InlineData("ZUNIONSTORE d 2 y s", "ZADD y 9 z", ":4", ":5")]
    [InlineData("ZINTERSTORE d 2 y s", "DEL y", ":2", ":0")]
    [InlineData("ZRANGESTORE d y 0 -1", "ZREM y b", ":3", ":2")]
    public void ASourceThatChangesMeanwhileIsReadAgain(
        string command, string change, string replyBefore, string replyAfter)
    {
        using var server = new TestServer(loopCostNsMax: -1, loopCount: 2, clock: null);
        TestClient other = server.Connect(0);
        TestClient client = server.Connect(1);
        other.Run("SADD s a b c");
        other.Run("SADD t b c d");
        other.Run("ZADD y 1 b 2 c 3 d");
        Assert.Equal(replyBefore, client.Run(command));
        Assert.Equal(replyBefore == ":0" ? ":0" : ":1", other.Run("EXISTS d"));

        client.Send(command.Split(' '));
        // It is built, its keys are free, and its loop is to hear of that.
        server.Turn();
        // The loop of the other one comes first.
        other.Send(change.Split(' '));
        server.Turn();
        server.Run();
        Assert.NotEqual("", other.Shown());
        Assert.Equal(replyAfter, client.Shown());
    }

    [Fact]
    public void OthersAreServedBetweenTheSteps()
    {
        using var server = new TestServer(loopCostNsMax: -1, loopCount: 2, clock: null);
        TestClient client = server.Connect(1);
        client.Run("ZADD y 1 b 2 c 3 d");
        client.Send("ZUNIONSTORE", "d", "1", "y");
        server.Turn();
        TestClient other = server.Connect(0);
        other.Send("ZADD", "d", "5", "x");
        other.Send("EXISTS", "y", "d");
        server.Turn();
        Assert.Equal(":1 :2", other.Shown());
        server.Run();
        Assert.Equal(":3", client.Shown());
        Assert.Equal(":3", other.Run("ZCARD d"));
    }

    [Fact]
    public void WhatNobodyWaitsForAnyMoreIsDropped()
    {
        using var server = new TestServer(loopCostNsMax: -1, loopCount: 1, clock: null);
        TestClient client = server.Connect();
        client.Run("ZADD y 1 b 2 c 3 d");
        client.Run("SADD s a b c");
        TestClient second = server.Connect();
        client.Send("ZUNIONSTORE", "d", "1", "y");
        second.Send("SUNIONSTORE", "e", "s");
        server.Turn();
        client.Disconnect();
        second.Disconnect();
        server.Run();
    }
}
