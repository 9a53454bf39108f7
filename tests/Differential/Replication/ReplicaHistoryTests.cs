using System.Globalization;
using System.IO;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>A replica goes on where it was, under the name of the history that it has: after a restart, below
/// another master, as a master.</summary>
public sealed class ReplicaHistoryTests
{
    private const int CommandCount = 300;

    [Fact]
    public void ARestartedReplicaGoesOnWhereItWasSaved()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start("--enable-debug-command", "yes",
            "--repl-diskless-sync-delay", "0", "--repl-backlog-size", "64mb");
        DirectoryInfo directory = Directory.CreateTempSubdirectory("cinnabar-replica-");
        try
        {
            using RespClient master = redis.Connect();
            var writes = new RandomWrites(11);
            ReplicationPair.Populate(master, writes);
            master.Run("SELECT 1");
            using var own = StoredServer.StartOwn(directory.FullName, "--io-threads", "2",
                "--enable-debug-command", "yes", "--replicaof", $"127.0.0.1 {redis.Port}");
            using (RespClient replica = own.Connect())
            {
                ReplicationPair.Load(master, writes, CommandCount);
                new ReplicationPair(master, replica).AwaitEqual();
                Assert.Equal("+OK", replica.Run("SAVE"));
            }

            ReplicationPair.Load(master, writes, CommandCount);
            own.Restart();
            using RespClient again = own.Connect();
            new ReplicationPair(master, again).AwaitEqual();
            Assert.Equal(1, ReplicationPair.Number(master, "stats", "sync_full"));
            Assert.Equal(1, ReplicationPair.Number(master, "stats", "sync_partial_ok"));
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    [Fact]
    public void AReplicaGoesOnBelowThePromotedOne()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        string[] options = ["--enable-debug-command", "yes", "--repl-diskless-sync-delay", "0"];
        OracleServer first = OracleServer.Start(options);
        string place = $"127.0.0.1 {first.Port}";
        using OracleServer second = OracleServer.Start([.. options, "--replicaof", place]);
        using var own = new OwnServer(2, ("enable-debug-command", "yes"), ("replicaof", place));
        RespClient replica = own.Connect();
        using RespClient promoted = second.Connect();
        string firstId;
        using (RespClient master = first.Connect())
        {
            var writes = new RandomWrites(5);
            ReplicationPair.Populate(master, writes);
            ReplicationPair.Load(master, writes, CommandCount);
            new ReplicationPair(master, replica).AwaitEqual();
            new ReplicationPair(master, promoted).AwaitEqual();
            firstId = ReplicationPair.Field(master, "replication", "master_replid");
        }

        first.Dispose();
        promoted.Run("REPLICAOF NO ONE");
        promoted.Run("SET after promotion");
        replica.Call("REPLICAOF", "127.0.0.1", second.Port.ToString(CultureInfo.InvariantCulture));
        new ReplicationPair(promoted, replica).AwaitEqual();
        Assert.Equal(1, ReplicationPair.Number(promoted, "stats", "sync_partial_ok"));
        Assert.Equal(firstId, ReplicationPair.Field(replica, "replication", "master_replid2"));
        ComparePromotions(promoted, replica);
    }

    // Both have the same history, and go on under a name of their own.
    private static void ComparePromotions(RespClient master, RespClient replica)
    {
        string id = ReplicationPair.Field(replica, "replication", "master_replid");
        long offset = ReplicationPair.Number(replica, "replication", "master_repl_offset");
        replica.Run("REPLICAOF NO ONE");
        Assert.Equal(id, ReplicationPair.Field(replica, "replication", "master_replid2"));
        Assert.Equal(offset + 1, ReplicationPair.Number(replica, "replication", "second_repl_offset"));
        Assert.NotEqual(id, ReplicationPair.Field(replica, "replication", "master_replid"));
        replica.Run("MULTI");
        replica.Run("SET one 1");
        replica.Run("EXEC");
        ReplicationPair.Await("what it writes is of its stream",
            () => ReplicationPair.Number(replica, "replication", "master_repl_offset") > offset);
        Assert.Equal("$promotion", master.Run("GET after"));
    }
}
