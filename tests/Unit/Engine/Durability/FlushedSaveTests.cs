using System.IO;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;
using static Cinnabar.Tests.Unit.Engine.Durability.PersistenceInfo;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>The save that FLUSHALL makes, and saves beside a rewrite of the append-only file.</summary>
public sealed class FlushedSaveTests
{
    private readonly ManualClock _clock = new();

    private static string Path => System.IO.Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb");

    /// <summary>As in Redis, a save that is given up has its time, and what FLUSHALL writes is no save of
    /// its own.</summary>
    [Fact]
    public void FlushAllGivesASaveUpAndEmptiesTheFile()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Call("CONFIG", "SET", "save", "3600 1");
        client.Run("SET key value");
        server.IsSaverHeld = true;
        client.Run("BGSAVE");
        AssertInfo(client, "rdb_last_bgsave_time_sec:-1");
        _clock.Advance(2_000_000);
        Assert.Equal("", client.Run("FLUSHALL"));
        server.IsSaverHeld = false;
        server.Run();
        _clock.Advance(200_000);
        server.Run();
        Assert.Equal("+OK", client.Shown());
        Assert.DoesNotContain("key", Saved(server));
        AssertInfo(client, "rdb_changes_since_last_save:0", "rdb_saves:1", "rdb_last_bgsave_time_sec:2",
            "rdb_last_bgsave_status:ok");
        client.Run("SET key value");
        Assert.Equal("+OK", client.Run("FLUSHALL"));
        AssertInfo(client, "rdb_changes_since_last_save:0", "rdb_saves:1");
        client.Call("CONFIG", "SET", "save", "");
        client.Run("SET key value");
        Assert.Equal("+OK", client.Run("FLUSHALL"));
        AssertInfo(client, "rdb_changes_since_last_save:2", "rdb_saves:1");
    }

    /// <summary>Without save points FLUSHALL only gives a save up.</summary>
    [Fact]
    public void FlushAllGivesASaveUpWithoutSavePoints()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Run("SET key value");
        server.IsSaverHeld = true;
        client.Run("BGSAVE");
        Assert.Equal("+OK", client.Run("FLUSHALL"));
        server.IsSaverHeld = false;
        server.Run();
        Assert.Empty(server.Files.Paths);
        AssertInfo(client, "rdb_last_bgsave_status:ok", "rdb_saves:1", "rdb_bgsave_in_progress:0");
    }

    /// <summary>FLUSHALL empties the file at once, in a transaction too, and the rewrite goes on.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void FlushAllDoesNotWaitForARewrite(bool isTransaction)
    {
        using TestServer server = StartRewrite(out TestClient client);
        Assert.Equal("+OK", client.Run("SAVE"));
        Assert.Contains("key\u0005value", Saved(server));
        client.Call("CONFIG", "SET", "save", "3600 1");
        if (isTransaction)
            client.Run("MULTI");
        Assert.Equal(isTransaction ? "+QUEUED" : "+OK", client.Run("FLUSHALL"));
        if (isTransaction)
            Assert.Equal("*[+OK]", client.Run("EXEC"));
        Assert.DoesNotContain("key", Saved(server));
        AssertInfo(client, "rdb_changes_since_last_save:0", "rdb_saves:1", "aof_rewrite_in_progress:1");
        EndRewrite(server, client);
    }

    /// <summary>A disk that fails does not keep FLUSHALL from its reply, as in Redis.</summary>
    [Fact]
    public void FlushAllDoesNotTellOfAFailure()
    {
        using TestServer server = StartRewrite(out TestClient client);
        client.Call("CONFIG", "SET", "save", "3600 1");
        server.Files.Changing = static (what, path) => what != "write" || !path.EndsWith("-held.rdb");
        Assert.Equal("+OK", client.Run("FLUSHALL"));
        Assert.DoesNotContain(Path, server.Files.Paths);
        AssertInfo(client, "rdb_changes_since_last_save:2", "rdb_last_bgsave_status:ok");
        Assert.Contains(
            server.Log.Lines, line => line.Contains("Write error saving DB on disk(rdbSaveRio): "));
        server.Files.Changing = null;
        EndRewrite(server, client);
    }

    /// <summary>As in Redis, SAVE does not wait for a rewrite either.</summary>
    [Fact]
    public void SaveDoesNotWaitForARewrite()
    {
        using TestServer server = StartRewrite(out TestClient client);
        _clock.Advance(5_000_000);
        string before = client.Run("LASTSAVE");
        Assert.Equal("+OK", client.Run("SAVE"));
        Assert.Contains("key\u0005value", Saved(server));
        Assert.NotEqual(before, client.Run("LASTSAVE"));
        AssertInfo(client, "rdb_changes_since_last_save:0", "rdb_saves:1", "aof_rewrite_in_progress:1");
        server.Files.Changing = static (what, path) => what != "write" || !path.EndsWith("-held.rdb");
        Assert.Equal("-ERR", client.Run("SAVE"));
        AssertInfo(client, "rdb_saves:2", "rdb_last_bgsave_status:ok");
        server.Files.Changing = null;
        EndRewrite(server, client);
    }

    private static string Saved(TestServer server) => Encoding.Latin1.GetString(server.Files.Read(Path));

    private TestServer StartRewrite(out TestClient client)
    {
        var server = new TestServer(loopCount: 2, clock: _clock);
        client = server.Connect();
        client.Run("SET key value");
        server.IsSaverHeld = true;
        Assert.StartsWith("+Background append only file rewriting started", client.Run("BGREWRITEAOF"));
        return server;
    }

    private void EndRewrite(TestServer server, TestClient client)
    {
        server.IsSaverHeld = false;
        server.Settle(_clock);
        AssertInfo(client, "aof_rewrite_in_progress:0", "aof_rewrites:1", "aof_last_bgrewrite_status:ok");
    }
}
