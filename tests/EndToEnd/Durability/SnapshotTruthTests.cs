using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;
using Xunit.Sdk;

namespace Cinnabar.Tests.EndToEnd.Durability;

/// <summary>Several clients write at full load and keep invariants across keys: every RDB file that is saved
/// meanwhile holds them, and so does the append-only file that a kill leaves.</summary>
public sealed class SnapshotTruthTests : IDisposable
{
    private const int WriterCount = 4;
    private const int SnapshotCount = 4;
    private const int SaveMsMax = 300_000;
    private const int PollMs = 2;
    private const int TestPart = 30;

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("cinnabar-truth-");
    private volatile bool _isOver;

    private static int Seconds =>
        int.TryParse(Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS"),
            CultureInfo.InvariantCulture, out int seconds) ? seconds / TestPart : 0;

    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public async Task EverySnapshotHoldsWhatWritersKeep() =>
        Assert.True(await Run(new Invariants(), SnapshotCount) >= SnapshotCount);

    /// <summary>The check finds what is torn apart, or it proves nothing.</summary>
    [Fact]
    public async Task TornChangesAreFound() => await Assert.ThrowsAnyAsync<XunitException>(
        async () => await Run(new Invariants { Break = true }, snapshotCount: 40));

    private async Task<int> Run(Invariants invariants, int snapshotCount)
    {
        ulong seed = Seeded.Seed();
        using StoredServer server = Start("live", "yes");
        using RespClient admin = server.Connect();
        Invariants.Fill(admin);
        Task[] writers = [.. Enumerable.Range(0, WriterCount).Select(number => Task.Factory.StartNew(
            () => Write(server, invariants, new Random((int)seed + number)),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        var time = Stopwatch.StartNew();
        int count = 0;
        try
        {
            for (; count < snapshotCount || time.Elapsed.TotalSeconds < Seconds; count++)
            {
                Save(admin);
                Check($"dump{count}.rdb");
            }
        }
        finally
        {
            _isOver = true;
            await Task.WhenAll(writers);
        }

        server.Kill();
        using StoredServer again = Start("live", "yes");
        using RespClient client = again.Connect();
        Invariants.Check(client);
        return count;
    }

    private void Write(StoredServer server, Invariants invariants, Random random)
    {
        using RespClient client = server.Connect();
        while (!_isOver)
            invariants.Change(client, random);
    }

    private StoredServer Start(string name, string appendOnly)
    {
        string directory = Path.Combine(_directory.FullName, name);
        Directory.CreateDirectory(directory);
        return StoredServer.StartOwn(directory, "--appendonly", appendOnly, "--io-threads", "4",
            "--loop-placement", "all");
    }

    private string LivePath => Path.Combine(_directory.FullName, "live", "dump.rdb");

    // FLUSHALL gives a save up: then another one is waited for.
    private void Save(RespClient client)
    {
        File.Delete(LivePath);
        long end = Environment.TickCount64 + SaveMsMax;
        while (!File.Exists(LivePath))
        {
            Assert.True(Environment.TickCount64 < end, "no save ends");
            client.Call("BGSAVE");
            Thread.Sleep(PollMs);
        }
    }

    private void Check(string name)
    {
        string directory = Path.Combine(_directory.FullName, name);
        Directory.CreateDirectory(directory);
        File.Copy(LivePath, Path.Combine(directory, "dump.rdb"));
        using StoredServer loaded = Start(name, "no");
        using RespClient client = loaded.Connect();
        Invariants.Check(client);
        loaded.Kill();
        Directory.Delete(directory, recursive: true);
    }
}
