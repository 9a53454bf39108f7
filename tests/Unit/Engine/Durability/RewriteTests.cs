using System;
using System.Linq;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>Rewrites of the append-only file: those that fail, and what they leave.</summary>
public sealed class RewriteTests
{
    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();

    [Fact]
    public void HistoryIsDeletedWhenItIsNoLongerKept()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("CONFIG SET aof-disable-auto-gc yes");
        client.Run("SET a 1");
        Rewrite(server, client);
        Assert.Equal(2, _files.Paths.Count(static path => path.Contains(".base.", StringComparison.Ordinal)));
        client.Run("CONFIG SET aof-disable-auto-gc no");
        Assert.Single(_files.Paths, static path => path.Contains(".base.", StringComparison.Ordinal));
        Assert.Single(_files.Paths, static path => path.Contains(".incr.", StringComparison.Ordinal));
    }

    /// <summary>After three failures the next automatic rewrite waits; one on command does not.</summary>
    [Fact]
    public void AutomaticRewritesThatFailAreLimited()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("SET a 1");
        _files.Changing = static (_, path) => !path.Contains("temp-rewriteaof", StringComparison.Ordinal);
        for (int count = 0; count < 3; count++)
            Rewrite(server, client);
        Assert.Contains("aof_rewrites_consecutive_failures:3", client.Run("INFO persistence"),
            StringComparison.Ordinal);
        Assert.Equal(0, LimitCount(server));
        _files.Changing = null;
        client.Run("CONFIG SET auto-aof-rewrite-min-size 1 auto-aof-rewrite-percentage 1");
        client.Run($"SET b {new string('x', 1000)}");
        Settle(server);
        Assert.Equal(1, LimitCount(server));
        Assert.Contains("aof_rewrites:3", client.Run("INFO persistence"), StringComparison.Ordinal);
        _clock.Advance(microseconds: 61_000_000);
        Settle(server);
        Assert.Contains("aof_rewrites_consecutive_failures:0", client.Run("INFO persistence"),
            StringComparison.Ordinal);
        Assert.Equal(1, LimitCount(server));
    }

    /// <summary>One that has failed is not begun again in the same second.</summary>
    [Fact]
    public void AnAutomaticRewriteThatFailedWaits()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run($"SET a {new string('x', 1000)}");
        _files.Changing = static (_, path) => !path.Contains("temp-rewriteaof", StringComparison.Ordinal);
        client.Run("CONFIG SET auto-aof-rewrite-min-size 1 auto-aof-rewrite-percentage 1");
        for (int step = 0; step < 9; step++)
            Advance();
        AssertFailed(client, failureCount: 1);
        for (int step = 0; step < 6; step++)
            Advance();
        AssertFailed(client, failureCount: 2);

        void Advance()
        {
            _clock.Advance(microseconds: 100_000);
            server.Engine.Data.Journal.Step();
            server.Run();
        }
    }

    /// <summary>One that is given up has not failed.</summary>
    [Fact]
    public void ARewriteThatIsGivenUpIsNoFailure()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("SET a 1");
        server.IsSaverHeld = true;
        Assert.StartsWith("+Background", client.Run("BGREWRITEAOF"), StringComparison.Ordinal);
        Assert.Equal("+OK", client.Run("CONFIG SET appendonly no"));
        server.IsSaverHeld = false;
        Settle(server);
        string told = client.Run("INFO persistence");
        Assert.Contains("aof_rewrite_in_progress:0", told, StringComparison.Ordinal);
        Assert.Contains("aof_last_bgrewrite_status:ok", told, StringComparison.Ordinal);
        Assert.Contains("aof_rewrites_consecutive_failures:0", told, StringComparison.Ordinal);
    }

    /// <summary>Neither is one that is complete, and has not ended because the files are being
    /// loaded.</summary>
    [Fact]
    public void ACompleteRewriteThatIsGivenUpIsNotAdopted()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("SET a 1");
        JournalRewrites rewrites = server.Engine.Data.Rewrites;
        rewrites.Hold(isHeld: true);
        Rewrite(server, client);
        Assert.True(rewrites.IsUnderWay);
        rewrites.Kill();
        rewrites.Hold(isHeld: false);
        Settle(server);
        Assert.False(rewrites.IsUnderWay);
        Assert.DoesNotContain(
            _files.Paths, static path => path.Contains(".2.base.", StringComparison.Ordinal));
        Assert.DoesNotContain(server.Log.Lines, static line =>
            line.Contains("Background AOF rewrite", StringComparison.Ordinal));
        Assert.Contains("aof_rewrites_consecutive_failures:0", client.Run("INFO persistence"),
            StringComparison.Ordinal);
        Rewrite(server, client);
        Assert.Contains(_files.Paths, static path => path.Contains(".2.base.", StringComparison.Ordinal));
    }

    [Fact]
    public void ItsTimeIsNotThatOfTheWallClock()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        JournalRewrites rewrites = server.Engine.Data.Rewrites;
        rewrites.Hold(isHeld: true);
        Rewrite(server, client);
        _clock.JumpTo(_clock.UnixMicroseconds - 3_600_000_000);
        Assert.Contains("aof_current_rewrite_time_sec:2", client.Run("INFO persistence"),
            StringComparison.Ordinal);
        rewrites.Hold(isHeld: false);
        Assert.Contains("aof_last_rewrite_time_sec:2", client.Run("INFO persistence"),
            StringComparison.Ordinal);
    }

    /// <summary>A command of another loop may begin to save while the cron looks.</summary>
    [Fact]
    public void AnAutomaticRewriteWaitsForASaveThatWasFirst()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run($"SET a {new string('x', 1000)}");
        server.IsSaverHeld = true;
        server.Log.Written = line =>
        {
            if (line.StartsWith("Starting automatic rewriting", StringComparison.Ordinal))
                Save();
        };
        client.Run("CONFIG SET auto-aof-rewrite-min-size 1 auto-aof-rewrite-percentage 1");
        Settle(server);
        AssertTold("rdb_bgsave_in_progress:1", "aof_rewrite_in_progress:0", "aof_rewrites:0");
        server.Log.Written = null;
        server.IsSaverHeld = false;
        Settle(server);
        AssertTold("rdb_saves:1", "aof_rewrites:1", "aof_last_bgrewrite_status:ok");

        void Save() => AllStripes.TryRun(
            server.Engine.Keyspace, () => server.Engine.Data.Saves.Begin(SaveKind.Background));

        void AssertTold(params string[] fields)
        {
            string told = client.Run("INFO persistence");
            Assert.All(fields, field => Assert.Contains(field, told, StringComparison.Ordinal));
        }
    }

    /// <summary>What the log and INFO say is what Redis says: the reason with the system's text.</summary>
    [Theory]
    [InlineData("yes")]
    [InlineData("no")]
    public void ARewriteThatFailsSaysWhy(string isSnapshot)
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run($"CONFIG SET aof-use-rdb-preamble {isSnapshot}");
        client.Run("SET a 1");
        _files.Changing = static (operation, path) =>
            operation != "create" || !path.Contains("temp-rewriteaof", StringComparison.Ordinal);
        Rewrite(server, client);
        AssertLogged(server,
            "Opening the temp file for AOF rewrite in rewriteAppendOnlyFile(): Input/output error");
        AssertFailed(client, failureCount: 1);
        _files.Changing = static (operation, path) =>
            operation != "write" || !path.Contains("temp-rewriteaof", StringComparison.Ordinal);
        Rewrite(server, client);
        AssertLogged(server, "Write error writing append only file on disk: Input/output error");
        AssertFailed(client, failureCount: 2);
        _files.Changing = static (operation, path) =>
            operation != "rename" || !path.Contains("temp-rewriteaof", StringComparison.Ordinal);
        Rewrite(server, client);
        AssertLogged(
            server, "Error moving temp append only file on the final destination: Input/output error");
        AssertFailed(client, failureCount: 3);
        Assert.DoesNotContain(
            server.Log.Lines, static line => line.Contains("stays behind", StringComparison.Ordinal));
        _files.Changing = null;
        Rewrite(server, client);
        Assert.Contains(
            "aof_last_bgrewrite_status:ok", client.Run("INFO persistence"), StringComparison.Ordinal);
    }

    /// <summary>A base whose temporary name may not be on the disk becomes none.</summary>
    [Fact]
    public void ABaseOfDoubtfulNameIsNotAdopted()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("SET a 1");
        _files.Changing = static (operation, path) =>
            operation != "names" || path.EndsWith("appendonlydir", StringComparison.Ordinal);
        Rewrite(server, client);
        AssertFailed(client, failureCount: 1);
        Assert.DoesNotContain(
            _files.Paths, static path => path.Contains(".2.base.", StringComparison.Ordinal));
    }

    /// <summary>Where the next increment cannot be made the command fails; that is not counted.</summary>
    [Fact]
    public void ARewriteThatCannotBeginSaysWhy()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        _files.Changing = static (operation, _) => operation != "create";
        Assert.Equal("-ERR Can't execute an AOF background rewriting. Please check the server logs for more "
            + "information.", client.Run("BGREWRITEAOF").TrimEnd());
        AssertLogged(server, "Can't open the append-only file appendonly.aof.2.incr.aof: Input/output error");
        AssertFailed(client, failureCount: 0);
    }

    /// <summary>As in Redis, also a rewrite without an append-only file needs the file's directory.</summary>
    [Fact]
    public void WithoutADirectoryNoneBegins()
    {
        using TestServer server = Start("no");
        TestClient client = server.Connect();
        _files.Put(server.Engine.Data.AppendOnly.Directory.DirectoryPath, "a file"u8);
        Assert.StartsWith("-ERR Can't execute", client.Run("BGREWRITEAOF"), StringComparison.Ordinal);
        AssertLogged(server, "Can't open or create append-only dir appendonlydir: Not a directory");
        AssertFailed(client, failureCount: 0);
    }

    private static void AssertFailed(TestClient client, int failureCount)
    {
        string told = client.Run("INFO persistence");
        Assert.Contains("aof_last_bgrewrite_status:err", told, StringComparison.Ordinal);
        Assert.Contains(
            $"aof_rewrites_consecutive_failures:{failureCount}", told, StringComparison.Ordinal);
    }

    private static void AssertLogged(TestServer server, string text) => Assert.Contains(
        server.Log.Lines, line => line.Contains(text, StringComparison.Ordinal));

    private static int LimitCount(TestServer server) => server.Log.Lines.Count(static line =>
        line.Contains("triggered the limit, will retry in 1 minutes", StringComparison.Ordinal));

    private void Rewrite(TestServer server, TestClient client)
    {
        Assert.StartsWith("+Background", client.Run("BGREWRITEAOF"), StringComparison.Ordinal);
        Settle(server);
    }

    private void Settle(TestServer server)
    {
        for (int step = 0; step < 10; step++)
        {
            _clock.Advance(microseconds: 200_000);
            server.Engine.Data.Journal.Step();
            server.Run();
        }
    }

    private TestServer Start(string isAppendOnly = "yes")
    {
        TestServer server = TestServer.On(
            _files, _clock, ("appendonly", isAppendOnly), ("auto-aof-rewrite-percentage", "0"));
        Assert.Null(server.Load());
        return server;
    }
}
