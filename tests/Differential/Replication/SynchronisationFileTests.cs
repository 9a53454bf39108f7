using System;
using System.Globalization;
using System.IO;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>rdb-del-sync-files: where neither side has persistence, no file of a synchronisation stays, with
/// the same words in the log as Redis.</summary>
public sealed class SynchronisationFileTests : IDisposable
{
    private const string Fed = "Removing the RDB file used to feed replicas in a persistence-less instance";
    private const string Obtained =
        "Removing the RDB file obtained from the master. This replica has persistence disabled";

    private readonly DirectoryInfo _masterDirectory = Directory.CreateTempSubdirectory("cinnabar-master-");
    private readonly DirectoryInfo _replicaDirectory = Directory.CreateTempSubdirectory("cinnabar-replica-");

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public void WithoutPersistenceNoFileStays(bool isOwnMaster, bool isOwnReplica)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using StoredServer master = Start(isOwnMaster, _masterDirectory);
        using StoredServer replica = Start(isOwnReplica, _replicaDirectory);
        Synchronise(master, replica);
        ReplicationPair.Await("the replica has removed the file",
            () => replica.Log.Contains(Obtained, StringComparison.Ordinal) && !HasFile(_replicaDirectory));
        ReplicationPair.Await("the master has removed the file",
            () => master.Log.Contains(Fed, StringComparison.Ordinal) && !HasFile(_masterDirectory));
    }

    /// <summary>A replica loads the file before its link is up: it stays where the replica saves by
    /// itself.</summary>
    [Theory]
    [InlineData("save", "3600 1")]
    [InlineData("appendonly", "yes")]
    [InlineData("rdb-del-sync-files", "no")]
    public void AReplicaWithPersistenceKeepsTheFile(string directive, string value)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using StoredServer master = Start(isOwn: false, _masterDirectory);
        using StoredServer replica = Start(isOwn: true, _replicaDirectory);
        using (RespClient client = replica.Connect())
            Assert.Equal("OK", client.Call("CONFIG", "SET", directive, value).Text);
        Synchronise(master, replica);
        Assert.True(HasFile(_replicaDirectory));
        Assert.DoesNotContain(Obtained, replica.Log, StringComparison.Ordinal);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _masterDirectory.Delete(recursive: true);
        _replicaDirectory.Delete(recursive: true);
    }

    private static StoredServer Start(bool isOwn, DirectoryInfo directory)
    {
        string[] options = ["--rdb-del-sync-files", "yes", "--repl-diskless-sync", "no",
            "--repl-diskless-load", "disabled"];
        return isOwn ? StoredServer.StartOwn(directory.FullName, options)
            : StoredServer.StartRedis(directory.FullName, options);
    }

    private static void Synchronise(StoredServer master, StoredServer replica)
    {
        using RespClient first = master.Connect();
        using RespClient second = replica.Connect();
        first.Call("SET", "key", "value");
        second.Call("REPLICAOF", "127.0.0.1", master.Port.ToString(CultureInfo.InvariantCulture));
        ReplicationPair.Await("the link is up",
            () => ReplicationPair.Field(second, "replication", "master_link_status") == "up");
        Assert.Equal("value", second.Call("GET", "key").Text);
    }

    private static bool HasFile(DirectoryInfo directory) =>
        File.Exists(Path.Combine(directory.FullName, "dump.rdb"));
}
