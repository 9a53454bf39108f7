using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Unit.Persistence;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>Directives of files that no other test sets, and what they change on the disk.</summary>
public sealed class DurabilityDirectiveTests
{
    private const int ChecksumBytes = 8;

    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();

    /// <summary>Flushes of the increment wait for the end of a save, not longer.</summary>
    [Theory]
    [InlineData("yes", 0)]
    [InlineData("no", 1)]
    public void FlushesMayWaitForASave(string isHeld, int countWhileSaving)
    {
        using TestServer server = Start(("appendonly", "yes"), ("no-appendfsync-on-rewrite", isHeld));
        TestClient client = server.Connect();
        var flushed = new List<string>();
        _files.Changing = (operation, path) =>
        {
            if (operation == "flush" && path.EndsWith(".incr.aof", StringComparison.Ordinal))
                flushed.Add(path);
            return true;
        };
        server.IsSaverHeld = true;
        Assert.StartsWith("+Background saving", client.Run("BGSAVE"), StringComparison.Ordinal);
        client.Run("SET a 1");
        server.Settle(_clock);
        Assert.Equal(countWhileSaving, flushed.Count);
        server.IsSaverHeld = false;
        server.Settle(_clock);
        client.Run("SET a 2");
        server.Settle(_clock);
        Assert.True(flushed.Count > countWhileSaving, "flushes go on behind the save");
    }

    /// <summary>Without a checksum a file ends with zeros, and is loaded whatever it has.</summary>
    [Theory]
    [InlineData("yes")]
    [InlineData("no")]
    public void AFileHasAChecksumOrZeros(string isChecked)
    {
        using (TestServer server = Start(("rdbchecksum", isChecked)))
        {
            TestClient client = server.Connect();
            client.Run("SET a 1");
            Assert.StartsWith("+OK", client.Run("SAVE"), StringComparison.Ordinal);
        }

        byte[] file = _files.Read(Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb"));
        Assert.Equal(isChecked == "no", file.TakeLast(ChecksumBytes).All(static one => one == 0));
        using TestServer next = Start(("rdbchecksum", "yes"));
        Assert.StartsWith("$1", next.Connect().Run("GET a"), StringComparison.Ordinal);
    }

    /// <summary>A file whose checksum is wrong is loaded only where checksums are not looked at.</summary>
    [Fact]
    public void AWrongChecksumMayBeIgnored()
    {
        string path = Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb");
        byte[] file = new RdbFileBuilder().String("a", "1").End();
        file[^1] ^= 1;
        _files.Put(path, file);
        using (TestServer strict = TestServer.On(_files, _clock))
            Assert.Contains("CRC", strict.Load()?.Message, StringComparison.Ordinal);
        using TestServer server = Start(("rdbchecksum", "no"));
        Assert.StartsWith("$1", server.Connect().Run("GET a"), StringComparison.Ordinal);
    }

    /// <summary>A save, or a rewrite whose base is a snapshot or commands, has the disk take every 4 MiB,
    /// and all at the end; or only the latter.</summary>
    [Theory]
    [InlineData("rdb-save-incremental-fsync", "SAVE", "temp-", "yes")]
    [InlineData("aof-rewrite-incremental-fsync", "BGREWRITEAOF", "temp-rewriteaof-", "yes")]
    [InlineData("aof-rewrite-incremental-fsync", "BGREWRITEAOF", "temp-rewriteaof-", "no")]
    public void LongFilesAreFlushedOnTheWay(
        string directive, string command, string temporary, string isSnapshot)
    {
        using TestServer server = Start(("appendonly", command == "SAVE" ? "no" : "yes"),
            ("rdbcompression", "no"), ("aof-use-rdb-preamble", isSnapshot),
            ("auto-aof-rewrite-percentage", "0"));
        TestClient client = server.Connect();
        const int ValueBytes = 1 << 20;
        for (int key = 0; key < 13; key++)
            client.Call("SET", $"key:{key}", new string('x', ValueBytes));
        var flushedBytes = new List<long>();
        long lastBytes = 0;
        _files.Changing = (operation, path) =>
        {
            if (operation == "flush" && path.Contains($"/{temporary}", StringComparison.Ordinal))
            {
                flushedBytes.Add(_files.Read(path).Length - lastBytes);
                lastBytes += flushedBytes[^1];
            }

            return true;
        };
        string other = directive[0] == 'r' ? "aof-rewrite-incremental-fsync" : "rdb-save-incremental-fsync";
        foreach (string isOn in (string[])["yes", "no"])
        {
            client.Run($"CONFIG SET {directive} {isOn} {other} {(isOn == "yes" ? "no" : "yes")}");
            flushedBytes.Clear();
            lastBytes = 0;
            Assert.StartsWith("+", client.Run(command), StringComparison.Ordinal);
            server.Settle(_clock);
            Assert.Equal(isOn == "yes" ? 4 : 1, flushedBytes.Count);
            Assert.InRange(flushedBytes.Sum(), 13 * ValueBytes, 14 * ValueBytes);
            Assert.All(flushedBytes.SkipLast(1), static one => Assert.InRange(one, 4 << 20, 5 << 20));
        }
    }

    [Fact]
    public void WritesOfTheFileSleepWhereDebugSaysSo()
    {
        using TestServer server = Start(("appendonly", "yes"), ("enable-debug-command", "yes"));
        Assert.StartsWith(
            "+OK", server.Connect().Run("DEBUG AOF-FLUSH-SLEEP 7"), StringComparison.Ordinal);
        Assert.Equal(7, server.Engine.Data.Journal.Writer!.SleepUs);
    }

    private TestServer Start(params ReadOnlySpan<(string Directive, string Value)> configuration)
    {
        TestServer server = TestServer.On(_files, _clock, configuration);
        Assert.Null(server.Load());
        return server;
    }
}
