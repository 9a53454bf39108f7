using System;
using System.IO;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>CLIENT CAPA redirect: a replica names its master to clients that follow redirections
/// (Valkey's; no oracle has it).</summary>
public sealed class RedirectionTests : IDisposable
{
    private const string ReadOnlyError = "-READONLY You can't write against a read only replica.";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("cinnabar-redirection-");

    public void Dispose() => _directory.Delete(recursive: true);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void AReplicaNamesItsMaster(bool isReadOnly)
    {
        using var own = new OwnServer(2, ("replica-read-only", isReadOnly ? "yes" : "no"));
        RespClient follower = own.Connect();
        RespClient plain = own.Connect();
        Assert.Equal("+OK", follower.Run("CLIENT CAPA redirect"));
        Assert.Equal("+OK", follower.Run("SET a 1"));
        Assert.Equal("+OK", plain.Run("REPLICAOF 127.0.0.1 1"));
        foreach (string command in (string[])["GET a", "SET a 2", "MGET a b", "MSET a 1 b 2", "DBSIZE",
            "KEYS *", "BLPOP l 0", "XREAD BLOCK 0 STREAMS s 0"])
            Assert.Equal("-REDIRECT 127.0.0.1:1", follower.Run(command));
        Assert.Equal("+PONG", follower.Run("PING"));
        Assert.Equal(":0", follower.Run("PUBLISH a b"));
        Assert.Equal("$1", plain.Run("GET a"));
        Assert.Equal(isReadOnly ? ReadOnlyError : "+OK", plain.Run("SET a 1"));
        Assert.Equal("+OK", plain.Run("REPLICAOF 127.0.0.1 2"));
        Assert.Equal("-REDIRECT 127.0.0.1:2", follower.Run("GET a"));
        Assert.Equal("+OK", plain.Run("REPLICAOF NO ONE"));
        Assert.Equal("$1", follower.Run("GET a"));
        Assert.Equal("+OK", follower.Run("SET a 3"));
    }

    [Fact]
    public void AServerThatStartsAsAReplicaNamesItsMaster()
    {
        using var own = new OwnServer(1, ("replicaof", "127.0.0.1 1"));
        RespClient follower = own.Connect();
        Assert.Equal("+OK", follower.Run("CLIENT CAPA redirect"));
        Assert.Equal("-REDIRECT 127.0.0.1:1", follower.Run("GET a"));
    }

    [Fact]
    public void ReadOnlyAllowsReadsOnAReplica()
    {
        using var own = new OwnServer(1, ("replicaof", "127.0.0.1 1"));
        RespClient follower = own.Connect();
        const string disabled = "-ERR This instance has cluster support disabled";
        Assert.Equal(disabled, follower.Run("READONLY"));
        Assert.Equal(disabled, follower.Run("READWRITE"));
        Assert.Equal("+OK", follower.Run("CLIENT CAPA redirect"));
        Assert.Equal("+OK", follower.Run("READONLY"));
        Assert.Contains(" flags=r capa=r ", follower.Call("CLIENT", "INFO").Text);
        Assert.Equal("_", follower.Run("GET a"));
        Assert.Equal("-REDIRECT 127.0.0.1:1", follower.Run("SET a 1"));
        Assert.Equal("+OK", follower.Run("READWRITE"));
        Assert.Equal("-REDIRECT 127.0.0.1:1", follower.Run("GET a"));
        Assert.Equal("+OK", follower.Run("READONLY"));
        Assert.Equal("+RESET", follower.Run("RESET"));
        Assert.Equal("-REDIRECT 127.0.0.1:1", follower.Run("GET a"));
    }

    [Fact]
    public void ATransactionEndsWithTheRedirection()
    {
        using var own = new OwnServer();
        RespClient follower = own.Connect();
        RespClient reader = own.Connect();
        RespClient plain = own.Connect();
        foreach (RespClient client in (RespClient[])[follower, reader])
        {
            Assert.Equal("+OK", client.Run("CLIENT CAPA redirect"));
            Assert.Equal("+OK", client.Run("MULTI"));
            Assert.Equal("+QUEUED", client.Run(client == follower ? "SET a 1" : "PING"));
        }

        Assert.Equal("+OK", plain.Run("REPLICAOF 127.0.0.1 1"));
        Assert.Equal("-REDIRECT 127.0.0.1:1", follower.Run("EXEC"));
        Assert.Equal("-ERR EXEC without MULTI", follower.Run("EXEC"));
        Assert.Equal("+PONG", reader.Call("EXEC").Items[0].ToString());
        Assert.Equal("+OK", follower.Run("MULTI"));
        Assert.Equal("-REDIRECT 127.0.0.1:1", follower.Run("SET a 1"));
        Assert.StartsWith("-EXECABORT", follower.Run("EXEC"));
        Assert.Equal("_", plain.Run("GET a"));
    }

    [Fact]
    public void ADemotionRedirectsClientsThatWait()
    {
        using var own = new OwnServer(2);
        RespClient plain = own.Connect();
        RespClient follower = own.Connect();
        RespClient reader = own.Connect();
        Assert.Equal("+OK", follower.Run("CLIENT CAPA redirect"));
        Assert.Equal("+OK", reader.Run("CLIENT CAPA redirect"));
        Assert.Equal("+OK", reader.Run("READONLY"));
        follower.Send("BLPOP", "list", "0");
        reader.Send("XREAD", "BLOCK", "0", "STREAMS", "s", "0");
        AwaitWaiting(plain, 2);
        Assert.Equal("+OK", plain.Run("REPLICAOF 127.0.0.1 1"));
        Assert.Equal("-REDIRECT 127.0.0.1:1", follower.Read().ToString());
        Assert.Equal("+PONG", follower.Run("PING"));
        AwaitWaiting(plain, 1);
        Assert.Equal("+OK", plain.Run("REPLICAOF NO ONE"));
        plain.Call("XADD", "s", "1-1", "a", "b");
        Assert.Equal("s", reader.Read().Items[0].Items[0].Text);
    }

    /// <summary>Between the demotion and the promotion of the other server none is the master: clients wait,
    /// and are sent to the new one when it is there. Where the failover is given up, their commands
    /// run.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ClientsWaitWhileAFailoverIsUnderWay(bool succeeds)
    {
        using StoredServer old = StoredServer.StartOwn(
            _directory.CreateSubdirectory("old").FullName, "--repl-diskless-sync-delay", "0");
        using StoredServer target = StoredServer.StartOwn(
            _directory.CreateSubdirectory("target").FullName, "--replicaof", $"127.0.0.1 {old.Port}");
        using RespClient plain = old.Connect();
        using RespClient blocked = old.Connect();
        using RespClient writer = old.Connect();
        using RespClient reader = old.Connect();
        foreach (RespClient client in (RespClient[])[blocked, writer, reader])
            Assert.Equal("+OK", client.Run("CLIENT CAPA redirect"));
        ReplicationPair.Await("the replica has the data", () =>
            ReplicationPair.Field(plain, "replication", "slave0").Contains("state=online"));
        blocked.Send("BLPOP", "list", "0");
        AwaitWaiting(plain, 1);
        target.Freeze(isFrozen: true);
        Assert.Equal("+OK", plain.Run($"FAILOVER TO 127.0.0.1 {target.Port} FORCE TIMEOUT 1"));
        ReplicationPair.Await("the old master is a replica", () =>
            ReplicationPair.Field(plain, "replication", "master_failover_state") == "failover-in-progress");
        writer.Send("SET", "a", "1");
        reader.Send("GET", "b");
        AwaitWaiting(plain, 3);
        if (!succeeds)
            Assert.Equal("+OK", plain.Run("FAILOVER ABORT"));
        target.Freeze(isFrozen: false);
        if (succeeds)
        {
            foreach (RespClient client in (RespClient[])[blocked, writer, reader])
                Assert.Equal($"-REDIRECT 127.0.0.1:{target.Port}", client.Read().ToString());
            return;
        }

        Assert.Equal("+OK", writer.Read().ToString());
        Assert.Equal("_", reader.Read().ToString());
        Assert.Equal(":1", plain.Run("RPUSH list x"));
        Assert.Equal("*[$list, $x]", blocked.Read().ToString());
    }

    private static void AwaitWaiting(RespClient client, int count) => ReplicationPair.Await("they wait",
        () => ReplicationPair.Number(client, "clients", "blocked_clients") == count);
}
