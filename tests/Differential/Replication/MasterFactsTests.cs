using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>What a master with a replica says of itself, beside redis-server with one: the same fields in the
/// same form.</summary>
public sealed class MasterFactsTests
{
    // Of newer versions, or of the two servers' own addresses and times.
    private static readonly string[] s_newer = ["replicas_waiting_psync"];

    [Fact]
    public void InfoAndRoleHaveTheFormOfTheOracles()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        string[] options = ["--repl-diskless-sync-delay", "0", "--min-replicas-to-write", "1",
            "--repl-ping-replica-period", "3600", "--repl-backlog-size", "16384"];
        using OracleServer redis = OracleServer.Start(options);
        using OracleServer own = OracleServer.StartOwn(options);
        using OracleServer redisReplica = OracleServer.Start("--replicaof", $"127.0.0.1 {redis.Port}");
        using OracleServer ownReplica = OracleServer.Start("--replicaof", $"127.0.0.1 {own.Port}");
        using RespClient theirs = redis.Connect();
        using RespClient ours = own.Connect();
        foreach (RespClient master in (RespClient[])[theirs, ours])
        {
            ReplicationPair.Await("a replica is good",
                () => ReplicationPair.Field(master, "replication", "min_slaves_good_slaves") == "1");
            for (int count = 0; count < 30; count++)
                Assert.Equal("+OK", master.Run("SET key " + new string('x', 1000)));
            long end = ReplicationPair.Number(master, "replication", "master_repl_offset");
            ReplicationPair.Await("the replica has acknowledged",
                () => master.Call("ROLE").Items[2].Items[0].Items[2].Text == $"{end}");
        }

        Assert.Equal(Shown(theirs, redisReplica.Port), Shown(ours, ownReplica.Port));
        Assert.Equal(Role(theirs, redisReplica.Port), Role(ours, ownReplica.Port));
    }

    // Redis keeps whole blocks of the backlog, so how much there is differs; so does when the first PING goes
    // into the stream.
    private static List<string> Shown(RespClient master, int replicaPort)
    {
        string end = ReplicationPair.Field(master, "replication", "master_repl_offset");
        return [.. master.Call("INFO", "replication").Text.Split("\r\n")
            .Where(static line => !s_newer.Any(name => line.StartsWith(name, StringComparison.Ordinal))
                && !line.StartsWith("master_replid:", StringComparison.Ordinal)
                && !line.StartsWith("repl_backlog_first", StringComparison.Ordinal)
                && !line.StartsWith("repl_backlog_hist", StringComparison.Ordinal))
            .Select(line => line.Replace($"port={replicaPort},", "port=P,", StringComparison.Ordinal)
                .Replace($"offset={end}", "offset=E", StringComparison.Ordinal)
                .Replace($"offset:{end}", "offset:E", StringComparison.Ordinal)
                .Replace("lag=1", "lag=0", StringComparison.Ordinal))];
    }

    private static string Role(RespClient master, int replicaPort) =>
        master.Call("ROLE").ToString().Replace($"${replicaPort}", "$P", StringComparison.Ordinal)
            .Replace(ReplicationPair.Field(master, "replication", "master_repl_offset"), "E",
                StringComparison.Ordinal);
}
