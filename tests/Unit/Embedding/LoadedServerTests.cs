using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
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
        RdbFormatException fault = await Assert.ThrowsAnyAsync<RdbFormatException>(
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

    /// <summary>INFO has the size of the file, the memory of its server and how far the load is.</summary>
    [Fact]
    public async Task InfoSaysHowFarASnapshotIs()
    {
        File.WriteAllBytes(Snapshot, new RdbFileBuilder().Aux("used-mem", "12345").String("a", "1").End());
        long before = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        await using CinnabarServer server = Start(_directory, "key-load-delay", "100000000");
        using (CinnabarClient client = server.Connect())
        {
            await WaitFor(() => FieldOf(client, "loading_rdb_used_mem") == "12345");
            AssertLoading(client, before, new FileInfo(Snapshot).Length);
            Assert.Equal("OK", client.Call("CONFIG", "SET", "key-load-delay", "0").Text);
        }

        await server.Ready.WaitAsync(s_hang, TestContext.Current.CancellationToken);
        AssertLoaded(server, keyCount: 1);
    }

    [Fact]
    public async Task InfoCountsKeysWhileTheyAreLoaded()
    {
        const int KeyCount = 10_000;
        var builder = new RdbFileBuilder();
        for (int key = 0; key < KeyCount; key++)
            builder.String($"key:{key}", "1");
        File.WriteAllBytes(Snapshot, builder.End());
        await using CinnabarServer server = Start(_directory, "key-load-delay", "20000");
        using (CinnabarClient client = server.Connect())
        {
            await WaitFor(() => FieldOf(client, "rdb_last_load_keys_loaded") != "0");
            Assert.Equal("1", FieldOf(client, "loading"));
            Assert.Equal("OK", client.Call("CONFIG", "SET", "key-load-delay", "0").Text);
        }

        await server.Ready.WaitAsync(s_hang, TestContext.Current.CancellationToken);
        AssertLoaded(server, KeyCount);
    }

    /// <summary>How far an append-only file is, whose commands wait too: both its files count.</summary>
    [Fact]
    public async Task InfoSaysHowFarAnAppendOnlyFileIs()
    {
        const int CommandCount = 100_000;
        string directory = Directory.CreateDirectory(Path.Combine(_directory, "appendonlydir")).FullName;
        File.WriteAllText(Path.Combine(directory, "appendonly.aof.manifest"),
            "file b seq 1 type b\nfile i seq 1 type i\n");
        byte[] snapshot = new RdbFileBuilder().String("a", "1").End();
        File.WriteAllBytes(Path.Combine(directory, "b"), snapshot);
        string commands = string.Concat(Enumerable.Repeat("*2\r\n$4\r\nINCR\r\n$1\r\nb\r\n", CommandCount));
        File.WriteAllText(Path.Combine(directory, "i"), commands);
        long before = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        await using CinnabarServer server =
            Start(_directory, "appendonly", "yes", "key-load-delay", "100000");
        using (CinnabarClient client = server.Connect())
        {
            await WaitFor(() => FieldOf(client, "loading_loaded_bytes") is { } text
                && long.Parse(text, CultureInfo.InvariantCulture) > snapshot.Length);
            AssertLoading(client, before, snapshot.Length + commands.Length);
            Assert.Equal("OK", client.Call("CONFIG", "SET", "key-load-delay", "0").Text);
        }

        await server.Ready.WaitAsync(s_hang, TestContext.Current.CancellationToken);
        AssertLoaded(server, keyCount: 1);
        using CinnabarClient other = server.Connect();
        Assert.Equal($"{CommandCount}", other.Call("GET", "b").Text);
    }

    /// <summary>An append-only file that is switched off while it is loaded gets nothing more.</summary>
    [Fact]
    public async Task TheAppendOnlyFileIsSwitchedOffWhileItIsLoaded()
    {
        const string Command = "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n";
        string directory = Directory.CreateDirectory(Path.Combine(_directory, "appendonlydir")).FullName;
        File.WriteAllText(Path.Combine(directory, "appendonly.aof.manifest"), "file i seq 1 type i\n");
        string increment = Path.Combine(directory, "i");
        File.WriteAllText(increment, Command);
        await using CinnabarServer server =
            Start(_directory, "appendonly", "yes", "key-load-delay", "100000000");
        await SetAppendOnlyWhileLoading(server, "no");
        using CinnabarClient client = server.Connect();
        Assert.Equal("1", client.Call("GET", "a").Text);
        Assert.Equal("0", FieldOf(client, "aof_enabled"));
        Assert.Null(FieldOf(client, "aof_current_size"));
        Assert.Equal("OK", client.Call("SET", "b", "2").Text);
        await server.DisposeAsync();
        Assert.Equal(Command, File.ReadAllText(increment));
    }

    /// <summary>One that is switched on while a snapshot is loaded begins with the snapshot's data.</summary>
    [Fact]
    public async Task TheAppendOnlyFileIsSwitchedOnWhileASnapshotIsLoaded()
    {
        File.WriteAllBytes(Snapshot, new RdbFileBuilder().String("a", "1").End());
        await using (CinnabarServer server = Start(_directory, "key-load-delay", "100000000"))
        {
            await SetAppendOnlyWhileLoading(server, "yes");
            using CinnabarClient client = server.Connect();
            Assert.Equal("1", FieldOf(client, "aof_enabled"));
            await WaitFor(() => FieldOf(client, "aof_rewrites") == "1"
                && FieldOf(client, "aof_rewrite_in_progress") == "0");
            Assert.Equal("OK", client.Call("SET", "b", "2").Text);
        }

        File.Delete(Snapshot);
        await using CinnabarServer second = Start(_directory, "appendonly", "yes");
        await second.Ready.WaitAsync(s_hang, TestContext.Current.CancellationToken);
        using CinnabarClient other = second.Connect();
        Assert.Equal("1", other.Call("GET", "a").Text);
        Assert.Equal("2", other.Call("GET", "b").Text);
    }

    private static async Task SetAppendOnlyWhileLoading(CinnabarServer server, string value)
    {
        using (CinnabarClient client = server.Connect())
        {
            Assert.StartsWith("LOADING", client.Call("GET", "a").Text, StringComparison.Ordinal);
            Assert.Equal("OK", client.Call("CONFIG", "SET", "appendonly", value, "save", "").Text);
            Assert.Equal("1", FieldOf(client, "loading"));
            Assert.Equal("OK", client.Call("CONFIG", "SET", "key-load-delay", "0").Text);
        }

        await server.Ready.WaitAsync(s_hang, TestContext.Current.CancellationToken);
    }

    private static void AssertLoading(CinnabarClient client, long notBefore, long totalBytes)
    {
        Dictionary<string, string> fields = FieldsOf(client);
        Assert.Equal(("1", "0"), (fields["loading"], fields["async_loading"]));
        long now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        Assert.InRange(Number("start_time"), notBefore, now);
        Assert.Equal(totalBytes, Number("total_bytes"));
        long loaded = Number("loaded_bytes");
        Assert.InRange(loaded, 0, totalBytes);
        double percent = double.Parse(fields["loading_loaded_perc"], CultureInfo.InvariantCulture);
        // The load may have gone on between the two.
        Assert.InRange(percent - (100.0 * loaded / totalBytes), -0.1, 0.1);
        Assert.InRange(Number("eta_seconds"), 0, long.MaxValue);

        long Number(string name) => long.Parse(fields[$"loading_{name}"], CultureInfo.InvariantCulture);
    }

    private static void AssertLoaded(CinnabarServer server, int keyCount)
    {
        using CinnabarClient client = server.Connect();
        Dictionary<string, string> fields = FieldsOf(client);
        Assert.Equal("0", fields["loading"]);
        Assert.Equal($"{keyCount}", fields["rdb_last_load_keys_loaded"]);
        Assert.Equal("0", fields["rdb_last_load_keys_expired"]);
        Assert.DoesNotContain("loading_start_time", fields);
    }

    private static async Task WaitFor(Func<bool> isMet)
    {
        for (long start = Stopwatch.GetTimestamp(); !isMet(); await Task.Delay(1))
            Assert.True(Stopwatch.GetElapsedTime(start) < s_hang, "the load goes on");
    }

    private static string? FieldOf(CinnabarClient client, string name) =>
        FieldsOf(client).GetValueOrDefault(name);

    private static Dictionary<string, string> FieldsOf(CinnabarClient client) =>
        client.Call("INFO", "persistence").Text.Split("\r\n")
            .Where(static line => line.Contains(':', StringComparison.Ordinal))
            .ToDictionary(static line => line.Split(':')[0], static line => line.Split(':')[1]);

    private CinnabarServer Start(string? directory, params ReadOnlySpan<string> directive)
    {
        List<KeyValuePair<string, string>> directives = [];
        if (directory is not null)
            directives.Add(new("dir", directory));
        for (int index = 0; index < directive.Length; index += 2)
            directives.Add(new(directive[index], directive[index + 1]));
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
