using System;
using System.Linq;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Replication.Links;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>FAILOVER as far as the master goes alone: its errors, its wait, its end.</summary>
public sealed class FailoverTests
{
    private readonly ManualClock _clock = new();

    [Fact]
    public void WithoutAReplicaOrWithWrongWordsItIsRefused()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        Assert.Equal("-ERR FAILOVER requires connected replicas.", client.Run("FAILOVER"));
        Assert.Equal("-ERR No failover in progress.", client.Run("FAILOVER ABORT"));
        Assert.Equal("-ERR syntax error", client.Run("FAILOVER ABORT TIMEOUT 1"));
        Assert.Equal("-ERR FAILOVER timeout must be greater than 0", client.Run("FAILOVER TIMEOUT 0"));
        TestReplica.Synchronised(server);
        Assert.Equal("-ERR FAILOVER with force option requires both a timeout and target HOST and IP.",
            client.Run("FAILOVER FORCE TIMEOUT 1"));
        Assert.Equal("-ERR FAILOVER target HOST and PORT is not a replica.",
            client.Run("FAILOVER TO 127.0.0.1 1"));
        client.Run("CONFIG SET repl-diskless-sync-delay 100");
        var late = new TestReplica(server, port: 7001);
        late.Announce();
        late.Client.Send("PSYNC", "?", "-1");
        server.Run();
        Assert.Equal("-ERR FAILOVER target replica is not online.", client.Run("FAILOVER TO 127.0.0.1 7001"));
        Assert.Equal("no-failover", State(client));
    }

    [Fact]
    public void WritersWaitUntilItIsGivenUp()
    {
        using TestServer server = Start();
        TestClient client = server.Connect(loop: 1);
        TestClient other = server.Connect();
        TestReplica replica = TestReplica.Online(server);
        client.Run("SET a 1");
        Assert.Equal("+OK", other.Run("FAILOVER TO 127.0.0.1 7000"));
        Assert.Equal("waiting-for-sync", State(other));
        string clients = other.Call("INFO", "clients").Text;
        Assert.Contains("paused_reason:failover_in_progress\r\npaused_actions:write\r\n", clients,
            StringComparison.Ordinal);
        Assert.Equal("", client.Run("SET a 2"));
        Assert.Equal("$1", other.Run("GET a"));
        other.Run("CLIENT UNPAUSE");
        Assert.Equal("", client.Shown());
        Assert.Equal("-ERR FAILOVER already in progress.", other.Run("FAILOVER"));
        Assert.Equal("-ERR REPLICAOF not allowed while failing over.", other.Run("REPLICAOF NO ONE"));
        var second = new TestReplica(server, port: 7001);
        second.Announce();
        Assert.Equal("-NOMASTERLINK Can't SYNC while failing over", second.Client.Run("PSYNC ? -1"));
        replica.TakeStream();
        replica.Acknowledge(replica.Offset - 1);
        Assert.Equal("waiting-for-sync", State(other));
        Assert.Equal("+OK", other.Run("FAILOVER ABORT"));
        Assert.Equal("+OK", client.Shown());
        Assert.Contains(server.Log.Lines, static line => line
            == "Aborting failover to 127.0.0.1:7000 while waiting-for-sync: Failover manually aborted");
        Assert.Equal("no-failover", State(other));
    }

    [Fact]
    public void AfterItsTimeItEnds()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestReplica.Online(server);
        client.Run("SET a 1");
        Assert.Equal("+OK", client.Run("FAILOVER TIMEOUT 500"));
        _clock.Advance(499_000);
        server.Run();
        Assert.Equal("waiting-for-sync", State(client));
        _clock.Advance(200_000);
        server.Run();
        Assert.Equal("no-failover", State(client));
        Assert.Equal("+OK", client.Run("SET a 2"));
        Assert.Contains(server.Log.Lines, static line => line
            == "Aborting failover while waiting-for-sync: Replica never caught up before timeout");
    }

    [Fact]
    public void APauseOfClientsOutlivesIt()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestClient writer = server.Connect(loop: 1);
        TestReplica.Online(server);
        client.Run("SET a 1");
        client.Run("FAILOVER");
        client.Run("CLIENT PAUSE 10000 WRITE");
        Assert.Equal("", writer.Run("SET a 2"));
        client.Run("FAILOVER ABORT");
        Assert.Equal("", writer.Shown());
        Assert.Contains("paused_reason:client_pause\r\n", client.Call("INFO", "clients").Text,
            StringComparison.Ordinal);
        client.Run("CLIENT UNPAUSE");
        Assert.Equal("+OK", writer.Shown());
    }

    [Fact]
    public void ItFollowsTheReplicaThatHasEverythingAndCanBeTakenBack()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestReplica slow = TestReplica.Online(server, port: 1);
        TestReplica replica = TestReplica.Online(server, port: 2);
        client.Run("SET a 1");
        string id = server.Engine.Replication.Id;
        Assert.Equal("+OK", client.Run("FAILOVER"));
        replica.TakeStream();
        slow.Acknowledge(slow.Offset);
        replica.Acknowledge(replica.Offset);
        Assert.Equal("failover-in-progress", State(client));
        string info = client.Call("INFO", "replication").Text;
        Assert.Contains("role:slave\r\nmaster_host:127.0.0.1\r\nmaster_port:2\r\n", info,
            StringComparison.Ordinal);
        Assert.Equal("*[$replicaof, $127.0.0.1 2]", client.Run("CONFIG GET replicaof"));
        Assert.Equal("+OK", client.Run("FAILOVER ABORT"));
        Assert.Equal("*[$replicaof, $]", client.Run("CONFIG GET replicaof"));
        Assert.Equal("+OK", client.Run("SET a 2"));
        Assert.NotEqual(id, server.Engine.Replication.Id);
        Assert.Equal(["FAILOVER requested to any replica.",
            "Failover target 127.0.0.1:2 is synced, failing over.",
            "Aborting failover to 127.0.0.1:2 while failover-in-progress: Failover manually aborted"],
            server.Log.Lines.Where(static line =>
                line.Contains("ailover", StringComparison.OrdinalIgnoreCase)));
    }

    /// <summary>The target may accept while a client gives the failover up: the first of them ends it, and
    /// what comes later changes neither the role nor a failover that began since.</summary>
    [Fact]
    public void ItEndsOnce()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        PlannedFailover failover = server.Engine.Replica.Failover;
        TestReplica replica = TestReplica.Online(server);
        client.Run("SET a 1");
        client.Run("FAILOVER");
        replica.TakeStream();
        replica.Acknowledge(replica.Offset);
        Assert.Equal("failover-in-progress", State(client));
        failover.NoteAnswer(isAccepted: true);
        AllStripes.TryRun(server.Engine.Keyspace, () => failover.Abort("too late"));
        Assert.Contains("role:slave\r\n", client.Call("INFO", "replication").Text, StringComparison.Ordinal);
        Assert.Equal("no-failover", State(client));
        Assert.Equal("+OK", client.Run("REPLICAOF NO ONE"));
        TestReplica.Online(server, port: 7001);
        client.Run("SET a 1");
        Assert.Equal("+OK", client.Run("FAILOVER"));
        failover.NoteAnswer(isAccepted: true);
        Assert.Equal("waiting-for-sync", State(client));
        Assert.Equal("", client.Run("SET a 2"));
        Assert.DoesNotContain(server.Log.Lines, static line => line.Contains("too late"));
    }

    private static string State(TestClient client) => client.Call("INFO", "replication").Text.Split("\r\n")
        .Single(static line => line.StartsWith("master_failover_state:", StringComparison.Ordinal))[22..];

    private TestServer Start() => new(2, _clock, ("repl-diskless-sync-delay", "0"),
        ("repl-ping-replica-period", "100000"));
}
