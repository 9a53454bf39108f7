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

/// <summary>A replica reaches its master by TLS, as a user with the rights of a replica only.</summary>
public sealed class ReplicaTlsTests
{
    private const int CommandCount = 1_000;
    private const int LargeLength = 3_000_000;

    [Theory]
    [InlineData("disabled")]
    [InlineData("swapdb")]
    public void AMasterWithTlsIsFollowed(string loading)
    {
        Assert.SkipUnless(OracleServer.IsInstalled && OperatingSystem.IsLinux(),
            "redis-server is not installed, or TLS to others is not built here");
        using var certificates = new TestCertificates();
        using var port = new ReservedPort();
        using OracleServer redis = StartMaster(certificates, port.Number);
        using RespClient master = redis.Connect();
        master.Call("ACL", "SETUSER", "replica", "on", ">secret", "+psync", "+replconf", "+ping");
        var writes = new RandomWrites(11);
        ReplicationPair.Populate(master, writes);
        master.Call("SET", "large", new string('x', LargeLength));
        string place = $"127.0.0.1 {Text(port.Number)}";
        using var own = new OwnServer(2, [.. certificates.Directives, ("tls-replication", "yes"),
            ("masteruser", "replica"), ("masterauth", "secret"), ("enable-debug-command", "yes"),
            ("repl-diskless-load", loading), ("replicaof", place)]);
        var pair = new ReplicationPair(master, own.Connect());
        pair.AwaitEqual();
        ReplicationPair.Load(master, writes, CommandCount);
        master.Call("SET", "other", new string('y', LargeLength));
        pair.AwaitEqual();
        Assert.Equal(":1", master.Run("WAIT 1 0"));
        // A connection that is lost is made by TLS again, and goes on.
        master.Call("CLIENT", "KILL", "TYPE", "replica");
        ReplicationPair.Load(master, writes, CommandCount);
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
        using OracleServer redis = StartMaster(certificates, port.Number);
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

    private static OracleServer StartMaster(TestCertificates certificates, int port)
    {
        List<string> options = ["--tls-port", Text(port), "--enable-debug-command", "yes",
            "--repl-diskless-sync-delay", "0"];
        foreach ((string directive, string value) in certificates.Directives)
            options.AddRange(["--" + directive, value]);
        return OracleServer.Start([.. options]);
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
