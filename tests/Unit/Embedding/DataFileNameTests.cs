using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Cinnabar.Tests.Unit.Embedding;

/// <summary>Names of files that are those of directories. As in Redis they are accepted, and what cannot be
/// so called fails.</summary>
public sealed class DataFileNameTests : IDisposable
{
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(5);

    private readonly string _parent = Directory.CreateTempSubdirectory("cinnabar-name-").FullName;
    private readonly List<string> _log = [];

    public DataFileNameTests() => Directory.CreateDirectory(DataDirectory);

    private string DataDirectory => Path.Combine(_parent, "data");

    public void Dispose() => Directory.Delete(_parent, recursive: true);

    [Theory]
    [InlineData(".")]
    [InlineData("..")]
    [InlineData("")]
    public async Task ADirectoryIsNotReplacedByASnapshot(string name)
    {
        await using CinnabarServer server = await Start("dbfilename", name);
        using CinnabarClient client = server.Connect();
        Assert.Equal("OK", client.Call("SET", "a", "1").Text);
        Assert.Equal("ERR", client.Call("SAVE").Text);
        Assert.Equal("1", client.Call("GET", "a").Text);
        lock (_log)
        {
            Assert.Contains(_log, line => line.Contains(
                $" on the final destination {name} (in server root dir ", StringComparison.Ordinal));
        }

        Assert.Equal([DataDirectory], Directory.GetFileSystemEntries(_parent));
        Assert.Empty(Directory.GetFileSystemEntries(DataDirectory));
    }

    [Theory]
    [InlineData("appenddirname", ".", "data/appendonly.aof.")]
    [InlineData("appenddirname", "..", "appendonly.aof.")]
    [InlineData("appenddirname", "..x", "data/..x/appendonly.aof.")]
    [InlineData("appendfilename", ".", "data/appendonlydir/..")]
    [InlineData("appendfilename", "..", "data/appendonlydir/...")]
    public async Task AnAppendOnlyFileIsFoundAgain(string directive, string name, string expected)
    {
        for (int count = 1; count <= 3; count++)
        {
            await using CinnabarServer server = await Start(directive, name);
            using CinnabarClient client = server.Connect();
            Assert.Equal(count, client.Call("INCR", "a").Integer);
        }

        string[] paths = [.. Directory.GetFiles(_parent, "*", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(_parent, path).Replace('\\', '/'))
            .Order(StringComparer.Ordinal)];
        Assert.Equal(
            [$"{expected}1.base.rdb", $"{expected}1.incr.aof", $"{expected}manifest"], paths);
    }

    private async Task<CinnabarServer> Start(string directive, string value)
    {
        CinnabarServer server = CinnabarServer.Start(new CinnabarServerOptions
        {
            LoopCount = 1,
            IsMemoryChecked = true,
            Directives =
            [
                new("dir", DataDirectory), new("appendonly", directive == "dbfilename" ? "no" : "yes"),
                new("save", ""), new(directive, value),
            ],
            Log = line =>
            {
                lock (_log)
                    _log.Add(line);
            },
        });
        await server.Ready.WaitAsync(s_hang, TestContext.Current.CancellationToken);
        return server;
    }
}
