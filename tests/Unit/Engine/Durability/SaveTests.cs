using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Unit.Persistence;
using Xunit;
using static Cinnabar.Tests.Unit.Engine.Durability.PersistenceInfo;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>SAVE, BGSAVE, LASTSAVE, and disks that fail.</summary>
public sealed class SaveTests
{
    private readonly ManualClock _clock = new();

    private static string Path => System.IO.Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb");

    [Fact]
    public void SaveRepliesWhenTheFileIsThere()
    {
        using var server = new TestServer(loopCount: 2, clock: _clock);
        TestClient client = server.Connect();
        TestClient other = server.Connect(loop: 1);
        client.Run("SET key value");
        server.IsSaverHeld = true;
        Assert.Equal("", client.Run("SAVE"));
        Assert.Equal("-ERR Background save already in progress", other.Run("SAVE"));
        Assert.Equal("$value", other.Run("GETSET key other"));
        Assert.Empty(server.Files.Paths);
        server.IsSaverHeld = false;
        server.Run();
        Assert.Equal("+OK", client.Shown());
        Assert.Equal([Path], server.Files.Paths);
        string file = Encoding.Latin1.GetString(server.Files.Read(Path));
        Assert.StartsWith("REDIS0012", file, StringComparison.Ordinal);
        Assert.Contains("key\u0005value", file, StringComparison.Ordinal);
        Assert.Contains("DB saved on disk", server.Log.Lines.Last(), StringComparison.Ordinal);
    }

    [Fact]
    public void BgSaveIsTold()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Run("SET key value");
        string before = client.Run("LASTSAVE");
        _clock.Advance(5_000_000);
        server.IsSaverHeld = true;
        Assert.Equal("+Background saving started", client.Run("BGSAVE"));
        Assert.Equal("-ERR Background save already in progress", client.Run("BGSAVE"));
        AssertInfo(client, "rdb_bgsave_in_progress:1", "current_save_keys_total:1",
            "rdb_changes_since_last_save:1");
        client.Run("SET other value");
        client.Run("SET key changed");
        _clock.Advance(2_000_000);
        AssertInfo(client, "rdb_current_bgsave_time_sec:2");
        server.IsSaverHeld = false;
        server.Run();
        AssertInfo(client, "rdb_bgsave_in_progress:0", "rdb_last_bgsave_status:ok", "rdb_saves:1",
            "rdb_last_bgsave_time_sec:2", "rdb_current_bgsave_time_sec:-1", "rdb_changes_since_last_save:2");
        Assert.NotEqual(before, client.Run("LASTSAVE"));
        Assert.Contains(server.Log.Lines, line => line.Contains("Background saving started by pid"));
        Assert.Contains(server.Log.Lines, line => line.Contains("Background saving terminated with success"));
        string file = Encoding.Latin1.GetString(server.Files.Read(Path));
        Assert.Contains("key\u0005value", file, StringComparison.Ordinal);
        Assert.DoesNotContain("other", file, StringComparison.Ordinal);
    }

    [Fact]
    public void ATransactionSchedules()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Run("MULTI");
        client.Run("SET key value");
        client.Run("BGSAVE");
        Assert.Equal("*[+OK, +Background saving scheduled]", client.Run("EXEC"));
        Assert.Equal("-ERR Command not allowed inside a transaction", Second(client, "MULTI", "SAVE"));
        client.Run("DISCARD");
        _clock.Advance(200_000);
        server.Run();
        Assert.Contains("key\u0005value", Encoding.Latin1.GetString(server.Files.Read(Path)));
    }

    /// <summary>While a rewrite is under way only a scheduled save is taken; it begins when that has ended,
    /// unless it is cancelled.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ASaveIsScheduledBehindARewrite(bool isCancelled)
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Run("SET key value");
        server.IsSaverHeld = true;
        Assert.StartsWith("+Background append only file rewriting started", client.Run("BGREWRITEAOF"));
        Assert.Equal("-ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE "
            + "SCHEDULE in order to schedule a BGSAVE whenever possible.", client.Run("BGSAVE"));
        Assert.Equal("+Background saving scheduled", client.Run("BGSAVE SCHEDULE"));
        Assert.Equal("+Background saving scheduled", client.Run("BGSAVE schedule"));
        AssertInfo(client, "rdb_bgsave_in_progress:0", "aof_rewrite_in_progress:1");
        if (isCancelled)
            Assert.Equal("+Scheduled background saving cancelled", client.Run("BGSAVE CANCEL"));
        server.IsSaverHeld = false;
        server.Run();
        AssertInfo(client, "aof_rewrite_in_progress:0", "rdb_saves:0");
        _clock.Advance(200_000);
        server.Run();
        Assert.Equal(!isCancelled, server.Files.Paths.Contains(Path));
        AssertInfo(client, isCancelled ? "rdb_saves:0" : "rdb_saves:1", "rdb_last_bgsave_status:ok");
        Assert.Equal("+Background saving started", client.Run("BGSAVE SCHEDULE"));
        Assert.Equal("-ERR syntax error", client.Run("BGSAVE SCHEDULE CANCEL"));
    }

    [Fact]
    public void ACancelledSaveLeavesNothing()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        Assert.Equal("-ERR Background saving is currently not in progress or scheduled",
            client.Run("BGSAVE CANCEL"));
        client.Run("SET key value");
        server.IsSaverHeld = true;
        client.Run("BGSAVE");
        Assert.Equal("+Background saving cancelled", client.Run("BGSAVE CANCEL"));
        server.IsSaverHeld = false;
        server.Run();
        Assert.Empty(server.Files.Paths);
        AssertInfo(client, "rdb_last_bgsave_status:ok", "rdb_saves:1", "rdb_bgsave_in_progress:0",
            "rdb_last_bgsave_time_sec:0", "rdb_last_cow_size:0");
        client.Run("BGSAVE");
        _clock.Advance(200_000);
        server.Run();
        Assert.Equal([Path], server.Files.Paths);
    }

    [Theory]
    [InlineData("create", "Failed opening the temp RDB file temp-{0}.rdb (in server root dir {1}) "
        + "for saving: ")]
    [InlineData("write", "Write error saving DB on disk(rdbSaveRio): ")]
    [InlineData("flush", "Write error saving DB on disk(fsync): ")]
    [InlineData("rename", "Error moving temp DB file temp-{0}.rdb on the final destination dump.rdb "
        + "(in server root dir {1}): ")]
    [InlineData("names", "Failed to fsync directory while saving DB: ")]
    public void AFailedSaveRefusesWrites(string operation, string line)
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Call("CONFIG", "SET", "save", "3600 1");
        client.Run("SET key value");
        server.Files.Changing = (what, _) => what != operation;
        // What a client was told refuses nothing, as in Redis.
        Assert.Equal("-ERR", client.Run("SAVE"));
        AssertInfo(client, "rdb_last_bgsave_status:ok", "rdb_last_bgsave_time_sec:-1");
        Assert.Equal("+PONG", client.Run("PING"));
        client.Run("BGSAVE");
        server.Run();
        AssertInfo(client, "rdb_last_bgsave_status:err", "rdb_last_bgsave_time_sec:0", "rdb_saves:2");
        Assert.StartsWith("-MISCONF Redis is configured to save RDB snapshots", client.Run("SET key other"));
        Assert.StartsWith("-MISCONF", client.Run("PING"));
        Assert.Equal("$value", client.Run("GET key"));
        string expected = string.Format(CultureInfo.InvariantCulture, line, Environment.ProcessId,
            Directory.GetCurrentDirectory()) + "Input/output error";
        Assert.Contains(server.Log.Lines, one => one.Contains(expected, StringComparison.Ordinal));
        if (operation != "names")
            Assert.Empty(server.Files.Paths);
        client.Run("CONFIG SET stop-writes-on-bgsave-error no");
        Assert.Equal("+OK", client.Run("SET key other"));
        client.Run("CONFIG SET stop-writes-on-bgsave-error yes");
        Assert.StartsWith("-MISCONF", client.Run("SET key other"));
        // Nor where the server saves no more by itself.
        client.Call("CONFIG", "SET", "save", "");
        Assert.Equal("+OK", client.Run("SET key other"));
        client.Call("CONFIG", "SET", "save", "3600 1");
        Assert.StartsWith("-MISCONF", client.Run("SET key other"));
        server.Files.Changing = null;
        Assert.Equal("+OK", client.Run("SAVE"));
        Assert.Equal("+OK", client.Run("SET key other"));
    }

    /// <summary>A file is of version 13 while there is a stream with idempotent producers, however it came
    /// and went.</summary>
    [Theory]
    [InlineData("DEL stream")]
    [InlineData("SET stream 1")]
    [InlineData("FLUSHALL SYNC")]
    [InlineData("EVAL return{redis.call('del','stream')} 1 stream")]
    public void TheVersionFollowsIdempotentProducers(string removal)
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        Assert.Equal(12, SavedVersion());
        client.Run("XADD stream IDMP producer one * field value");
        Assert.Equal(13, SavedVersion());
        client.Run("XADD stream IDMP producer one * field value");
        client.Run("XADD stream IDMP producer two * field value");
        client.Run("COPY stream copy");
        client.Run("XADD copy IDMP producer three * field value");
        client.Run("DEL copy");
        Assert.Equal(13, SavedVersion());
        client.Run(removal);
        server.Run();
        Assert.Equal(12, SavedVersion());
        client.Run("XADD other * field value");
        Assert.Equal(12, SavedVersion());
        client.Run("XCFGSET other IDMP-MAXSIZE 7");
        Assert.Equal(13, SavedVersion());
        client.Run("DEBUG RELOAD");
        Assert.Equal(13, SavedVersion());

        int SavedVersion()
        {
            Assert.Equal("+OK", client.Run("SAVE"));
            return int.Parse(server.Files.Read(Path).AsSpan(5, 4), CultureInfo.InvariantCulture);
        }
    }

    [Fact]
    public void SnapshotsCountAsForks()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        AssertStatistics(client, "total_forks:0", "latest_fork_usec:0");
        client.Run("BGSAVE");
        server.Run();
        client.Run("BGREWRITEAOF");
        server.Run();
        AssertStatistics(client, "total_forks:2");
    }

    [Fact]
    public void AFullDiskKeepsTheFileOfBefore()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Run("SET key value");
        client.Run("SAVE");
        byte[] before = server.Files.Read(Path);
        for (int index = 0; index < 500; index++)
            client.Run($"SET key:{index} {new string('x', 1000)}");
        client.Run("CONFIG SET rdbcompression no");
        server.Files.Capacity = 100_000;
        Assert.Equal("-ERR", client.Run("SAVE"));
        Assert.Equal([Path], server.Files.Paths);
        Assert.Equal(before, server.Files.Read(Path));
    }

    [Fact]
    public void ASlowDiskMakesWritersWait()
    {
        using var server = new TestServer(loopCount: 2, clock: _clock);
        TestClient client = server.Connect();
        TestClient other = server.Connect(loop: 1);
        string value = new('x', 60_000);
        const int KeyCount = 600;
        for (int index = 0; index < KeyCount; index++)
            client.Call("SET", $"key:{index}", value);
        server.IsSaverHeld = true;
        client.Run("BGSAVE");
        int writtenCount = 0;
        for (int index = KeyCount - 1; index >= 0; index--)
        {
            client.Send("SET", $"key:{index}", "small");
            server.Run();
            if (client.Shown() == "")
                break;
            writtenCount++;
        }

        Assert.InRange(writtenCount, 200, 500);
        Assert.True(server.Engine.Gates.Has(ServerGates.WritesHeld));
        Assert.Equal("$60000", "$" + other.Call("STRLEN", "key:0").Integer);
        Assert.InRange(server.Engine.Data.Snapshots.Current!.Snapshot.BacklogBytes, 16 << 20, 17 << 20);
        server.IsSaverHeld = false;
        server.Run();
        Assert.Equal("+OK", client.Shown());
        Assert.False(server.Engine.Gates.Has(ServerGates.WritesHeld));
    }

    [Fact]
    public void FilesMayHaveNamesOfTheirOwn()
    {
        using var server = new TestServer(
            1, _clock, ("dbfilename", "dump-{timestamp}.rdb"), ("snapshot-keep", "2"));
        TestClient client = server.Connect();
        for (int count = 0; count < 4; count++)
        {
            client.Run($"SET key {count}");
            Assert.Equal("+OK", client.Run("SAVE"));
            _clock.Advance(1_000_000);
        }

        Assert.Equal(2, server.Files.Paths.Length);
        Assert.Equal(server.Files.Paths[1], server.Engine.Data.SnapshotPath);
    }

    /// <summary>Behind a clock that was set back, too: it is the one that is loaded.</summary>
    [Fact]
    public void TheFileJustWrittenIsTheNewest()
    {
        var files = new SimulatedFileSystem();
        (string, string)[] directives = [("dbfilename", "dump-{timestamp}.rdb"), ("snapshot-keep", "1")];
        using (TestServer first = TestServer.On(files, _clock, directives))
        {
            TestClient client = first.Connect();
            Assert.Equal("+OK", client.Run("SAVE"));
            string path = files.Paths.Single();
            _clock.JumpTo(_clock.UnixMicroseconds - 3_600_000_000);
            client.Run("SET key value");
            Assert.Equal("+OK", client.Run("SAVE"));
            Assert.NotEqual(path, files.Paths.Single());
        }

        using TestServer server = TestServer.On(files, _clock, directives);
        Assert.Null(server.Load());
        Assert.Equal("$value", server.Connect().Run("GET key"));
    }

    /// <summary>A file whose keys of modules were left out is not deleted for its age either.</summary>
    [Fact]
    public void AnIncompleteFileIsKeptBesideThoseThatAreCounted()
    {
        var files = new SimulatedFileSystem();
        using (TestServer first = TestServer.On(files, _clock, ("dbfilename", "dump-{timestamp}.rdb")))
            Assert.Equal("+OK", first.Connect().Run("SAVE"));
        string path = files.Paths[0];
        files.Put(path, new RdbFileBuilder().Module("m", 1 << 20, "text").String("a", "1").End());
        using TestServer server = TestServer.On(files, _clock, ("dbfilename", "dump-{timestamp}.rdb"),
            ("snapshot-keep", "1"), ("rdb-skip-module-keys", "yes"));
        Assert.Null(server.Load());
        for (int count = 0; count < 3; count++)
        {
            _clock.Advance(1_000_000);
            Assert.Equal("+OK", server.Connect().Run("SAVE"));
        }

        Assert.Equal(2, files.Paths.Length);
        Assert.Contains(path, files.Paths);
    }

    private static string Second(TestClient client, string first, string second)
    {
        client.Run(first);
        return client.Run(second);
    }

    private static void AssertStatistics(TestClient client, params string[] fields)
    {
        string text = client.Run("INFO stats");
        foreach (string field in fields)
            Assert.Contains(field, text, StringComparison.Ordinal);
    }
}
