using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Support.Tls;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>A replica reaches its master by TLS, as a user with the rights of a replica only, among Cinnabar
/// and redis-server.</summary>
public sealed class ReplicaTlsTests
{
    private const int CommandCount = 1_000;
    private const int LargeLength = 3_000_000;
    private const int CutCount = 2;

    [Theory]
    [InlineData("redis", "own", "disabled")]
    [InlineData("redis", "own", "swapdb")]
    [InlineData("own", "redis", "disabled")]
    [InlineData("own", "own", "swapdb")]
    public void AMasterWithTlsIsFollowed(string first, string second, string loading)
    {
        Assert.SkipUnless(OracleServer.IsInstalled && OperatingSystem.IsLinux(),
            "redis-server is not installed, or TLS to others is not built here");
        using var certificates = new TestCertificates();
        using var port = new ReservedPort();
        using OracleServer server = StartMaster(first, certificates, port.Number);
        using RespClient master = server.Connect();
        master.Call("ACL", "SETUSER", "replica", "on", ">secret", "+psync", "+replconf", "+ping");
        var writes = new RandomWrites(11);
        ReplicationPair.Populate(master, writes);
        // The version that Debian's redis-server reads has no deadlines of fields.
        master.Run("HPERSIST h0 FIELDS 2 2 6");
        master.Call("SET", "large", new string('x', LargeLength));
        using var proxy = new CuttingProxy(port.Number, seed: 7, cutBytesMax: 200_000);
        proxy.StopCutting();
        using OracleServer follower = Start(second, certificates, "--tls-replication", "yes",
            "--masteruser", "replica", "--masterauth", "secret", "--repl-diskless-load", loading,
            "--replicaof", $"127.0.0.1 {Text(proxy.Port)}");
        using RespClient replica = follower.Connect();
        var pair = new ReplicationPair(master, replica);
        pair.AwaitEqual();
        ReplicationPair.Load(master, writes, CommandCount);
        master.Call("SET", "other", new string('y', LargeLength));
        pair.AwaitEqual();
        Assert.Equal(":1", master.Run("WAIT 1 0"));
        // A connection that is lost, by its end or inside of a record, is made by TLS again, and goes on.
        master.Call("CLIENT", "KILL", "TYPE", "replica");
        ReplicationPair.Load(master, writes, CommandCount);
        pair.AwaitEqual();
        proxy.ResumeCutting();
        while (proxy.CutCount < CutCount)
            ReplicationPair.Load(master, writes, 100);
        proxy.StopCutting();
        pair.AwaitEqual();
        Assert.Equal(1, ReplicationPair.Number(master, "stats", "sync_full"));
    }

    [Fact]
    public void AMasterWithAnotherAuthorityIsRefused()
    {
        Assert.SkipUnless(OracleServer.IsInstalled && OperatingSystem.IsLinux(),
            "redis-server is not installed, or TLS to others is not built here");
        using var certificates = new TestCertificates();
        using var other = new TestCertificates();
        using var port = new ReservedPort();
        using OracleServer redis = StartMaster("redis", certificates, port.Number);
        using RespClient master = redis.Connect();
        master.Call("SET", "a", "1");
        DirectoryInfo directory = Directory.CreateTempSubdirectory("cinnabar-stranger-");
        try
        {
            using var stranger = StoredServer.StartOwn(directory.FullName,
                "--tls-ca-cert-file", other.AuthorityFile, "--tls-replication", "yes");
            using RespClient replica = stranger.Connect();
            replica.Call("SET", "own", "1");
            replica.Call("REPLICAOF", "127.0.0.1", Text(port.Number));
            ReplicationPair.Await("the certificate is refused",
                () => stranger.Log.Contains("TLS with the MASTER fails", StringComparison.Ordinal));
            Assert.Equal("$1", replica.Run("GET own"));
            // With the right authority it goes on by itself.
            Assert.Equal("OK", replica.Call("CONFIG", "SET", "tls-ca-cert-file", certificates.AuthorityFile,
                "tls-cert-file", certificates.PathOf("server.crt"),
                "tls-key-file", certificates.PathOf("server.key")).Text);
            ReplicationPair.Await("it follows", () => replica.Run("GET a") == "$1");
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    private static OracleServer StartMaster(string kind, TestCertificates certificates, int port) =>
        Start(kind, certificates, "--tls-port", Text(port));

    private static OracleServer Start(
        string kind, TestCertificates certificates, params ReadOnlySpan<string> options)
    {
        List<string> all = ["--enable-debug-command", "yes", "--repl-diskless-sync-delay", "0",
            "--repl-backlog-size", "64mb", .. options];
        foreach ((string directive, string value) in certificates.Directives)
            all.AddRange(["--" + directive, value]);
        // What a redis-server of Debian can follow.
        return kind == "own"
            ? OracleServer.StartOwn([.. all, "--io-threads", "2", "--rdb-compatibility", "7.0"])
            : OracleServer.Start([.. all]);
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
