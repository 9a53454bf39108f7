using System;
using System.Globalization;
using System.IO;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;
using static Cinnabar.Tests.Unit.Engine.Durability.PersistenceInfo;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>Saves that the server begins by itself.</summary>
public sealed class SavePointTests
{
    private readonly ManualClock _clock = new();

    private static string Path => System.IO.Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb");

    [Fact]
    public void SavePointsSave()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Call("CONFIG", "SET", "save", "10 2");
        client.Run("SET key value");
        _clock.Advance(11_000_000);
        server.Run();
        Assert.Empty(server.Files.Paths);
        client.Run("SET other value");
        _clock.Advance(200_000);
        server.Run();
        Assert.Equal([Path], server.Files.Paths);
        Assert.Contains(server.Log.Lines, line => line.Contains("2 changes in 10 seconds. Saving..."));
    }

    /// <summary>A save that has failed is tried again, but not within five seconds.</summary>
    [Fact]
    public void ASavePointThatFailedWaits()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Call("CONFIG", "SET", "save", "1 1");
        client.Run("SET key value");
        server.Files.Changing = static (_, _) => false;
        AdvanceEach(seconds: 2);
        AssertInfo(client, "rdb_last_bgsave_status:err", "rdb_saves:1");
        AdvanceEach(seconds: 3);
        AssertInfo(client, "rdb_saves:1");
        server.Files.Changing = null;
        AdvanceEach(seconds: 4);
        AssertInfo(client, "rdb_last_bgsave_status:ok", "rdb_saves:2");

        void AdvanceEach(int seconds)
        {
            for (int count = 0; count < seconds; count++)
                Advance(server, seconds: 1);
        }
    }

    [Fact]
    public void TheClockSavesToo()
    {
        using var server = new TestServer(1, _clock, ("save-cron", "*/5 * * * *"));
        TestClient client = server.Connect();
        client.Run("SET key value");
        // Twice a minute: it saves once in one.
        for (int half = 0; half < 22; half++)
        {
            _clock.Advance(30_000_000);
            server.Run();
        }

        AssertInfo(client, "rdb_saves:2");
    }

    /// <summary>The minute that the server starts in, or the directive is set in, has begun.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheClockSavesWhenAMinuteBegins(bool isSetLater)
    {
        long minute = _clock.UnixMicroseconds / 60_000_000 % 60;
        string schedule = string.Create(CultureInfo.InvariantCulture, $"{minute} * * * *");
        using var server = new TestServer(1, _clock, ("save-cron", isSetLater ? "" : schedule));
        TestClient client = server.Connect();
        Advance(server, seconds: 1);
        client.Call("CONFIG", "SET", "save-cron", schedule);
        for (int step = 0; step < 58; step++)
            Advance(server, seconds: 60);
        AssertInfo(client, "rdb_saves:0");
        Advance(server, seconds: 120);
        AssertInfo(client, "rdb_saves:1");
    }

    /// <summary>A minute that nobody looked in counts, once; one that comes again does not.</summary>
    [Fact]
    public void TheClockMayJump()
    {
        long minute = ((_clock.UnixMicroseconds / 60_000_000) + 2) % 60;
        using var server = new TestServer(
            1, _clock, ("save-cron", string.Create(CultureInfo.InvariantCulture, $"{minute} * * * *")));
        TestClient client = server.Connect();
        Advance(server, seconds: 180);
        AssertInfo(client, "rdb_saves:1");
        _clock.JumpTo(_clock.UnixMicroseconds - 120_000_000);
        Advance(server, seconds: 60);
        Advance(server, seconds: 60);
        AssertInfo(client, "rdb_saves:1");
        _clock.JumpTo(_clock.UnixMicroseconds - (2 * 86_400_000_000));
        for (int step = 0; step < 61; step++)
            Advance(server, seconds: 60);
        AssertInfo(client, "rdb_saves:2");
    }

    /// <summary>The cron looks before it has the stripes: a command may be first.</summary>
    [Fact]
    public void ASnapshotThatBeganMeanwhileIsTheOnlyOne()
    {
        using var server = new TestServer(1, _clock);
        int count = 0;
        server.Engine.Data.Snapshots.TryBegin(() => count++);
        Assert.Equal(1, count);
        server.IsSaverHeld = true;
        server.Connect().Run("BGSAVE");
        server.Engine.Data.Snapshots.TryBegin(() => count++);
        Assert.Equal(1, count);
    }

    /// <summary>What the clock wants while a rewrite is under way follows it.</summary>
    [Fact]
    public void TheClockWaitsForARewrite()
    {
        using var server = new TestServer(1, _clock, ("save-cron", "*/5 * * * *"));
        TestClient client = server.Connect();
        server.IsSaverHeld = true;
        client.Run("BGREWRITEAOF");
        for (int step = 0; step < 6; step++)
            Advance(server, seconds: 60);
        AssertInfo(client, "rdb_saves:0", "aof_rewrite_in_progress:1");
        server.IsSaverHeld = false;
        server.Run();
        Advance(server, seconds: 1);
        AssertInfo(client, "rdb_saves:1", "rdb_last_bgsave_status:ok");
    }

    /// <summary>A server that saves by the clock saves at its end, empties the file in FLUSHALL and refuses
    /// writes that it cannot save, as at save points.</summary>
    [Fact]
    public void TheClockIsASavePoint()
    {
        using var server = new TestServer(1, _clock, ("save-cron", "0 0 1 1 *"));
        TestClient client = server.Connect();
        client.Run("SET key value");
        server.Files.Changing = static (_, _) => false;
        client.Run("BGSAVE");
        Assert.StartsWith("-MISCONF", client.Run("SET key other"), StringComparison.Ordinal);
        client.Call("CONFIG", "SET", "save-cron", "");
        Assert.Equal("+OK", client.Run("SET key other"));
        client.Call("CONFIG", "SET", "save-cron", "0 0 1 1 *");
        Assert.StartsWith("-MISCONF", client.Run("SET key other"), StringComparison.Ordinal);
        server.Files.Changing = null;
        client.Run("BGSAVE");
        long fullLength = server.Files.Read(Path).Length;
        Assert.Equal("+OK", client.Run("FLUSHALL"));
        long emptyLength = server.Files.Read(Path).Length;
        Assert.InRange(emptyLength, 1, fullLength - 1);
        client.Run("SET key value");
        bool? isSaved = null;
        server.Engine.Data.Ending.Prepare(isInterrupt: false, result => isSaved = result);
        Advance(server, seconds: 1);
        Assert.True(isSaved);
        Assert.InRange(server.Files.Read(Path).Length, emptyLength + 1, long.MaxValue);
    }

    private void Advance(TestServer server, int seconds)
    {
        _clock.Advance(seconds * 1_000_000L);
        server.Run();
    }
}
