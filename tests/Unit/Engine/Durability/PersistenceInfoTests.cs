using System;
using System.Globalization;
using System.Linq;
using Cinnabar.Engine.Durability;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Unit.Replication;
using Xunit;
using static Cinnabar.Tests.Unit.Engine.Durability.PersistenceInfo;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>The values of INFO persistence while data are saved, rewritten and written.</summary>
public sealed class PersistenceInfoTests
{
    private const int KeyCount = 100;

    private static readonly string[] s_idle =
    [
        "current_cow_peak:0", "current_cow_size:0", "current_cow_size_age:0", "current_fork_perc:0.00",
        "current_save_keys_processed:0", "current_save_keys_total:0", "async_loading:0", "loading:0",
    ];

    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();

    /// <summary>A save and a rewrite have their keys and pre-images told while they run, and their
    /// pre-images afterwards.</summary>
    [Theory]
    [InlineData("BGSAVE", "rdb_last_cow_size", "aof_last_cow_size", "rdb_saves")]
    [InlineData("BGREWRITEAOF", "aof_last_cow_size", "rdb_last_cow_size", "aof_rewrites")]
    public void WhatIsSavedIsCounted(string command, string own, string other, string count)
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        Fill(client);
        AssertInfo(client, [.. s_idle, $"{own}:0", $"{other}:0", $"{count}:0"]);
        server.IsSaverHeld = true;
        client.Run(command);
        server.Settle(_clock);
        AssertInfo(client, $"current_save_keys_total:{KeyCount}", "current_save_keys_processed:0",
            "current_fork_perc:0.00", "current_cow_size:0", "current_cow_peak:0");
        ChangeAll(client);
        long first = Number(client, "current_cow_size");
        Assert.True(first > 0, "the pre-images of keys");
        AssertInfo(client, $"current_cow_peak:{first}", "current_cow_size_age:0", $"{own}:0");
        ChangeAll(client);
        Assert.Equal(first, Number(client, "current_cow_size"));
        SnapshotJob job = server.Engine.Data.Snapshots.Current!;
        for (int step = 0; job.KeyCount == 0; step++)
        {
            Assert.True(step < 100, "the saver goes on");
            job.Step();
        }

        string share = (100.0 * job.KeyCount / KeyCount).ToString("F2", CultureInfo.InvariantCulture);
        AssertInfo(client, $"current_save_keys_processed:{job.KeyCount}", $"current_fork_perc:{share}");
        long bytes = Number(client, "current_cow_size");
        server.IsSaverHeld = false;
        server.Settle(_clock);
        AssertInfo(client, [.. s_idle, $"{own}:{bytes}", $"{other}:0", $"{count}:1"]);
    }

    /// <summary>As in Redis, a snapshot for replicas without a file is one in the background, but for the
    /// count of saves.</summary>
    [Fact]
    public void WhatReplicasGetIsCountedToo()
    {
        using TestServer server = Start(("repl-diskless-sync-delay", "0"));
        TestClient client = server.Connect();
        Fill(client);
        server.IsSaverHeld = true;
        var replica = new TestReplica(server);
        replica.Announce();
        replica.Client.Send("PSYNC", "?", "-1");
        server.Settle(_clock);
        AssertInfo(client, $"current_save_keys_total:{KeyCount}", "rdb_bgsave_in_progress:1",
            "rdb_current_bgsave_time_sec:1", "rdb_last_bgsave_time_sec:-1", "current_cow_size:0");
        ChangeAll(client);
        long bytes = Number(client, "current_cow_size");
        Assert.True(bytes > 0, "the pre-images of keys");
        AssertInfo(client, $"current_cow_peak:{bytes}", "rdb_last_cow_size:0");
        _clock.Advance(microseconds: 5_000_000);
        server.IsSaverHeld = false;
        server.Settle(_clock);
        AssertInfo(client, [.. s_idle, $"rdb_last_cow_size:{bytes}", "aof_last_cow_size:0", "rdb_saves:0",
            "rdb_bgsave_in_progress:0", "rdb_last_bgsave_time_sec:6"]);
        Assert.Contains("$EOF:", replica.Client.TakeRaw(), StringComparison.Ordinal);
    }

    [Fact]
    public void SizesOfTheFilesAreThoseOnTheDisk()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("SET a 1");
        AssertSizes(client);
        client.Run("SET b 2");
        AssertSizes(client);
        long before = Number(client, "aof_base_size");
        client.Run("BGREWRITEAOF");
        server.Settle(_clock);
        client.Run("SET c 3");
        AssertSizes(client);
        Assert.NotEqual(before, Number(client, "aof_base_size"));
    }

    /// <summary>A client that waits until no save is in progress must find its own saved.</summary>
    [Fact]
    public void ASaveThatBeginsSoonIsInProgress()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("SET a 1");
        client.Run("MULTI");
        client.Run("BGSAVE");
        client.Run("INFO persistence");
        Assert.Contains("rdb_bgsave_in_progress:1", client.Run("EXEC"), StringComparison.Ordinal);
        server.Settle(_clock);
        AssertInfo(client, "rdb_bgsave_in_progress:0", "rdb_changes_since_last_save:0", "rdb_saves:1");
    }

    [Fact]
    public void ARewriteBehindASaveIsPending()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        server.IsSaverHeld = true;
        client.Run("BGSAVE");
        AssertInfo(client, "aof_pending_rewrite:0", "aof_rewrite_scheduled:0");
        client.Run("BGREWRITEAOF");
        AssertInfo(client, "aof_pending_rewrite:1", "aof_rewrite_scheduled:1", "aof_rewrite_in_progress:0");
        server.IsSaverHeld = false;
        server.Settle(_clock);
        AssertInfo(client, "aof_pending_rewrite:0", "aof_rewrite_scheduled:0", "aof_rewrites:1");
    }

    /// <summary>A file that is switched on while a snapshot is saved has its fields at once, as in
    /// Redis.</summary>
    [Fact]
    public void AFirstRewriteBehindASaveIsPending()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Run("SET a 1");
        server.IsSaverHeld = true;
        client.Run("BGSAVE");
        Assert.DoesNotContain("aof_pending_rewrite", client.Call("INFO", "persistence").Text,
            StringComparison.Ordinal);
        client.Run("CONFIG SET appendonly yes");
        AssertInfo(client, "aof_enabled:1", "aof_rewrite_in_progress:0", "aof_rewrite_scheduled:1",
            "aof_current_size:0", "aof_base_size:0", "aof_pending_rewrite:1", "aof_buffer_length:0",
            "aof_pending_bio_fsync:0", "aof_delayed_fsync:0");
        server.IsSaverHeld = false;
        server.Settle(_clock);
        AssertInfo(client, "aof_pending_rewrite:0", "aof_rewrite_scheduled:0", "aof_rewrites:1");
        Assert.True(Number(client, "aof_base_size") > 0, "there is a base");
    }

    /// <summary>While the file is flushed, what is recorded waits; past two seconds, so do
    /// commands.</summary>
    [Fact]
    public void WhatWaitsForAFlushIsCounted()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("SET a 1");
        AssertInfo(client, "aof_buffer_length:0", "aof_pending_bio_fsync:0", "aof_delayed_fsync:0");
        bool isDone = false;
        _files.Changing = (operation, path) =>
        {
            if (isDone || operation != "flush" || !path.EndsWith(".incr.aof", StringComparison.Ordinal))
                return true;
            isDone = true;
            client.Run("SET a 2");
            int length = "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n2\r\n".Length;
            AssertInfo(client, $"aof_buffer_length:{length}", "aof_pending_bio_fsync:1",
                "aof_delayed_fsync:0");
            Assert.Contains($"mem_aof_buffer:{length}\r\n", client.Call("INFO", "memory").Text,
                StringComparison.Ordinal);
            _clock.Advance(2_000_000);
            client.Run("SET a 3");
            AssertInfo(client, $"aof_buffer_length:{2 * length}", "aof_delayed_fsync:1");
            return true;
        };
        server.Settle(_clock);
        Assert.True(isDone, "the file has been flushed");
        AssertInfo(client, "aof_buffer_length:0", "aof_pending_bio_fsync:0", "aof_delayed_fsync:1");
        AssertSizes(client);
    }

    [Fact]
    public void WhatIsLeftOfALoadFollowsFromWhatIsDone()
    {
        var progress = new LoadProgress(startedUs: 1_000_000, totalBytes: 1000);
        Assert.Equal(1, progress.LeftSeconds(nowUs: 9_000_000));
        progress.Add(250);
        Assert.Equal((250, 25.0), (progress.LoadedBytes, progress.Percent));
        Assert.Equal(1, progress.LeftSeconds(nowUs: 1_500_000));
        Assert.Equal(30, progress.LeftSeconds(nowUs: 11_000_000));
        progress.Add(750);
        Assert.Equal(0, progress.LeftSeconds(nowUs: 21_000_000));
    }

    // More than is copied ahead of the saver.
    private static void Fill(TestClient client)
    {
        for (int key = 0; key < KeyCount; key++)
            client.Call("SET", $"key:{key}", new string('x', 60_000));
    }

    private static void ChangeAll(TestClient client)
    {
        for (int key = 0; key < KeyCount; key++)
            client.Call("SET", $"key:{key}", "small");
    }

    private static long Number(TestClient client, string name)
    {
        string line = client.Call("INFO", "persistence").Text.Split("\r\n")
            .Single(line => line.StartsWith($"{name}:", StringComparison.Ordinal));
        return long.Parse(line[(name.Length + 1)..], CultureInfo.InvariantCulture);
    }

    private void AssertSizes(TestClient client)
    {
        AssertInfo(client, $"aof_base_size:{LengthOf(".base.")}",
            $"aof_current_size:{LengthOf(".base.") + LengthOf(".incr.")}");

        long LengthOf(string part) => _files.Paths
            .Where(path => path.Contains(part, StringComparison.Ordinal))
            .Sum(path => (long)_files.Read(path).Length);
    }

    private TestServer Start(params ReadOnlySpan<(string Directive, string Value)> configuration)
    {
        TestServer server = TestServer.On(_files, _clock,
            [("appendonly", "yes"), ("auto-aof-rewrite-percentage", "0"), .. configuration]);
        Assert.Null(server.Load());
        return server;
    }
}
