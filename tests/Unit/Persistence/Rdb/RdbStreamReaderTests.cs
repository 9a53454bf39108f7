using System;
using System.Linq;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Commands;
using Cinnabar.Tests.Support.Durability;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Rdb;

/// <summary>Streams of every version of the encoding, written independently of the product.</summary>
public sealed class RdbStreamReaderTests
{
    private const int Rounds = 60;

    [Theory]
    [InlineData(RdbType.StreamListpacks)]
    [InlineData(RdbType.StreamListpacks2)]
    [InlineData(RdbType.StreamListpacks3)]
    [InlineData(RdbType.StreamListpacks4)]
    public void CommandsReadWhatWasWritten(RdbType type)
    {
        var random = new Random((int)Seeded.Seed());
        using CommandHarness harness = DataCommands.NewHarness();
        using var loader = new RdbValueLoader(harness.Execution.Keys);
        for (int round = 0; round < Rounds; round++)
        {
            var stream = new RandomStream(random, type);
            byte[] bytes = stream.ToArray();
            LoadedKey.Load(harness, loader, type, bytes);
            Compare(harness, stream);
            var cursor = new RdbCursor(bytes);
            RdbValueSkipper.Skip(ref cursor, type);
            Assert.Equal(0, cursor.Left);
            string next = $"{stream.LastId.Ms}-{stream.LastId.Sequence + 1}";
            Assert.Contains(next, harness.Run($"XADD K {next} a b"));
            Assert.Equal(":1\r\n", harness.Run("DEL K"));
        }
    }

    private static void Compare(CommandHarness harness, RandomStream stream)
    {
        Assert.Equal(stream.Entries.SelectMany(entry => entry.Fields.Prepend(entry.Id)),
            LoadedKey.Elements(harness.Run("XRANGE K - +")));
        var reversed = stream.Entries.AsEnumerable().Reverse();
        Assert.Equal(reversed.SelectMany(entry => entry.Fields.Prepend(entry.Id)),
            LoadedKey.Elements(harness.Run("XREVRANGE K + -")));
        foreach (var (name, lastId, pending, consumers) in stream.Groups)
        {
            string[] read = LoadedKey.Elements(harness.Run($"XPENDING K {name} - + 1000"));
            Assert.Equal(pending.SelectMany(entry => new[] { entry.Id, entry.Consumer, $"{entry.Count}" }),
                read.Where((_, index) => index % 4 != 2));
            foreach (string consumer in consumers)
            {
                read = LoadedKey.Elements(harness.Run($"XREADGROUP GROUP {name} {consumer} STREAMS K 0"));
                Assert.Equal(pending.Count(entry => entry.Consumer == consumer),
                    read.Count(element => pending.Any(entry => entry.Id == element)));
            }

            Assert.Contains(lastId, LoadedKey.Elements(harness.Run("XINFO GROUPS K")));
        }

        if (stream.Produced.Count == 0)
            return;
        string[] figures = LoadedKey.Elements(harness.Run("XINFO STREAM K"));
        Assert.Equal($"{stream.Produced.Count}", figures[Array.IndexOf(figures, "iids-tracked") + 1]);
        Assert.Equal("3", figures[Array.IndexOf(figures, "iids-duplicates") + 1]);
    }
}
