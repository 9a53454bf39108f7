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

    // What clients ask a replica.
    private static readonly string[][] s_asked =
    [
        ["GET", "a"], ["SET", "a", "2"], ["DEL", "none"], ["DBSIZE"], ["PFCOUNT", "none"],
        ["EVAL", "return redis.call('SET', 'a', 'b')", "0"], ["EVAL", "return redis.call('GET', 'a')", "0"],
        ["EVAL", "#!lua\nreturn 1", "0"], ["EVAL", "#!lua flags=no-writes\nreturn 1", "0"],
        ["EVAL", "#!lua flags=allow-stale,no-writes\nreturn redis.call('GET', 'a')", "0"],
        ["EVAL", "#!lua flags=allow-stale,no-writes\nreturn redis.call('ECHO', 'a')", "0"],
        ["EVAL", "#!lua flags=allow-stale\nreturn 1", "0"], ["EVAL_RO", "#!lua\nreturn 1", "0"],
        ["MULTI"], ["GET", "a"], ["EXEC"], ["MULTI"], ["SET", "a", "3"], ["EXEC"], ["PUBLISH", "a", "b"],
        ["CONFIG", "GET", "replica-read-only"], ["WAIT", "0", "0"], ["FLUSHALL"], ["PING"],
        ["XREAD", "COUNT", "1", "STREAMS", "s", "0"], ["BLPOP", "l", "0"], ["EXPIRE", "a", "1"],
    ];

    [Theory]
    [InlineData("yes", "16384", "swapdb")]
    [InlineData("no", "67108864", "flushdb")]
    [InlineData("yes", "16384", "on-empty-db")]
    public void AReplicaThatLosesItsMasterOftenHasItsData(
        string isDiskless, string backlogBytes, string loading)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start("--enable-debug-command", "yes",
            "--repl-diskless-sync", isDiskless, "--repl-diskless-sync-delay", "0",
            "--repl-backlog-size", backlogBytes);
        using var own = new OwnServer(
            2, ("enable-debug-command", "yes"), ("repl-diskless-load", loading));
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

    [Fact]
    public void AReplicaAnswersClientsAsRedisDoes()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        OracleServer master = OracleServer.Start("--repl-diskless-sync-delay", "0");
        string place = $"127.0.0.1 {master.Port}";
        using OracleServer redis = OracleServer.Start("--replicaof", place);
        using var own = new OwnServer(2, ("replicaof", place));
        using RespClient theirs = redis.Connect();
        RespClient ours = own.Connect();
        using (RespClient writer = master.Connect())
        {
            writer.Call("SET", "a", "1");
            foreach (RespClient replica in (RespClient[])[theirs, ours])
                ReplicationPair.Await("the key is there", () => replica.Run("GET a") == "$1");
        }

        Compare(theirs, ours);
        Assert.Equal(theirs.Run("CLIENT KILL TYPE master"), ours.Run("CLIENT KILL TYPE master"));
        master.Dispose();
        foreach (RespClient replica in (RespClient[])[theirs, ours])
        {
            ReplicationPair.Await("the link is down", () =>
                ReplicationPair.Field(replica, "replication", "master_link_status") == "down");
        }

        Compare(theirs, ours);
        ours.Call("CONFIG", "SET", "replica-serve-stale-data", "no");
        theirs.Call("CONFIG", "SET", "replica-serve-stale-data", "no");
        Compare(theirs, ours);
    }

    [Fact]
    public void APauseHoldsTheStreamOfAReplica()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer master = OracleServer.Start("--repl-diskless-sync-delay", "0");
        string place = $"127.0.0.1 {master.Port}";
        using OracleServer redis = OracleServer.Start("--replicaof", place);
        using var own = new OwnServer(2, ("replicaof", place));
        using RespClient theirs = redis.Connect();
        RespClient ours = own.Connect();
        using RespClient writer = master.Connect();
        writer.Call("SET", "a", "1");
        foreach (RespClient replica in (RespClient[])[theirs, ours])
        {
            ReplicationPair.Await("the key is there", () => replica.Run("GET a") == "$1");
            Assert.Equal("+OK", replica.Run("CLIENT PAUSE 1000000 WRITE"));
        }

        writer.Call("SET", "a", "2");
        foreach (RespClient replica in (RespClient[])[theirs, ours])
        {
            ReplicationPair.Await("the write has come", () =>
                ReplicationPair.Number(replica, "replication", "slave_read_repl_offset")
                    == ReplicationPair.Number(writer, "replication", "master_repl_offset"));
            Assert.NotEqual(ReplicationPair.Number(writer, "replication", "master_repl_offset"),
                ReplicationPair.Number(replica, "replication", "slave_repl_offset"));
            Assert.Equal("$1", replica.Run("GET a"));
            Assert.Equal("+OK", replica.Run("CLIENT UNPAUSE"));
            ReplicationPair.Await("the write is applied", () => replica.Run("GET a") == "$2");
        }
    }

    [Fact]
    public void ADemotionEndsTheWaitsOfClients()
    {
        using var own = new OwnServer(2);
        RespClient blocked = own.Connect();
        RespClient other = own.Connect();
        blocked.Send("BLPOP", "list", "0");
        ReplicationPair.Await("it waits",
            () => ReplicationPair.Number(other, "clients", "blocked_clients") == 1);
        other.Call("REPLICAOF", "127.0.0.1", "1");
        Assert.Equal("-UNBLOCKED force unblock from blocking operation, instance state changed "
            + "(master -> replica?)", blocked.Read().ToString());
        Assert.ThrowsAny<System.IO.IOException>(() => blocked.Read());
    }

    private static void Compare(RespClient theirs, RespClient ours)
    {
        foreach (string[] command in s_asked)
            Assert.Equal(theirs.Call(command).ToString(), ours.Call(command).ToString());
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
