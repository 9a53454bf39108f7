using System;
using System.IO;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>CONFIG SET dir while files are being written.</summary>
public sealed class DirectoryChangeTests : IDisposable
{
    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();
    // The directive asks the system for the directories, whose files are simulated.
    private readonly string _first = Directory.CreateTempSubdirectory("cinnabar-dir-").FullName;
    private readonly string _second = Directory.CreateTempSubdirectory("cinnabar-dir-").FullName;

    public DirectoryChangeTests()
    {
        _files.CreateDirectory(_first);
        _files.CreateDirectory(_second);
    }

    public void Dispose()
    {
        Directory.Delete(_first);
        Directory.Delete(_second);
    }

    /// <summary>As in Redis, a save ends where it began, and the next one is in the new directory.</summary>
    [Fact]
    public void ASaveEndsWhereItBegan()
    {
        using TestServer server = Start(_first);
        TestClient client = server.Connect();
        client.Run("SET a 1");
        server.IsSaverHeld = true;
        client.Run("BGSAVE");
        Move(client);
        server.IsSaverHeld = false;
        server.Settle(_clock);
        Assert.Equal(["dump.rdb"], NamesIn(_first));
        Assert.Empty(NamesIn(_second));
        Assert.Equal("+OK", client.Run("SAVE"));
        Assert.Equal(["dump.rdb"], NamesIn(_second));
    }

    /// <summary>Old files are deleted beside the one that was saved.</summary>
    [Fact]
    public void OldFilesAreDeletedWhereItBegan()
    {
        using TestServer server = Start(_first, ("dbfilename", "{timestamp}.rdb"), ("snapshot-keep", "1"));
        TestClient client = server.Connect();
        Assert.Equal("+OK", client.Run("SAVE"));
        string before = Assert.Single(NamesIn(_first));
        _clock.Advance(microseconds: 1_000_000);
        server.IsSaverHeld = true;
        client.Run("BGSAVE");
        Move(client);
        server.IsSaverHeld = false;
        server.Settle(_clock);
        Assert.NotEqual(before, Assert.Single(NamesIn(_first)));
    }

    /// <summary>The append-only file stays where it is, whole, also through rewrites.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void TheAppendOnlyFileStays(bool isRewriting)
    {
        string digest;
        using (TestServer server = Start(_first, ("appendonly", "yes")))
        {
            TestClient client = server.Connect();
            client.Run("SET a 1");
            server.IsSaverHeld = true;
            if (isRewriting)
                client.Run("BGREWRITEAOF");
            server.Settle(_clock);
            // Another file system: nothing can be renamed into it.
            _files.Changing = (_, path) => !path.StartsWith(_second, StringComparison.Ordinal);
            Move(client);
            client.Run("SET b 2");
            server.IsSaverHeld = false;
            if (!isRewriting)
                client.Run("BGREWRITEAOF");
            server.Settle(_clock);
            Assert.Contains("aof_rewrites:1\r\naof_rewrites_consecutive_failures:0",
                client.Call("INFO", "persistence").Text, StringComparison.Ordinal);
            client.Run("SET c 3");
            digest = client.Run("DEBUG DIGEST");
            Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
            Assert.Equal(digest, client.Run("DEBUG DIGEST"));
            Assert.Contains(server.Log.Lines, line => line.Contains(
                $"The append-only file stays in {_first} until", StringComparison.Ordinal));
        }

        Assert.Empty(NamesIn(_second));
        Assert.Empty(NamesIn(_first));
        Assert.Equal(digest, DigestOf(_first));
    }

    /// <summary>Switched off and on it is in the new directory.</summary>
    [Fact]
    public void SwitchedOnAgainItIsInTheNewDirectory()
    {
        string digest;
        using (TestServer server = Start(_first, ("appendonly", "yes")))
        {
            TestClient client = server.Connect();
            client.Run("SET a 1");
            Move(client);
            client.Run("CONFIG SET appendonly no");
            server.Settle(_clock);
            string[] before = NamesIn(Path.Combine(_first, "appendonlydir"));
            client.Run("CONFIG SET appendonly yes");
            server.Settle(_clock);
            client.Run("SET b 2");
            digest = client.Run("DEBUG DIGEST");
            Assert.Equal(before, NamesIn(Path.Combine(_first, "appendonlydir")));
        }

        Assert.Equal(digest, DigestOf(_second));
        Assert.NotEqual(digest, DigestOf(_first));
    }

    private string DigestOf(string directory)
    {
        using TestServer server = Start(directory, ("appendonly", "yes"));
        return server.Connect().Run("DEBUG DIGEST");
    }

    private void Move(TestClient client) =>
        Assert.Equal("+OK", client.Call("CONFIG", "SET", "dir", _second).ToString());

    private string[] NamesIn(string directory) => _files.FilesIn(directory);

    private TestServer Start(
        string directory, params ReadOnlySpan<(string Directive, string Value)> configuration)
    {
        TestServer server = TestServer.On(_files, _clock, [("dir", directory),
            ("enable-protected-configs", "yes"), ("enable-debug-command", "yes"),
            ("auto-aof-rewrite-percentage", "0"), .. configuration]);
        Assert.Null(server.Load());
        return server;
    }
}
