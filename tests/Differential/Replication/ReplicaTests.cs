using System;
using System.Globalization;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>Cinnabar below redis-server: the replica has its master's data, offset and history.</summary>
public sealed class ReplicaTests
{
    private const int CommandCount = 2_000;
    private const int CutCount = 5;

    [Theory]
    [InlineData("yes", "16384")]
    [InlineData("no", "67108864")]
    public void AReplicaThatLosesItsMasterOftenHasItsData(string isDiskless, string backlogBytes)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start("--enable-debug-command", "yes",
            "--repl-diskless-sync", isDiskless, "--repl-diskless-sync-delay", "0",
            "--repl-backlog-size", backlogBytes);
        using var own = new OwnServer(2, ("enable-debug-command", "yes"));
        using RespClient master = redis.Connect();
        RespClient replica = own.Connect();
        var writes = new RandomWrites(7);
        ReplicationPair.Populate(master, writes);
        replica.Call("SET", "old", "data");
        using var proxy = new CuttingProxy(redis.Port, seed: 3, cutBytesMax: 400_000);
        Assert.Equal("OK", replica.Call("REPLICAOF", "127.0.0.1", Text(proxy.Port)).Text);
        Assert.StartsWith("READONLY", replica.Call("SET", "a", "b").Text, StringComparison.Ordinal);
        var pair = new ReplicationPair(master, replica);
        while (proxy.CutCount < CutCount)
            ReplicationPair.Load(master, writes, 200);
        proxy.StopCutting();
        pair.AwaitEqual();
        if (backlogBytes != "16384")
            Assert.NotEqual(0, ReplicationPair.Number(master, "stats", "sync_partial_ok"));
        ReplicationPair.Load(master, writes, CommandCount);
        pair.AwaitEqual();
        Assert.Equal(":1", master.Run("WAIT 1 0"));
    }

    [Fact]
    public void APromotedReplicaTakesWritesAndExpiresKeys()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start("--enable-debug-command", "yes",
            "--repl-diskless-sync-delay", "0");
        using var own = new OwnServer(
            1, ("replicaof", $"127.0.0.1 {redis.Port}"), ("enable-debug-command", "yes"));
        using RespClient master = redis.Connect();
        RespClient replica = own.Connect();
        new ReplicationPair(master, replica).AwaitEqual();
        Assert.Equal("slave", replica.Call("ROLE").Items[0].Text);
        master.Call("DEBUG", "SET-ACTIVE-EXPIRE", "0");
        master.Call("SET", "short", "1", "PX", "1");
        ReplicationPair.Await("the key is past its deadline", () => replica.Call("DBSIZE").ToString() == ":1"
            && replica.Run("EXISTS short") == ":0");
        Assert.Equal(":1", replica.Run("DBSIZE"));
        Assert.Equal("OK", replica.Call("REPLICAOF", "NO", "ONE").Text);
        Assert.Equal("OK", replica.Call("SET", "own", "1").Text);
        ReplicationPair.Await("the key is removed", () => replica.Run("DBSIZE") == ":1");
        Assert.Equal("master", ReplicationPair.Field(replica, "replication", "role"));
        Assert.Equal("", replica.Call("CONFIG", "GET", "replicaof").Items[1].Text);
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
