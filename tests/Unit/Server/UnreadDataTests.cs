using System;
using System.IO;
using System.Linq;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Server.Host;
using Xunit;

namespace Cinnabar.Tests.Unit.Server;

/// <summary>Data of another server that this one does not read is named in the log.</summary>
public sealed class UnreadDataTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("cinnabar-unread-").FullName;
    private readonly ConfigurationRegistry _registry = new();

    public UnreadDataTests() => _registry.Override("dir", _directory);

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Fact]
    public void NoWarningWithoutData()
    {
        Directory.CreateDirectory(Path.Combine(_directory, "appendonlydir"));
        Directory.CreateDirectory(Path.Combine(_directory, "dump.rdb"));
        Assert.Empty(UnreadData.Find(_registry));
    }

    [Fact]
    public void SnapshotAndAppendOnlyFilesAreNamed()
    {
        string snapshot = Path.Combine(_directory, "other.rdb");
        string appended = Path.Combine(_directory, "aof");
        File.WriteAllText(snapshot, "");
        Directory.CreateDirectory(appended);
        File.WriteAllText(Path.Combine(appended, "appendonly.aof.manifest"), "");
        Assert.Empty(UnreadData.Find(_registry));
        _registry.Override("dbfilename", "other.rdb");
        _registry.Override("appenddirname", "aof");
        string[] lines = [.. UnreadData.Find(_registry)];
        Assert.Equal(2, lines.Length);
        Assert.StartsWith($"WARNING: {snapshot} is not read: ", lines[0], StringComparison.Ordinal);
        Assert.StartsWith($"WARNING: {appended} is not read: ", lines[1], StringComparison.Ordinal);
    }
}
