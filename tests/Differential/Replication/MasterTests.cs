using System;
using System.Globalization;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>Cinnabar as a master, of redis-server, of Cinnabar, and in chains of both: each replica has the
/// data, the offset and the history of its master.</summary>
public sealed class MasterTests
{
    private const int CommandCount = 1_500;
    private const int CutCount = 5;

    private static readonly string[] s_options =
    [
        "--enable-debug-command", "yes", "--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1",
        "--repl-timeout", "3600",
    ];

    [Theory]
    [InlineData(false, "yes", "16384")]
    [InlineData(false, "no", "67108864")]
    [InlineData(true, "yes", "67108864")]
    [InlineData(true, "no", "16384")]
    public void AReplicaThatIsCutOftenHasItsMastersData(bool isOwn, string isDiskless, string backlogBytes)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer first = StartOwn(
            "--repl-diskless-sync", isDiskless, "--repl-backlog-size", backlogBytes);
        using OracleServer second = isOwn ? StartOwn() : OracleServer.Start(s_options);
        using RespClient master = first.Connect();
        using RespClient replica = second.Connect();
        var writes = new RandomWrites(21);
        ReplicationPair.Populate(master, writes);
        replica.Call("SET", "old", "data");
        using var proxy = new CuttingProxy(first.Port, seed: 5, cutBytesMax: 400_000);
        Assert.Equal("OK", replica.Call("REPLICAOF", "127.0.0.1", Text(proxy.Port)).Text);
        while (proxy.CutCount < CutCount)
            ReplicationPair.Load(master, writes, 200);
        proxy.StopCutting();
        var pair = new ReplicationPair(master, replica);
        pair.AwaitEqual();
        if (backlogBytes != "16384")
            Assert.NotEqual(0, ReplicationPair.Number(replica, "replication", "master_repl_offset"));
        ReplicationPair.Load(master, writes, CommandCount);
        pair.AwaitEqual();
        Assert.Equal("_", replica.Run("GET old"));
    }

    [Theory]
    [InlineData("redis", "own", "redis")]
    [InlineData("own", "redis", "own")]
    [InlineData("own", "own", "own")]
    [InlineData("own", "own", "redis")]
    public void AChainHasTheDataOfItsHead(string head, string middle, string end)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer first = Start(head);
        using OracleServer second = Start(middle, "--replicaof", $"127.0.0.1 {first.Port}");
        using OracleServer third = Start(end, "--replicaof", $"127.0.0.1 {second.Port}");
        using RespClient master = first.Connect();
        using RespClient between = second.Connect();
        using RespClient last = third.Connect();
        var writes = new RandomWrites(4);
        ReplicationPair.Populate(master, writes);
        master.Run("SELECT 1");
        ReplicationPair.Load(master, writes, CommandCount);
        new ReplicationPair(master, between).AwaitEqual();
        new ReplicationPair(master, last).AwaitEqual();
        // A new head: the middle keeps its replica, which learns the new name.
        between.Run("REPLICAOF NO ONE");
        ReplicationPair.Load(between, writes, CommandCount);
        new ReplicationPair(between, last).AwaitEqual();
        // The old head comes back below its replica's replica.
        master.Call("REPLICAOF", "127.0.0.1", Text(third.Port));
        ReplicationPair.Load(between, writes, CommandCount);
        new ReplicationPair(between, last).AwaitEqual();
        new ReplicationPair(between, master).AwaitEqual();
    }

    [Fact]
    public void AMasterThatIsPointedElsewhereKeepsItsReplicas()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer first = StartOwn();
        using OracleServer second = StartOwn("--replicaof", $"127.0.0.1 {first.Port}");
        using OracleServer third = OracleServer.Start(
            [.. s_options, "--replicaof", $"127.0.0.1 {first.Port}"]);
        using RespClient master = first.Connect();
        using RespClient own = second.Connect();
        using RespClient theirs = third.Connect();
        var writes = new RandomWrites(9);
        ReplicationPair.Populate(master, writes);
        // A PING of its own would be what the other does not have.
        master.Run("CONFIG SET repl-ping-replica-period 3600");
        new ReplicationPair(master, own).AwaitEqual();
        new ReplicationPair(master, theirs).AwaitEqual();
        own.Run("REPLICAOF NO ONE");
        master.Call("REPLICAOF", "127.0.0.1", Text(second.Port));
        ReplicationPair.Load(own, writes, CommandCount);
        new ReplicationPair(own, master).AwaitEqual();
        new ReplicationPair(own, theirs).AwaitEqual();
        Assert.Equal(1, ReplicationPair.Number(own, "stats", "sync_partial_ok"));
        Assert.Equal(0, ReplicationPair.Number(own, "stats", "sync_full"));
    }

    [Fact]
    public void MessagesReachSubscribersOfReplicasBehindWhatWasWrittenBefore()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer first = StartOwn();
        using OracleServer second = StartOwn("--replicaof", $"127.0.0.1 {first.Port}");
        using OracleServer third = OracleServer.Start(
            [.. s_options, "--replicaof", $"127.0.0.1 {second.Port}"]);
        using RespClient master = first.Connect();
        foreach (OracleServer server in (OracleServer[])[second, third])
        {
            using RespClient listener = server.Connect();
            using RespClient reader = server.Connect();
            new ReplicationPair(master, reader).AwaitEqual();
            listener.Run("SUBSCRIBE news");
            master.Run("PUBLISH news alone");
            master.Run("MULTI");
            master.Run("SET written before");
            master.Run("PUBLISH news transaction");
            master.Run("EXEC");
            master.Call("EVAL", "redis.call('PUBLISH', 'news', 'script')", "0");
            foreach (string message in (string[])["alone", "transaction", "script"])
            {
                Assert.Equal(message, listener.Read().Items[2].Text);
                if (message == "transaction")
                    Assert.Equal("$before", reader.Run("GET written"));
            }

            master.Run("DEL written");
        }
    }

    private static OracleServer Start(string kind, params ReadOnlySpan<string> options) =>
        kind == "own" ? StartOwn(options) : OracleServer.Start([.. s_options, .. options]);

    // What a redis-server of Debian can follow.
    private static OracleServer StartOwn(params ReadOnlySpan<string> options) => OracleServer.StartOwn(
        [.. s_options, "--rdb-compatibility", "7.0", "--io-threads", "2", .. options]);

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
