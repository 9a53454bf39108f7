using System;
using System.Globalization;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>A replica's connection beside those of clients: its memory, its limit, its kind.</summary>
public sealed class ReplicaConnectionTests
{
    private readonly ManualClock _clock = new();

    [Fact]
    public void WhatAReplicaHasNotTakenDoesNotEvictKeys()
    {
        using TestServer server = Start(("maxmemory-policy", "allkeys-lru"), ("repl-backlog-size", "16384"));
        TestClient client = server.Connect();
        Limit(client, "replica 0 0 0");
        TestReplica replica = TestReplica.Online(server);
        for (int count = 0; count < 100; count++)
            client.Run($"SET key{count} value");
        replica.TakeStream();
        long used = server.Engine.Keyspace.UsedBytes;
        client.Run($"CONFIG SET maxmemory {used + 1_000_000}");
        replica.Client.OutputRoom = 0;
        for (int count = 0; count < 40; count++)
            client.Run("SET big " + new string('x', 100_000));
        Assert.True(server.Engine.Keyspace.UsedBytes > used + 3_000_000);
        Assert.Equal(":101", client.Run("DBSIZE"));
        Assert.InRange(Number(client, "mem_not_counted_for_evict"), 3_500_000, 6_000_000);
        replica.Client.Drain();
        server.Run();
        _clock.Advance(1_000_000);
        server.Run();
        Assert.InRange(Number(client, "mem_not_counted_for_evict"), 0, 400_000);
    }

    [Fact]
    public void ALimitOfTheClientsMemoryLeavesReplicas()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        Limit(client, "replica 0 0 0");
        TestReplica replica = TestReplica.Online(server);
        replica.Client.OutputRoom = 0;
        client.Run("SET big " + new string('x', 2_000_000));
        client.Run("CONFIG SET maxmemory-clients 1000000");
        _clock.Advance(1_000_000);
        server.Run();
        Assert.False(replica.Client.IsClosed);
        Assert.Equal("+PONG", client.Run("PING"));
    }

    [Fact]
    public void AReplicaThatReadsNothingIsClosedAtItsLimit()
    {
        using TestServer server = Start(("repl-backlog-size", "16384"));
        TestClient client = server.Connect();
        Limit(client, "replica 500000 0 0");
        TestReplica slow = TestReplica.Online(server);
        TestReplica other = TestReplica.Online(server, port: 7001);
        slow.Client.OutputRoom = 0;
        for (int count = 0; count < 4; count++)
            client.Run("SET big " + new string('x', 100_000));
        Assert.False(slow.Client.IsClosed);
        client.Run("SET big " + new string('x', 100_000));
        client.Run("SET big " + new string('x', 100_000));
        Assert.True(slow.Client.IsClosed);
        Assert.False(other.Client.IsClosed);
        Assert.Contains("Connection with replica 127.0.0.1:7000 lost.", server.Log.Lines);
    }

    [Theory]
    [InlineData("replica")]
    [InlineData("slave")]
    public void ItsKindIsFoundAndKilled(string word)
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestReplica replica = TestReplica.Online(server);
        string list = client.Call("CLIENT", "LIST", "TYPE", word).Text;
        Assert.Contains($"id={replica.Client.Session!.Id} ", list, StringComparison.Ordinal);
        Assert.Contains(" flags=S ", list, StringComparison.Ordinal);
        Assert.Single(list.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.DoesNotContain($"id={replica.Client.Session.Id} ",
            client.Call("CLIENT", "LIST", "TYPE", "normal").Text, StringComparison.Ordinal);
        Assert.Equal(":1", client.Run($"CLIENT KILL TYPE {word}"));
        server.Run();
        Assert.True(replica.Client.IsClosed);
        Assert.Equal(":0", client.Run($"CLIENT KILL TYPE {word}"));
    }

    [Fact]
    public void ItCannotBeReset()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestReplica replica = TestReplica.Online(server);
        replica.Client.Run("CLIENT SETNAME follower");
        replica.Client.Run("RESET");
        Assert.Contains(" name=follower ", client.Call("CLIENT", "LIST", "TYPE", "replica").Text,
            StringComparison.Ordinal);
        Assert.Equal(1, server.Engine.Errors.CountOf("ERR"u8.ToArray()));
        client.Run("SET a 1");
        Assert.EndsWith("SET\r\n$1\r\na\r\n$1\r\n1\r\n", replica.TakeStream(), StringComparison.Ordinal);
    }

    [Fact]
    public void ANewNameOfTheStreamEndsItsPast()
    {
        using TestServer server = Start(("enable-debug-command", "yes"));
        TestClient client = server.Connect();
        TestReplica replica = TestReplica.Online(server);
        client.Run("SET a 1");
        replica.TakeStream();
        string id = server.Engine.Replication.Id;
        Assert.Equal("+OK", client.Run("DEBUG CHANGE-REPL-ID"));
        Assert.NotEqual(id, server.Engine.Replication.Id);
        replica.Client.Disconnect();
        var second = new TestReplica(server);
        second.Announce();
        second.Client.Send("PSYNC", id, $"{replica.Offset + 1}");
        server.Run();
        Assert.StartsWith("+FULLRESYNC", second.Client.TakeRaw(), StringComparison.Ordinal);
    }

    private static void Limit(TestClient client, string words) => Assert.Equal(
        "OK", client.Call("CONFIG", "SET", "client-output-buffer-limit", words).Text);

    private static long Number(TestClient client, string name) => long.Parse(
        client.Call("INFO", "memory").Text.Split("\r\n").Single(
            line => line.StartsWith(name + ":", StringComparison.Ordinal))[(name.Length + 1)..],
        CultureInfo.InvariantCulture);

    private TestServer Start(params ReadOnlySpan<(string Directive, string Value)> more) => new(1, _clock,
        [("repl-diskless-sync-delay", "0"), ("repl-ping-replica-period", "100000"), .. more]);
}
