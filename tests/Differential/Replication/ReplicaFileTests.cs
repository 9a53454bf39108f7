using System;
using System.Globalization;
using System.IO;
using System.Threading;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>A replica with an append-only file is killed at any point of a full synchronisation: its file has
/// the data before, or those of its master at some point of the stream.</summary>
public sealed class ReplicaFileTests
{
    private const int RoundCount = 6;
    private const int KeyCount = 300;

    [Fact]
    public void AKilledReplicaHasOldOrNewData()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start("--repl-diskless-sync-delay", "0");
        using RespClient master = redis.Connect();
        Fill(master, "new");
        DirectoryInfo directory = Directory.CreateTempSubdirectory("cinnabar-replica-");
        try
        {
            // A load takes about 0.1 s, and so does the base that follows.
            using var own = StoredServer.StartOwn(directory.FullName, "--appendonly", "yes", "--io-threads",
                "2", "--key-load-delay", "300", "--rdb-key-save-delay", "300");
            int newCount = 0;
            for (int round = 0; round < RoundCount; round++)
                newCount += Kill(own, master, redis.Port, round) ? 1 : 0;
            Assert.True(newCount > 0, "no round has come to the master's data");
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    // Gives whether the master's data are there after the restart.
    private static bool Kill(StoredServer own, RespClient master, int masterPort, int round)
    {
        using (RespClient replica = own.Connect())
        {
            replica.Call("FLUSHALL");
            Fill(replica, "old");
            replica.Call("REPLICAOF", "127.0.0.1", masterPort.ToString(CultureInfo.InvariantCulture));
            AwaitPoint(round, master, replica);
        }

        own.Restart();
        using RespClient client = own.Connect();
        Assert.Equal("master", ReplicationPair.Field(client, "replication", "role"));
        bool isNew = client.Call("EXISTS", "new:0").Text == "1";
        string name = isNew ? "new" : "old";
        for (int key = 0; key < KeyCount; key++)
            Assert.Equal(name, client.Call("GET", $"{name}:{key}").Text);
        // What both counters have was written in one transaction.
        Assert.Equal(client.Call("GET", "first").Text, client.Call("GET", "second").Text);
        long counterCount = client.Call("EXISTS", "first", "second").Integer;
        Assert.Equal(KeyCount + counterCount, client.Call("DBSIZE").Integer);
        Assert.True(isNew || counterCount == 0, "old data have no counters");
        return isNew;
    }

    private static void AwaitPoint(int round, RespClient master, RespClient replica)
    {
        void Await(string section, string name, string value) =>
            ReplicationPair.Await($"{name} is {value}", () =>
            {
                Count(master);
                return ReplicationPair.Field(replica, section, name) == value;
            });
        switch (round)
        {
            case 0:
                Await("persistence", "loading", "1");
                break;
            case 1:
                Await("replication", "master_link_status", "up");
                break;
            case 2:
                Await("replication", "master_link_status", "up");
                Await("persistence", "aof_rewrite_in_progress", "1");
                break;
            case 3:
                Await("replication", "master_link_status", "up");
                Await("persistence", "aof_rewrite_in_progress", "1");
                Await("persistence", "aof_rewrite_in_progress", "0");
                for (int count = 0; count < 100; count++)
                    Count(master);
                break;
            default:
                int waitMs = new Random(round).Next(400);
                for (long start = Environment.TickCount64; Environment.TickCount64 - start < waitMs;)
                    Count(master);
                break;
        }
    }

    private static void Count(RespClient master)
    {
        foreach (string command in (string[])["MULTI", "INCR first", "INCR second", "EXEC"])
            master.Run(command);
    }

    private static void Fill(RespClient client, string name)
    {
        for (int key = 0; key < KeyCount; key++)
            client.Call("SET", $"{name}:{key}", name);
    }
}
