using System;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>Masters and replicas that end in every way and start again, under load: each pair of Cinnabar and
/// redis-server has the same data, offset and history afterwards, and an end that saves leads to a partial
/// resynchronisation.</summary>
public sealed class RestartTests
{
    private const int CommandCount = 500;
    private const int LoadCountMax = 2_000;
    private const int CutCount = 2;

    private static readonly string[] s_options =
    [
        "--enable-debug-command", "yes", "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1",
        "--repl-timeout", "3600", "--repl-backlog-size", "64mb",
    ];

    private enum Restart
    {
        SavedMaster,
        KilledMaster,
        SavedReplica,
        KilledReplica,
    }

    [Theory]
    [InlineData("own", "own", 1)]
    [InlineData("own", "redis", 2)]
    [InlineData("redis", "own", 3)]
    [InlineData("redis", "redis", 4)]
    public async Task BothRestartAtRandomUnderLoad(string first, string second, int number)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        ulong seed = Seeded.Seed(number);
        TestContext.Current.TestOutputHelper?.WriteLine($"CINNABAR_SEED={seed}");
        var random = new Random((int)seed);
        DirectoryInfo directory = Directory.CreateTempSubdirectory("cinnabar-restart-");
        try
        {
            using StoredServer master = Start(first, directory.CreateSubdirectory("master"));
            using var proxy = new CuttingProxy(master.Port, (int)seed, cutBytesMax: 300_000);
            using StoredServer replica = Start(
                second, directory.CreateSubdirectory("replica"), "--replicaof", $"127.0.0.1 {proxy.Port}");
            var writes = new RandomWrites(seed);
            using (RespClient client = master.Connect())
                ReplicationPair.Populate(client, writes);
            AwaitEqual(master, replica);
            // Only what was saved once can go on; the others come in any order.
            Restart[] last = [Restart.KilledMaster, Restart.KilledReplica, Restart.SavedReplica];
            random.Shuffle(last);
            foreach (Restart restart in (Restart[])[Restart.SavedMaster, .. last])
            {
                LoadWithCuts(master, proxy, writes);
                AwaitEqual(master, replica);
                await RestartUnderLoad(restart, master, replica, writes);
            }
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    [Fact]
    public void ReplicasGoOnBelowARestartedMaster()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        DirectoryInfo directory = Directory.CreateTempSubdirectory("cinnabar-restart-");
        try
        {
            using StoredServer master = Start("own", directory.CreateSubdirectory("master"));
            string place = $"127.0.0.1 {master.Port}";
            using OracleServer second = OracleServer.StartOwn([.. s_options, "--replicaof", place]);
            using OracleServer third = OracleServer.Start([.. s_options, "--replicaof", place]);
            using RespClient own = second.Connect();
            using RespClient theirs = third.Connect();
            string id;
            using (RespClient client = master.Connect())
            {
                ReplicationPair.Populate(client, new RandomWrites(8));
                foreach (RespClient one in (RespClient[])[own, theirs])
                    new ReplicationPair(client, one).AwaitEqual();
                // Keys and fields whose deadlines pass while no master is there.
                client.Call("DEBUG", "SET-ACTIVE-EXPIRE", "0");
                client.Call("SET", "short", "1", "PX", "1");
                client.Call("HSET", "lasting", "a", "1", "b", "2");
                client.Call("SELECT", "3");
                client.Call("SET", "short", "1", "PX", "1");
                client.Call("SET", "last", "1");
                id = ReplicationPair.Field(client, "replication", "master_replid");
            }

            master.Stop(isSaving: true);
            master.Restart();
            using RespClient again = master.Connect();
            again.Call("SET", "next", "1");
            foreach (RespClient one in (RespClient[])[own, theirs])
            {
                new ReplicationPair(again, one).AwaitEqual();
                Assert.Equal(id, ReplicationPair.Field(one, "replication", "master_replid2"));
                one.Call("SELECT", "3");
                Assert.Equal(":1", one.Run("DBSIZE"));
            }

            Assert.Equal(0, ReplicationPair.Number(again, "stats", "sync_full"));
            Assert.Equal(2, ReplicationPair.Number(again, "stats", "sync_partial_ok"));
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    private static async Task RestartUnderLoad(
        Restart restart, StoredServer master, StoredServer replica, RandomWrites writes)
    {
        bool isMaster = restart is Restart.SavedMaster or Restart.KilledMaster;
        bool isSaved = restart is Restart.SavedMaster or Restart.SavedReplica;
        StoredServer one = isMaster ? master : replica;
        (long fullBefore, long partialBefore) = isMaster ? (0, 0) : Synchronisations(master);
        using var stop = new CancellationTokenSource();
        Task load = Task.Run(() => Load(master, writes, stop.Token));
        if (isSaved)
            one.Stop(isSaving: true);
        one.Restart();
        await stop.CancelAsync();
        await load;
        AwaitEqual(master, replica);
        (long full, long partial) = Synchronisations(master);
        if (!isSaved)
            return;
        Assert.True(full == fullBefore, $"a full synchronisation follows {restart}:\n{one.Log}");
        Assert.Equal(partialBefore + 1, partial);
    }

    // Bounded, so that the backlog has all of it, however long a start takes.
    private static void Load(StoredServer master, RandomWrites writes, CancellationToken stop)
    {
        try
        {
            using RespClient client = master.Connect();
            for (int count = 0; count < LoadCountMax && !stop.IsCancellationRequested; count++)
                ReplicationPair.Load(client, writes, 1);
        }
        catch (Exception fault) when (fault is IOException or SocketException)
        {
            // The master has gone.
        }
    }

    private static void LoadWithCuts(StoredServer master, CuttingProxy proxy, RandomWrites writes)
    {
        using RespClient client = master.Connect();
        int before = proxy.CutCount;
        proxy.ResumeCutting();
        do
            ReplicationPair.Load(client, writes, CommandCount);
        while (proxy.CutCount < before + CutCount);
        proxy.StopCutting();
    }

    private static void AwaitEqual(StoredServer master, StoredServer replica)
    {
        using RespClient first = master.Connect();
        using RespClient second = replica.Connect();
        new ReplicationPair(first, second).AwaitEqual();
    }

    private static (long Full, long Partial) Synchronisations(StoredServer master)
    {
        using RespClient client = master.Connect();
        return (ReplicationPair.Number(client, "stats", "sync_full"),
            ReplicationPair.Number(client, "stats", "sync_partial_ok"));
    }

    // What a redis-server of Debian can follow.
    private static StoredServer Start(
        string kind, DirectoryInfo directory, params ReadOnlySpan<string> options) => kind == "own"
        ? StoredServer.StartOwn(directory.FullName,
            [.. s_options, "--rdb-compatibility", "7.0", "--io-threads", "2", .. options])
        : StoredServer.StartRedis(directory.FullName, [.. s_options, .. options]);
}
