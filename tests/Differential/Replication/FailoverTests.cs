using System;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>FAILOVER between Cinnabar and redis-server: the role goes over and comes back, under load, and no
/// write is lost.</summary>
public sealed class FailoverTests
{
    [Fact]
    public async Task TheRoleGoesToRedisAndComesBack()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer own = OracleServer.StartOwn(
            "--io-threads", "2", "--repl-diskless-sync-delay", "0");
        using OracleServer redis = OracleServer.Start(
            "--repl-diskless-sync-delay", "0", "--replicaof", $"127.0.0.1 {own.Port}");
        using RespClient ours = own.Connect();
        using RespClient theirs = redis.Connect();
        for (int round = 0; round < 2; round++)
        {
            await HandOver(own, ours, theirs);
            await HandOver(redis, theirs, ours);
        }

        Assert.Equal("0", ReplicationPair.Field(theirs, "stats", "sync_full"));
    }

    // Each write that the old master has confirmed is in the new one.
    private static async Task HandOver(OracleServer master, RespClient old, RespClient target)
    {
        ReplicationPair.Await("the link is up",
            () => ReplicationPair.Field(target, "replication", "master_link_status") == "up");
        long confirmed = old.Call("INCR", "count").Integer;
        using var stop = new CancellationTokenSource();
        Task<long> writer = Task.Run(() => Write(master, stop.Token));
        Assert.Equal("+OK", old.Run("FAILOVER"));
        ReplicationPair.Await("the failover is over",
            () => ReplicationPair.Field(old, "replication", "master_failover_state") == "no-failover");
        ReplicationPair.Await("the target is the master",
            () => ReplicationPair.Field(target, "replication", "role") == "master");
        Assert.Equal("slave", ReplicationPair.Field(old, "replication", "role"));
        await stop.CancelAsync();
        long last = await writer;
        Assert.Equal(Math.Max(last, confirmed).ToString(), target.Call("GET", "count").Text);
        ReplicationPair.Await("the link is up",
            () => ReplicationPair.Field(old, "replication", "master_link_status") == "up");
        ReplicationPair.Await("the offsets are equal",
            () => ReplicationPair.Number(old, "replication", "master_repl_offset")
                == ReplicationPair.Number(target, "replication", "master_repl_offset"));
        Assert.Equal(target.Call("GET", "count").Text, old.Call("GET", "count").Text);
    }

    private static long Write(OracleServer master, CancellationToken stop)
    {
        using RespClient client = master.Connect();
        long last = 0;
        while (!stop.IsCancellationRequested)
        {
            RespValue reply = client.Call("INCR", "count");
            if (reply.Kind == '-')
                return last;
            last = reply.Integer;
        }

        return last;
    }
}
