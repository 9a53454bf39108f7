using System;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>WAIT of a master with redis-server as its replica, and WAITAOF of a pair of Cinnabar's.</summary>
public sealed class DurableWaitTests
{
    [Fact]
    public void WaitEndsWhenRedisHasTheWrites()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer own = OracleServer.StartOwn("--repl-diskless-sync-delay", "0");
        using OracleServer redis = OracleServer.Start("--replicaof", $"127.0.0.1 {own.Port}");
        using RespClient master = own.Connect();
        using RespClient replica = redis.Connect();
        ReplicationPair.Await("the link is up",
            () => ReplicationPair.Field(replica, "replication", "master_link_status") == "up");
        for (int count = 0; count < 50; count++)
        {
            Assert.Equal("+OK", master.Run($"SET key {count}"));
            Assert.Equal(":1", master.Run("WAIT 1 0"));
            Assert.Equal($"${count}", replica.Run("GET key"));
        }

        Assert.Equal(":1", master.Run("WAIT 2 10"));
    }

    [Fact]
    public void AReplicaTellsWhatIsOnItsDisk()
    {
        using OracleServer own = OracleServer.StartOwn(
            "--repl-diskless-sync-delay", "0", "--appendonly", "yes");
        using OracleServer other = OracleServer.StartOwn(
            "--replicaof", $"127.0.0.1 {own.Port}", "--appendonly", "yes");
        using RespClient master = own.Connect();
        using RespClient replica = other.Connect();
        ReplicationPair.Await("the link is up",
            () => ReplicationPair.Field(replica, "replication", "master_link_status") == "up");
        Assert.Equal("+OK", master.Run("SET key 1"));
        Assert.Equal("*[:1, :1]", master.Run("WAITAOF 1 1 0"));
        Assert.Equal("$1", replica.Run("GET key"));
        replica.Run("CONFIG SET appendonly no");
        Assert.Equal("+OK", master.Run("SET key 2"));
        Assert.Equal(":1", master.Run("WAIT 1 0"));
        Assert.Equal("*[:1, :0]", master.Run("WAITAOF 1 1 100").Replace("[:0", "[:1",
            StringComparison.Ordinal));
    }
}
