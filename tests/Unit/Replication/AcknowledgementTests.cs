using System;
using System.Globalization;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>WAIT and WAITAOF of a master with replicas.</summary>
public sealed class AcknowledgementTests
{
    private const string Question = "*3\r\n$8\r\nREPLCONF\r\n$6\r\nGETACK\r\n$1\r\n*\r\n";

    private readonly ManualClock _clock = new();

    [Fact]
    public void AnAcknowledgementWakesTheClient()
    {
        using TestServer server = Start();
        TestClient client = server.Connect(loop: 1);
        TestReplica replica = TestReplica.Online(server);
        Assert.Equal("+OK", client.Run("SET a 1"));
        replica.TakeStream();
        Assert.Equal("", client.Run("WAIT 1 0"));
        long end = replica.Offset;
        Assert.Equal(Question, replica.TakeStream());
        replica.Acknowledge(end - 1);
        Assert.Equal("", client.Shown());
        replica.Acknowledge(end);
        Assert.Equal(":1", client.Shown());
        // What is acknowledged is answered at once, and asks nothing.
        Assert.Equal(":1", client.Run("WAIT 1 0"));
        Assert.Equal("", replica.TakeStream());
    }

    [Fact]
    public void ReplicasAreAskedOnceForOnePlaceOfTheStream()
    {
        using TestServer server = Start();
        TestClient first = server.Connect();
        TestClient second = server.Connect(loop: 1);
        TestReplica replica = TestReplica.Online(server);
        first.Run("SET a 1");
        replica.TakeStream();
        long end = replica.Offset;
        first.Run("WAIT 1 0");
        second.Run("WAIT 1 0");
        Assert.Equal(Question, replica.TakeStream());
        replica.Acknowledge(end);
        Assert.Equal((":1", ":1"), (first.Shown(), second.Shown()));
        second.Run("SET b 1");
        first.Run("WAIT 1 0");
        Assert.EndsWith(Question, replica.TakeStream(), StringComparison.Ordinal);
        Assert.Equal("", first.Shown());
        replica.Acknowledge(replica.Offset - Question.Length);
        Assert.Equal(":1", first.Shown());
    }

    [Fact]
    public void TheEndOfAWaitTellsHowManyThereAre()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestReplica replica = TestReplica.Online(server);
        TestReplica.Online(server, port: 7001, loop: 1);
        client.Run("SET a 1");
        replica.TakeStream();
        client.Run("WAIT 2 100");
        replica.Acknowledge(replica.Offset);
        Assert.Equal("", client.Shown());
        _clock.Advance(101_000);
        server.Run();
        Assert.Equal(":1", client.Shown());
        client.Run("WAIT 2 0");
        server.Connect().Run($"CLIENT UNBLOCK {client.Session!.Id}");
        Assert.Equal(":1", client.Shown());
        client.Run("WAIT 2 0");
        server.Connect().Run($"CLIENT UNBLOCK {client.Session!.Id} ERROR");
        Assert.StartsWith("-UNBLOCKED", client.Shown(), StringComparison.Ordinal);
        client.Run("MULTI");
        client.Run("WAIT 2 0");
        Assert.Equal("*[:1]", client.Run("EXEC"));
        Assert.Equal(":1", client.Call("EVAL", "return redis.call('WAIT', '2', '0')", "0").ToString());
    }

    [Fact]
    public void ADisksAcknowledgementIsAnother()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestReplica replica = TestReplica.Online(server);
        client.Run("SET a 1");
        replica.TakeStream();
        long end = replica.Offset;
        client.Run("WAITAOF 0 1 0");
        Assert.Equal(Question, replica.TakeStream());
        replica.Acknowledge(end, durableOffset: end - 1);
        Assert.Equal("", client.Shown());
        replica.Acknowledge(end, durableOffset: end);
        Assert.Equal("*[:0, :1]", client.Shown());
        Assert.Equal("*[:0, :1]", client.Run("WAITAOF 0 1 0"));
        Assert.Equal(":1", client.Run("WAIT 1 0"));
    }

    [Fact]
    public void AMasterThatBecomesAReplicaEndsTheWaits()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestReplica.Online(server);
        client.Run("SET a 1");
        client.Run("WAIT 1 0");
        server.Connect().Run("REPLICAOF 127.0.0.1 1");
        Assert.StartsWith("-UNBLOCKED", client.Shown(), StringComparison.Ordinal);
        Assert.StartsWith("-ERR WAIT cannot be used with replica",
            server.Connect().Run("WAIT 1 0"), StringComparison.Ordinal);
        server.Connect().Run("REPLICAOF NO ONE");
    }

    /// <summary>A failover begins when its target has acknowledged everything: the clients that have waited
    /// for the same get what they have waited for.</summary>
    [Theory]
    [InlineData("WAIT 1 0", ":1")]
    [InlineData("WAITAOF 0 1 0", "*[:0, :1]")]
    public void AWaitThatAnAcknowledgementEndsBeforeADemotionIsAnswered(string wait, string reply)
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestReplica replica = TestReplica.Online(server);
        // The one that connects last is served last in a turn.
        TestClient admin = server.Connect();
        client.Run("SET a 1");
        replica.TakeStream();
        string end = replica.Offset.ToString(CultureInfo.InvariantCulture);
        Assert.Equal("", client.Run(wait));
        replica.Client.Send("REPLCONF", "ACK", end, "FACK", end);
        admin.Send("REPLICAOF", "127.0.0.1", "1");
        server.Run();
        Assert.Equal(reply, client.Shown());
        admin.Run("REPLICAOF NO ONE");
    }

    [Fact]
    public void WaitsThatEndedAreForgotten()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestReplica replica = TestReplica.Online(server);
        for (int count = 0; count < 100; count++)
        {
            client.Run("SET a 1");
            client.Run("WAIT 1 10");
            _clock.Advance(11_000);
            server.Run();
            Assert.Equal(":0", client.Shown());
        }

        replica.TakeStream();
        replica.Acknowledge(replica.Offset);
        Assert.Equal("", client.Shown());
        Assert.Equal(":1", client.Run("WAIT 1 0"));
    }

    private TestServer Start() => new(2, _clock, ("repl-diskless-sync-delay", "0"),
        ("repl-ping-replica-period", "100000"));
}
