using System;
using System.Diagnostics;
using System.IO;
using Cinnabar.Engine;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Platform.Files;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Durability;

/// <summary>Files that are written here, read by Debian's redis-check-rdb and redis-server.</summary>
public sealed class RdbFileWriterTests
{
    private const string Checker = "redis-check-rdb";
    private const int KeyCount = 150;

    [Theory]
    [InlineData("6.2", true)]
    [InlineData("7.0", true)]
    [InlineData("7.0", false)]
    public void RedisLoadsTheSameData(string level, bool isCompressed)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        Seeded.Run(1, seed =>
        {
            using var server = new TestServer(configuration:
                [("list-compress-depth", seed % 2 == 0 ? "1" : "0"), ("enable-debug-command", "yes")]);
            TestClient client = server.Connect();
            foreach (string[] words in new RandomKeys(new Random((int)seed)).Commands(KeyCount))
                Assert.NotEqual('-', client.Call(words).Kind);
            DirectoryInfo directory = Directory.CreateTempSubdirectory("cinnabar-rdb-");
            string path = Path.Combine(directory.FullName, "dump.rdb");
            var options = new RdbFileOptions
            {
                Compatibility = RdbCompatibilityNames.Of(level),
                IsCompressed = isCompressed,
                IsChecked = isCompressed,
                Use = isCompressed ? RdbUse.Idle : RdbUse.None,
                NowMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds(),
            };
            WriteAll(server.Engine, path, in options);
            Check(path);
            using OracleServer oracle = OracleServer.Start("--dir", directory.FullName,
                "--dbfilename", "dump.rdb", "--enable-debug-command", "yes");
            using RespClient redis = oracle.Connect();
            Assert.Equal($"{client.Call("DEBUG", "DIGEST")}", $"{redis.Call("DEBUG", "DIGEST")}");
            directory.Delete(recursive: true);
        });
    }

    private static void Check(string path)
    {
        var start = new ProcessStartInfo(Checker, path) { RedirectStandardOutput = true };
        using Process check = Process.Start(start)!;
        string output = check.StandardOutput.ReadToEnd();
        check.WaitForExit();
        Assert.True(check.ExitCode == 0, output);
        Assert.Contains("RDB looks OK!", output, StringComparison.Ordinal);
    }

    private static void WriteAll(ServerEngine engine, string path, in RdbFileOptions options)
    {
        using StoredFile file = FileSystem.System.Open(path, FileUse.Create);
        using var writer = new RdbFileWriter(file, in options);
        writer.WriteAux("redis-ver", "7.0.15");
        writer.WriteAux("redis-bits", "64");
        var access = new KeyspaceAccess(engine.Keyspace, new KeyspaceStatistics());
        for (int database = 0; database < engine.Keyspace.DatabaseCount; database++)
        {
            if (engine.Keyspace.Count(database) == 0)
                continue;
            access.Begin(database, options.NowMs);
            writer.SelectDatabase(database);
            writer.WriteSizes(engine.Keyspace.Count(database), engine.Keyspace.VolatileCount(database));
            var visitor = new WritingVisitor(writer);
            KeyScan.Visit(access, 0, 0, ref visitor);
        }

        writer.Finish();
        Assert.Equal(writer.Length, file.Length);
        Assert.True(writer.Count > KeyCount / 2);
    }

    private readonly struct WritingVisitor(RdbFileWriter writer) : IKeyVisitor
    {
        public void Visit(EntryView entry) => writer.WriteEntry(entry);
    }
}
