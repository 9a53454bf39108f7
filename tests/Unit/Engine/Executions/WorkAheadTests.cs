using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>Commands that are long in any case leave their loop, which continues with others.</summary>
public sealed class WorkAheadTests
{
    // More than fits a loop's slab at once, beyond which there is no shortest path.
    private const int ManyCount = 9000;

    [Theory]
    [InlineData("SADD s", ":9000")]
    [InlineData("RPUSH l", ":9000")]
    [InlineData("ZADD z", ":4500")]
    [InlineData("HSET h", ":4500")]
    [InlineData("PFADD p", ":1")]
    [InlineData("SMISMEMBER s", "*[")]
    [InlineData("MSET", "+OK")]
    [InlineData("EXISTS", ":0")]
    [InlineData("DEL", ":0")]
    [InlineData("MGET", "*[")]
    public void CommandsWithVeryManyArguments(string command, string reply)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        TestClient other = server.Connect();
        server.IsSlowLaneHeld = true;
        client.Send([.. command.Split(' '), .. Enumerable.Range(0, ManyCount).Select(Text)]);
        server.Run();
        Assert.Equal("+PONG", other.Run("PING"));
        Assert.Equal("", client.Shown());
        server.IsSlowLaneHeld = false;
        server.Run();
        Assert.StartsWith(reply, client.Shown(), StringComparison.Ordinal);
    }

    [Fact]
    public void AKeyWaiterWaitsOnItsLoop()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        TestClient other = server.Connect();
        server.IsSlowLaneHeld = true;
        client.Send(["BLPOP", .. Enumerable.Range(0, ManyCount).Select(Text), "0"]);
        server.Run();
        Assert.Equal(":1", other.Run("RPUSH 4321 element"));
        Assert.Equal("*[$4321, $element]", client.Shown());
    }

    [Theory]
    [InlineData("INCR n", 3000, true)]
    [InlineData("INCR n", 30, false)]
    [InlineData("SMEMBERS big", 1, true)]
    [InlineData("SMEMBERS small", 1, false)]
    [InlineData("SUNIONSTORE d small big", 1, true)]
    [InlineData("BITOP NOT d long", 1, true)]
    [InlineData("SMEMBERS none", 1, false)]
    [InlineData("PING", 3000, false)]
    public void Transactions(string command, int count, bool isLong)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        TestClient other = server.Connect();
        other.Run("SADD small a b c");
        other.Run("SETRANGE long 16000000 x");
        for (int from = 0; from < 20_000; from += 1000)
            other.Send(["SADD", "big", .. Enumerable.Range(from, 1000).Select(Text)]);
        server.Run();
        other.Shown();
        client.Run("MULTI");
        for (int index = 0; index < count; index++)
            client.Send(command.Split(' '));
        server.Run();
        client.Shown();
        server.IsSlowLaneHeld = true;
        client.Send("EXEC");
        server.Run();
        List<RespValue> replies = client.Take();
        Assert.Equal(isLong, replies.Count == 0);
        Assert.Equal("+PONG", other.Run("PING"));
        server.IsSlowLaneHeld = false;
        server.Run();
        RespValue reply = Assert.Single([.. replies, .. client.Take()]);
        Assert.Equal(count, reply.Items.Count);
        if (command == "INCR n")
            Assert.Equal(count, reply.Items[^1].Integer);
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
