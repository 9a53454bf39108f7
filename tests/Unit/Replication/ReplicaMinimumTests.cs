using System;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>min-replicas-to-write counts the replicas that acknowledge.</summary>
public sealed class ReplicaMinimumTests
{
    private const string Error = "-NOREPLICAS Not enough good replicas to write.";

    private readonly ManualClock _clock = new();

    [Fact]
    public void AMasterTakesWritesWhileAReplicaAcknowledges()
    {
        using var server = new TestServer(1, _clock, ("repl-diskless-sync-delay", "0"),
            ("min-replicas-to-write", "1"), ("min-replicas-max-lag", "2"));
        TestClient client = server.Connect();
        Assert.Equal(Error, client.Run("SET a 1"));
        TestReplica replica = TestReplica.Online(server);
        Assert.Equal("+OK", client.Run("SET a 1"));
        Assert.Contains("min_slaves_good_slaves:1\r\n", Info(client), StringComparison.Ordinal);
        Advance(server, 2000);
        Assert.Equal("+OK", client.Run("SET a 1"));
        Advance(server, 1000);
        Assert.Equal(Error, client.Run("SET a 1"));
        Assert.Equal("$1", client.Run("GET a"));
        Assert.Contains("min_slaves_good_slaves:0\r\n", Info(client), StringComparison.Ordinal);
        replica.Acknowledge(replica.Offset);
        Assert.Equal("+OK", client.Run("SET a 1"));
        client.Run("CONFIG SET min-replicas-to-write 2");
        Assert.Equal(Error, client.Run("SET a 1"));
        client.Run("CONFIG SET min-replicas-to-write 1");
        Assert.Equal("+OK", client.Run("SET a 1"));
        replica.Client.Disconnect();
        server.Run();
        Assert.Equal(Error, client.Run("SET a 1"));
    }

    [Fact]
    public void ScriptsAndTransactionsAreJudgedAsInRedis()
    {
        using var server = new TestServer(1, _clock, ("repl-diskless-sync-delay", "0"),
            ("min-replicas-to-write", "1"));
        TestClient client = server.Connect();
        Assert.Equal(Error, client.Run("EVAL #!lua\nreturn(1) 0"));
        Assert.Equal(":1", client.Call("EVAL", "return 1", "0").ToString());
        Assert.StartsWith(Error, client.Call("EVAL", "return redis.call('SET', 'a', '1')", "0").ToString(),
            StringComparison.Ordinal);
        client.Run("MULTI");
        Assert.Equal(Error, client.Run("SET a 1"));
        Assert.StartsWith("-EXECABORT", client.Run("EXEC"), StringComparison.Ordinal);
        TestReplica.Online(server);
        Assert.Equal(":1", client.Run("EVAL #!lua\nreturn(1) 0"));
        Assert.Equal("+OK", client.Call("EVAL", "return redis.call('SET', 'a', '1')", "0").ToString());
        client.Run("MULTI");
        client.Run("SET a 2");
        Advance(server, 30_000);
        Assert.Equal($"-EXECABORT Transaction discarded because of: {Error[1..]}", client.Run("EXEC"));
        Assert.Equal("$1", client.Run("GET a"));
    }

    [Fact]
    public void AReplicaThatGoesOnCountsAtOnce()
    {
        using var server = new TestServer(1, _clock, ("repl-diskless-sync-delay", "0"),
            ("min-replicas-to-write", "1"));
        TestClient client = server.Connect();
        TestReplica first = TestReplica.Online(server);
        client.Run("SET a 1");
        first.Client.Disconnect();
        server.Run();
        Assert.Equal(Error, client.Run("SET a 1"));
        var second = new TestReplica(server);
        second.Announce();
        second.Client.Send("PSYNC", server.Engine.Replication.Id, "1");
        server.Run();
        Assert.Equal("+OK", client.Run("SET a 1"));
    }

    private static string Info(TestClient client) => client.Call("INFO", "replication").Text;

    private void Advance(TestServer server, long ms)
    {
        _clock.Advance(ms * 1000);
        server.Run();
    }
}
