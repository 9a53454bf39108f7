using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>What is for replicas alone reaches no file, and what is for the file alone no replica.</summary>
public sealed class AudienceTests
{
    private const string Script = "redis.call('SET', 'a', '1'); redis.set_repl(redis.REPL_NONE); "
        + "redis.call('SET', 'b', '2'); redis.set_repl(redis.REPL_AOF); redis.call('SET', 'c', '3'); "
        + "redis.set_repl(redis.REPL_REPLICA); redis.call('SET', 'd', '4'); "
        + "redis.set_repl(redis.REPL_ALL); redis.call('SET', 'e', '5')";

    private const string Question = "MGET a b c d e";

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void AScriptChoosesWhoGetsItsCommands(bool isOwn)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        string[] options = ["--repl-diskless-sync-delay", "0", "--appendonly", "yes",
            "--enable-debug-command", "yes"];
        using OracleServer first = isOwn ? OracleServer.StartOwn(options) : OracleServer.Start(options);
        using OracleServer second = OracleServer.Start("--replicaof", $"127.0.0.1 {first.Port}");
        using RespClient master = first.Connect();
        using RespClient replica = second.Connect();
        ReplicationPair.Await("the link is up",
            () => ReplicationPair.Field(replica, "replication", "master_link_status") == "up");
        master.Call("SELECT", "3");
        replica.Call("SELECT", "3");
        master.Call("EVAL", Script, "0");
        master.Call("PUBLISH", "channel", "message");
        master.Call("SET", "last", "1");
        Assert.Equal(":1", master.Run("WAIT 1 0"));
        Assert.Equal("*[$1, $2, $3, $4, $5]", master.Run(Question));
        Assert.Equal("*[$1, $-1, $-1, $4, $5]", Plain(replica.Run(Question)));
        Assert.Equal("$1", replica.Run("GET last"));
        Assert.Equal("OK", master.Call("DEBUG", "LOADAOF").Text);
        Assert.Equal("*[$1, $-1, $3, $-1, $5]", Plain(master.Run(Question)));
        Assert.Equal("$1", master.Run("GET last"));
    }

    /// <summary>There are channels of shards since Redis 7.0: a stream for an older one has no
    /// SPUBLISH.</summary>
    [Theory]
    [InlineData("7.0", "alone transaction script last")]
    [InlineData("6.2", "last")]
    public void MessagesOfShardsNeedAVersionThatKnowsThem(string level, string expected)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer first = OracleServer.StartOwn(
            "--repl-diskless-sync-delay", "0", "--rdb-compatibility", level);
        using OracleServer second = OracleServer.Start("--replicaof", $"127.0.0.1 {first.Port}");
        using RespClient master = first.Connect();
        using RespClient reader = second.Connect();
        using RespClient listener = second.Connect();
        ReplicationPair.Await("the link is up",
            () => ReplicationPair.Field(reader, "replication", "master_link_status") == "up");
        listener.Run("SSUBSCRIBE news");
        listener.Run("SUBSCRIBE news");
        master.Run("SPUBLISH news alone");
        master.Run("MULTI");
        master.Run("SPUBLISH news transaction");
        master.Run("EXEC");
        master.Call("EVAL", "redis.call('SPUBLISH', 'news', 'script')", "0");
        master.Run("PUBLISH news last");
        List<string> messages = [];
        while (messages.LastOrDefault() != "last")
            messages.Add(listener.Read().Items[2].Text);
        Assert.Equal(expected, string.Join(' ', messages));
        Assert.Equal(level == "6.2" ? "0" : "3", SPublishCount(reader));
    }

    private static string SPublishCount(RespClient client)
    {
        string text = client.Run("INFO commandstats");
        int start = text.IndexOf("cmdstat_spublish:calls=", StringComparison.Ordinal);
        return start < 0 ? "0" : text[(start + 23)..].Split(',')[0];
    }

    private static string Plain(string reply) => reply.Replace("_", "$-1", StringComparison.Ordinal);
}
