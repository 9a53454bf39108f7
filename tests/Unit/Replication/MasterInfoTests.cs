using System;
using System.Globalization;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>What a master tells of its replicas: INFO, ROLE, MEMORY STATS, BGSAVE beside them.</summary>
public sealed class MasterInfoTests
{
    private readonly ManualClock _clock = new();

    [Fact]
    public void AReplicaIsShownFromItsRequestToItsEnd()
    {
        using TestServer server = Start(("repl-diskless-sync-delay", "5"));
        TestClient client = server.Connect();
        Assert.Equal("0", Field(client, "replication", "connected_slaves"));
        var replica = new TestReplica(server);
        replica.Announce();
        replica.Client.Send("PSYNC", "?", "-1");
        server.Run();
        Assert.Equal("ip=127.0.0.1,port=7000,state=wait_bgsave,offset=0,lag=0",
            Field(client, "replication", "slave0"));
        Assert.Equal("*[$master, :0, *]", client.Run("ROLE"));
        server.IsSaverHeld = true;
        Advance(server, 6000);
        Assert.Equal("1", Field(client, "persistence", "rdb_bgsave_in_progress"));
        Assert.Contains("wait_bgsave", Field(client, "replication", "slave0"), StringComparison.Ordinal);
        server.IsSaverHeld = false;
        server.Run();
        Assert.Equal("0", Field(client, "persistence", "rdb_bgsave_in_progress"));
        Assert.Equal("ip=127.0.0.1,port=7000,state=online,offset=0,lag=0",
            Field(client, "replication", "slave0"));
        client.Run("SET a 1");
        replica.Acknowledge(23);
        Advance(server, 3000);
        Assert.Equal("ip=127.0.0.1,port=7000,state=online,offset=23,lag=3",
            Field(client, "replication", "slave0"));
        Assert.Equal("*[$master, :50, *[*[$127.0.0.1, $7000, $23]]]", client.Run("ROLE"));
        Assert.Equal("1", Field(client, "clients", "connected_clients"));
        replica.Client.Disconnect();
        server.Run();
        Assert.Equal("0", Field(client, "replication", "connected_slaves"));
        Assert.Equal("", Field(client, "replication", "slave0"));
    }

    [Fact]
    public void AnAnnouncedAddressIsShownInsteadOfTheConnections()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        var replica = new TestReplica(server, 7001);
        replica.Client.Run("REPLCONF ip-address ::1");
        replica.Announce();
        replica.Client.Send("PSYNC", "?", "-1");
        server.Run();
        Assert.StartsWith("ip=::1,port=7001,", Field(client, "replication", "slave0"),
            StringComparison.Ordinal);
        Assert.Contains(server.Log.Lines, static line => line.Contains("Replica [::1]:7001 asks for",
            StringComparison.Ordinal));
    }

    [Fact]
    public void TheBacklogIsShownAsItIs()
    {
        using TestServer server = Start(("repl-backlog-size", "16384"));
        TestClient client = server.Connect();
        Assert.Equal("0 16384 0 0", Backlog(client));
        TestReplica replica = TestReplica.Online(server);
        Assert.Equal("1 16384 1 0", Backlog(client));
        client.Run("SET a 1");
        Assert.Equal("1 16384 1 50", Backlog(client));
        for (int count = 0; count < 100; count++)
            client.Run("SET a " + new string('x', 1000));
        long end = server.Engine.Replication.Offset;
        replica.TakeStream();
        Assert.Equal($"1 16384 {end - 16384 + 1} 16384", Backlog(client));
    }

    [Fact]
    public void SynchronisationsAreCountedUntilTheStatisticsAreReset()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestReplica first = TestReplica.Online(server);
        client.Run("SET a 1");
        first.TakeStream();
        first.Client.Disconnect();
        string id = Field(client, "replication", "master_replid");
        var second = new TestReplica(server);
        second.Announce();
        second.Client.Send("PSYNC", id, "1");
        server.Run();
        Assert.StartsWith("+CONTINUE", second.Client.TakeRaw(), StringComparison.Ordinal);
        var third = new TestReplica(server);
        third.Announce();
        third.Client.Send("PSYNC", new string('b', 40), "1");
        server.Run();
        Assert.Equal("2 1 1", Counters(client));
        client.Run("CONFIG RESETSTAT");
        Assert.Equal("0 0 0", Counters(client));
    }

    [Fact]
    public void MemoryForReplicasIsNamed()
    {
        using TestServer server = Start(("repl-backlog-size", "16384"));
        TestClient client = server.Connect();
        TestReplica replica = TestReplica.Online(server);
        Assert.Equal(0, Number(client, "mem_replicas_repl_buffer"));
        Assert.InRange(Number(client, "mem_clients_slaves"), 1, 20_000);
        replica.Client.OutputRoom = 0;
        client.Run("SET a " + new string('x', 1_000_000));
        Assert.Equal(16384, Number(client, "mem_replication_backlog"));
        long beyond = Number(client, "mem_replicas_repl_buffer");
        Assert.InRange(beyond, 1_000_000 - 16384, 1_400_000);
        Assert.Equal(16384 + beyond, Number(client, "mem_total_replication_buffers"));
        Assert.True(Number(client, "mem_clients_slaves") > beyond);
        string stats = client.Run("MEMORY STATS");
        Assert.Contains("$replication.backlog, :16384,", stats, StringComparison.Ordinal);
        Assert.Contains($"$clients.slaves, :{Number(client, "mem_clients_slaves")},", stats,
            StringComparison.Ordinal);
        replica.Client.Drain();
        server.Run();
        Assert.InRange(Number(client, "mem_replicas_repl_buffer"), 0, 256 << 10);
        client.Run("CLIENT KILL TYPE replica");
        server.Run();
        Assert.Equal(0, Number(client, "mem_clients_slaves"));
    }

    [Fact]
    public void NoFileIsSavedWhileASnapshotForReplicasIsTaken()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        var replica = new TestReplica(server);
        replica.Announce();
        server.IsSaverHeld = true;
        replica.Client.Send("PSYNC", "?", "-1");
        server.Run();
        const string Error = "-ERR Background save already in progress";
        Assert.Equal(Error, client.Run("BGSAVE"));
        Assert.Equal(Error, client.Run("BGSAVE SCHEDULE"));
        Assert.Equal(Error, client.Run("SAVE"));
        server.IsSaverHeld = false;
        server.Run();
        Assert.Equal("+OK", client.Run("SAVE"));
    }

    private TestServer Start(params ReadOnlySpan<(string Directive, string Value)> more) =>
        new(1, _clock, [("repl-diskless-sync-delay", "0"), .. more]);

    private void Advance(TestServer server, long ms)
    {
        _clock.Advance(ms * 1000);
        server.Run();
    }

    private static string Backlog(TestClient client) => string.Join(' ',
        Field(client, "replication", "repl_backlog_active"),
        Field(client, "replication", "repl_backlog_size"),
        Field(client, "replication", "repl_backlog_first_byte_offset"),
        Field(client, "replication", "repl_backlog_histlen"));

    private static string Counters(TestClient client) => string.Join(' ',
        Field(client, "stats", "sync_full"), Field(client, "stats", "sync_partial_ok"),
        Field(client, "stats", "sync_partial_err"));

    private static long Number(TestClient client, string name) =>
        long.Parse(Field(client, "memory", name), CultureInfo.InvariantCulture);

    private static string Field(TestClient client, string section, string name)
    {
        foreach (string line in client.Call("INFO", section).Text.Split("\r\n"))
        {
            if (line.StartsWith(name + ":", StringComparison.Ordinal))
                return line[(name.Length + 1)..];
        }

        return "";
    }
}
