using System;
using System.IO;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Platform.Files;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>What the writer of a file counts. Differential tests have redis-server read files.</summary>
public sealed class RdbFileWriterTests
{
    private const int KeyCount = 150;

    [Fact]
    public void LengthAndCountAreThoseOfTheFile() => Seeded.Run(1, seed =>
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        foreach (string[] words in new RandomKeys(new Random((int)seed)).Commands(KeyCount))
            Assert.NotEqual('-', client.Call(words).Kind);
        var options = new RdbFileOptions { NowMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds() };
        using StoredFile file = server.Files.Open(Path.GetFullPath("dump.rdb"), FileUse.Create);
        using var writer = new RdbFileWriter(file, in options);
        long count = 0;
        var access = new KeyspaceAccess(server.Engine.Keyspace, new KeyspaceStatistics());
        for (int database = 0; database < server.Engine.Keyspace.DatabaseCount; database++)
        {
            long countOfOne = server.Engine.Keyspace.Count(database);
            if (countOfOne == 0)
                continue;
            count += countOfOne;
            access.Begin(database, options.NowMs);
            writer.SelectDatabase(database);
            writer.WriteSizes(countOfOne, server.Engine.Keyspace.VolatileCount(database));
            var visitor = new WritingVisitor(writer);
            KeyScan.Visit(access, 0, 0, ref visitor);
        }

        writer.Finish();
        Assert.Equal(file.Length, writer.Length);
        Assert.Equal(count, writer.Count);
        Assert.True(count > KeyCount / 2);
    });

    private readonly struct WritingVisitor(RdbFileWriter writer) : IKeyVisitor
    {
        public void Visit(EntryView entry) => writer.WriteEntry(entry);
    }
}
