using System;
using System.Collections.Generic;
using System.IO;
using System.Threading.Tasks;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Tests.Unit.Persistence;
using Xunit;

namespace Cinnabar.Tests.Unit.Embedding;

/// <summary>Servers inside this process that start with data.</summary>
public sealed class LoadedServerTests : IDisposable
{
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(5);
    private readonly string _directory = Directory.CreateTempSubdirectory("cinnabar-loaded-").FullName;
    private readonly List<string> _log = [];

    private string Snapshot => Path.Combine(_directory, "dump.rdb");

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Fact]
    public async Task LoadsTheDataOfItsDirectory()
    {
        File.WriteAllBytes(Snapshot, new RdbFileBuilder().String("a", "1").End());
        await using CinnabarServer server = Start(_directory);
        await server.Ready.WaitAsync(s_hang, TestContext.Current.CancellationToken);
        using CinnabarClient client = server.Connect();
        Assert.Equal("1", client.Call("GET", "a").Text);
    }

    [Fact]
    public void IsReadyAtOnceWithoutData()
    {
        using CinnabarServer server = Start(_directory);
        Assert.True(server.Ready.IsCompletedSuccessfully);
    }

    /// <summary>Without a directory of its own it does not load what lies where the process was
    /// started.</summary>
    [Fact]
    public void LoadsNothingWithoutADirectory()
    {
        using CinnabarServer server = Start(null);
        Assert.True(server.Ready.IsCompletedSuccessfully);
        using CinnabarClient client = server.Connect();
        Assert.Equal("", client.Call("CONFIG", "GET", "save").Items[1].Text);
    }

    [Fact]
    public async Task ADamagedFileEndsTheServer()
    {
        File.WriteAllBytes(Snapshot, new RdbFileBuilder().String("a", "1").Raw(99).End());
        await using CinnabarServer server = Start(_directory);
        RdbFormatException fault = await Assert.ThrowsAsync<RdbFormatException>(
            () => server.Ready.WaitAsync(s_hang, TestContext.Current.CancellationToken));
        Assert.Equal("Unknown RDB encoding type 99", fault.Message);
        Assert.Equal(1, await server.Completion.WaitAsync(s_hang, TestContext.Current.CancellationToken));
        lock (_log)
            Assert.Contains(_log, line => line.Contains($"reading offset {fault.Offset} -> {fault.Message}",
                StringComparison.Ordinal));
    }

    [Fact]
    public async Task IsDisposedWhileItLoads()
    {
        File.WriteAllBytes(Snapshot, new RdbFileBuilder().String("a", "1").End());
        CinnabarServer server = Start(_directory, "key-load-delay", "100000000");
        using (CinnabarClient client = server.Connect())
            Assert.StartsWith("LOADING", client.Call("GET", "a").Text, StringComparison.Ordinal);
        await server.DisposeAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => server.Ready);
    }

    private CinnabarServer Start(string? directory, params ReadOnlySpan<string> directive)
    {
        List<KeyValuePair<string, string>> directives = [];
        if (directory is not null)
            directives.Add(new("dir", directory));
        if (directive.Length > 0)
            directives.Add(new(directive[0], directive[1]));
        return CinnabarServer.Start(new CinnabarServerOptions
        {
            LoopCount = 1,
            IsMemoryChecked = true,
            Directives = directives,
            Log = line =>
            {
                lock (_log)
                    _log.Add(line);
            },
        });
    }
}
