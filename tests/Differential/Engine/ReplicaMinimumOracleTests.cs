using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Engine;

/// <summary>min-replicas-to-write without replicas refuses what redis-server refuses, in its order of
/// checks.</summary>
public sealed class ReplicaMinimumOracleTests
{
    // Of two sessions on each server; a line that begins with an asterisk is the second one's.
    private static readonly string[] s_lines =
    [
        "SET k v", "CONFIG SET min-replicas-to-write 1", "CONFIG GET min-slaves-to-write", "SET k w", "GET k",
        "SET k", "SET", "NO", "SET k v FOO",
        "DEL k", "FLUSHALL", "SWAPDB 0 1", "EXPIRE k 1", "GETEX k", "TTL k",
        "PFCOUNT k2", "PFADD h a", "SORT l", "SORT_RO l", "SORT l STORE m", "GEORADIUS g 0 0 1 m",
        "BITFIELD b GET u8 0", "BITFIELD_RO b GET u8 0", "COPY a b", "BLPOP l 1", "XADD s * f v",
        "XREADGROUP GROUP a b STREAMS s >", "PUBLISH c m", "SPUBLISH c m", "OBJECT ENCODING k", "DBSIZE",
        "MULTI", "GET k", "EXEC", "MULTI", "GET k", "SET k w", "GET k", "EXEC", "WATCH k", "MULTI", "SET k w",
        "DISCARD", "CONFIG SET maxmemory 1", "SET k w", "DEL k", "CONFIG SET maxmemory 0",
        "CONFIG SET min-slaves-max-lag 0", "SET k x", "CONFIG SET min-slaves-max-lag 10", "SET k y",
        "CONFIG SET min-slaves-to-write 0", "SET k z", "MULTI", "SET k a", "GET k",
        "*CONFIG SET min-replicas-to-write 2", "EXEC", "EXEC", "GET k", "MULTI", "GET k", "EXEC",
        "CONFIG SET min-replicas-to-write 0", "MULTI", "SET k b", "CONFIG SET min-replicas-to-write 3",
        "SET k c", "EXEC", "GET k", "SUBSCRIBE c", "SET k v", "GET k", "UNSUBSCRIBE c",
        "CONFIG SET requirepass x", "*SET k v", "CONFIG SET min-replicas-to-write 2147483647",
        "CONFIG SET min-replicas-to-write -1",
        "CONFIG SET min-replicas-to-write 2147483648", "CONFIG SET min-replicas-max-lag -1",
        "CONFIG SET min-replicas-max-lag 2147483648", "CONFIG GET min-slaves-max-lag",
        "CONFIG SET min-replicas-to-write 0 min-replicas-max-lag 10",
    ];

    [Fact]
    public void RepliesAreTheOracles()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        using RespClient otherRedis = oracle.Connect();
        using var server = new OwnServer(loopCount: 2);
        RespClient ours = server.Connect();
        RespClient other = server.Connect();
        foreach (string line in s_lines)
        {
            bool isOther = line[0] == '*';
            string command = line.TrimStart('*');
            RespValue expected = (isOther ? otherRedis : redis).Call(command.Split(' '));
            Assert.Equal($"{line} => {expected}", $"{line} => {(isOther ? other : ours).Run(command)}");
        }
    }

    [Fact]
    public void InfoShowsTheGoodReplicasWhereTheyAreWanted()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        using var server = new OwnServer();
        RespClient ours = server.Connect();
        foreach (string count in (string[])["0", "2"])
        {
            redis.Call("CONFIG", "SET", "min-replicas-to-write", count);
            ours.Call("CONFIG", "SET", "min-replicas-to-write", count);
            const string Field = "connected_slaves:0\r\nmin_slaves_good_slaves:0\r\n";
            Assert.Equal(count != "0", redis.Call("INFO", "replication").Text.Contains(Field));
            Assert.Equal(count != "0", ours.Call("INFO", "replication").Text.Contains(Field));
        }

        redis.Call("SET", "k", "v");
        ours.Call("SET", "k", "v");
        const string Errors = "# Errorstats\r\nerrorstat_NOREPLICAS:count=1\r\n";
        Assert.Equal(Errors, redis.Call("INFO", "errorstats").Text);
        Assert.Equal(Errors, ours.Call("INFO", "errorstats").Text);
        const string Rejected = "rejected_calls=1";
        Assert.Contains(Rejected, redis.Call("INFO", "commandstats").Text);
        Assert.Contains(Rejected, ours.Call("INFO", "commandstats").Text);
    }
}
