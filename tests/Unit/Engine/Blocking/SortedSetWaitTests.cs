using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Unit.Engine.Server;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Blocking;

/// <summary>BZPOPMIN, BZPOPMAX, BZMPOP.</summary>
public sealed class SortedSetWaitTests
{
    [Theory]
    [InlineData("BZPOPMIN z 0", 2, "*3\r\n$1\r\nz\r\n$1\r\na\r\n$3\r\n1.5\r\n")]
    [InlineData("BZPOPMAX y z 0", 3, "*3\r\n$1\r\nz\r\n$1\r\nc\r\n,3\r\n")]
    [InlineData("BZMPOP 0 1 z MIN", 2, "*2\r\n$1\r\nz\r\n*1\r\n*2\r\n$1\r\na\r\n$3\r\n1.5\r\n")]
    [InlineData("BZMPOP 0 2 y z MAX COUNT 2", 3,
        "*2\r\n$1\r\nz\r\n*2\r\n*2\r\n$1\r\nc\r\n,3\r\n*2\r\n$1\r\nb\r\n,2\r\n")]
    public void AWaiterGetsItsMembers(string line, int protocol, string reply)
    {
        using var server = new TestServer(loopCount: 2);
        TestClient waiter = server.Connect(protocol: protocol);
        TestClient other = server.Connect(1);
        waiter.Send(line.Split(' '));
        server.Run();
        Assert.Equal("", waiter.TakeRaw());
        Assert.Equal(":3", other.Run("ZADD z 1.5 a 2 b 3 c"));
        Assert.Equal(reply, waiter.TakeRaw());
        other.Run("DEL z");
        other.Run("ZADD z 1.5 a 2 b 3 c");
        waiter.Send(line.Split(' '));
        server.Run();
        Assert.Equal(reply, waiter.TakeRaw());
    }

    [Fact]
    public void OnlyASortedSetIsWaitedFor()
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect();
        TestClient lists = server.Connect();
        TestClient other = server.Connect();
        Assert.Equal("", waiter.Run("BZPOPMIN k 0"));
        Assert.Equal("", lists.Run("BLPOP k 0"));
        other.Run("SET k string");
        Assert.Equal(":1", other.Run("DEL k"));
        Assert.Equal(":2", other.Run("ZADD k 1 a 2 b"));
        Assert.Equal("*[$k, $a, $1]", waiter.Shown());
        Assert.Equal("", lists.Shown());
        Assert.Equal(":1", other.Run("DEL k"));
        Assert.Equal("", waiter.Run("BZPOPMAX k 0"));
        Assert.Equal(":1", other.Run("RPUSH k x"));
        Assert.Equal("*[$k, $x]", lists.Shown());
        Assert.Equal("", waiter.Shown());
        Assert.Equal(":1", other.Run("ZADD k 1 a"));
        Assert.Equal("*[$k, $a, $1]", waiter.Shown());
    }

    [Theory]
    [InlineData("ZRANGESTORE k source 0 -1")]
    [InlineData("ZINCRBY k 2 m")]
    [InlineData("RENAME source k")]
    public void WhateverMakesTheKeyServes(string line)
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect();
        TestClient other = server.Connect();
        other.Run("ZADD source 2 m");
        Assert.Equal("", waiter.Run("BZPOPMIN k 0"));
        Assert.DoesNotContain("-", other.Run(line), System.StringComparison.Ordinal);
        Assert.Equal("*[$k, $m, $2]", waiter.Shown());
        Assert.Equal(":0", other.Run("EXISTS k"));
    }

    [Theory]
    [InlineData("BZPOPMIN string 0", "-WRONGTYPE Operation against a key holding the wrong kind of value")]
    [InlineData("BZPOPMIN k x", "-ERR timeout is not a float or out of range")]
    [InlineData("BZMPOP -1 1 k MIN", "-ERR timeout is negative")]
    [InlineData("BZMPOP x 0 k MIN", "-ERR numkeys should be greater than 0")]
    [InlineData("BZMPOP x 1 k MID", "-ERR syntax error")]
    [InlineData("BZMPOP x 1 k MAX COUNT 0", "-ERR count should be greater than 0")]
    public void WrongArgumentsAreRefused(string line, string error)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Run("SET string s");
        Assert.Equal(error, client.Run(line));
    }

    [Fact]
    public void AKeyThatExpiresInATransactionServesNoWaiter()
    {
        var clock = new SteppingClock();
        using var server = new TestServer(1, clock);
        TestClient waiter = server.Connect();
        TestClient other = server.Connect();
        Assert.Equal("", waiter.Run("BZPOPMIN z 0"));
        other.Run("MULTI");
        other.Run("ZADD z 1 m");
        other.Run("PEXPIRE z 1");
        // The transaction has one instant, and takes some milliseconds.
        other.Send("EXEC");
        clock.StepUs = 2_000;
        server.Turn();
        clock.StepUs = 0;
        server.Run();
        Assert.Equal("*[:1, :1]", other.Shown());
        Assert.Equal("", waiter.Shown());
        Assert.Equal(":1", other.Run("ZADD z 2 n"));
        Assert.Equal("*[$z, $n, $2]", waiter.Shown());
    }
}
