using System.Globalization;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>What becomes of a replica's own data while its master's are loaded.</summary>
public sealed class ReplicaLoadTests
{
    private const int KeyCount = 1_000;

    [Fact]
    public void OldDataAreServedUntilTheNewTakeTheirPlace()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start(
            "--repl-diskless-sync-delay", "0", "--repl-backlog-size", "16384");
        using var own = new OwnServer(
            2, ("repl-diskless-load", "swapdb"), ("replicaof", $"127.0.0.1 {redis.Port}"));
        using RespClient master = redis.Connect();
        RespClient replica = own.Connect();
        Fill(master, "1");
        AwaitLink(replica, "up");
        ReplicationPair.Await("the keys are there", () => replica.Call("DBSIZE").Integer == KeyCount);
        // The master does not take this password, so it is away until its backlog has passed on.
        replica.Run("CONFIG SET masterauth wrong");
        replica.Run("CLIENT KILL TYPE master");
        AwaitLink(replica, "down");
        Fill(master, "2");
        master.Call("SET", "more", new string('x', 100_000));
        replica.Run("CONFIG SET key-load-delay 5000");
        replica.Call("CONFIG", "SET", "masterauth", "");
        AwaitOldData(replica);
        replica.Run("WATCH more");
        replica.Run("MULTI");
        replica.Run("GET more");
        RespClient second = own.Connect();
        second.Run("CONFIG SET key-load-delay 0");
        AwaitLink(second, "up");
        Assert.Equal("$2", second.Run("GET key:0"));
        Assert.Equal(KeyCount + 1, second.Call("DBSIZE").Integer);
        Assert.Equal("_", replica.Run("EXEC"));
        Assert.Equal("$2", replica.Run("GET key:0"));
    }

    [Fact]
    public void AReplicaRefusesAnEmptyMaster()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start("--repl-diskless-sync-delay", "0");
        using var own = new OwnServer(2, ("replica-refuse-empty-master", "yes"));
        using RespClient master = redis.Connect();
        RespClient replica = own.Connect();
        foreach (string way in (string[])["disabled", "swapdb", "flush-before-load"])
        {
            replica.Run("FLUSHALL");
            Fill(replica, way);
            replica.Run($"CONFIG SET repl-diskless-load {way}");
            master.Run("CONFIG RESETSTAT");
            replica.Call("REPLICAOF", "127.0.0.1", redis.Port.ToString(CultureInfo.InvariantCulture));
            ReplicationPair.Await("the master is asked again",
                () => ReplicationPair.Number(master, "stats", "sync_full") > 1);
            // While they are loaded beside the own, which are of another history, these are not shown.
            ReplicationPair.Await("own data are shown", () => replica.Run("GET key:0") == "$" + way);
            ReplicationPair.Await("all are there", () => replica.Run("DBSIZE") == $":{KeyCount}");
            master.Run("SET one key");
            AwaitLink(replica, "up");
            Assert.Equal(1, replica.Call("DBSIZE").Integer);
            replica.Run("REPLICAOF NO ONE");
            master.Run("FLUSHALL");
        }
    }

    private static void AwaitOldData(RespClient replica)
    {
        ReplicationPair.Await("data are loaded beside the old",
            () => ReplicationPair.Number(replica, "persistence", "async_loading") == 1);
        Assert.Equal(0, ReplicationPair.Number(replica, "persistence", "loading"));
        Assert.Equal("$1", replica.Run("GET key:0"));
        Assert.StartsWith("-LOADING", replica.Run("BGSAVE"), System.StringComparison.Ordinal);
        Assert.StartsWith("-READONLY", replica.Run("SET key:0 3"), System.StringComparison.Ordinal);
    }

    private static void AwaitLink(RespClient replica, string status) =>
        ReplicationPair.Await($"the link is {status}",
            () => ReplicationPair.Field(replica, "replication", "master_link_status") == status);

    private static void Fill(RespClient client, string value)
    {
        for (int key = 0; key < KeyCount; key++)
            client.Call("SET", $"key:{key}", value);
    }
}
