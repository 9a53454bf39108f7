using System;
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

    private static string Plain(string reply) => reply.Replace("_", "$-1", StringComparison.Ordinal);
}
