using System;
using System.Linq;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Commands;
using Cinnabar.Tests.Support.Durability;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Rdb;

/// <summary>Values of every encoding, written independently of the product, are what commands then
/// read.</summary>
public sealed class RdbValueLoaderTests
{
    private const int Rounds = 60;

    public static TheoryData<RdbType> Types => new(Enum.GetValues<RdbType>().Where(type => type is
        not (RdbType.Module2 or RdbType.ModulePreGa or RdbType.StreamListpacks or RdbType.StreamListpacks2
        or RdbType.StreamListpacks3 or RdbType.StreamListpacks4)));

    [Theory]
    [MemberData(nameof(Types))]
    public void CommandsReadWhatWasWritten(RdbType type)
    {
        var random = new Random((int)Seeded.Seed());
        using CommandHarness harness = DataCommands.NewHarness();
        using var loader = new RdbValueLoader(harness.Execution.Keys);
        for (int round = 0; round < Rounds; round++)
        {
            var value = new RandomValue(random, type);
            byte[] bytes = value.ToArray();
            LoadedKey.Load(harness, loader, type, bytes);
            foreach ((string[] command, string[] reply, bool isSorted) in value.Expected)
            {
                string[] read = LoadedKey.Elements(harness.RunWords(command));
                if (isSorted)
                    Array.Sort(read, StringComparer.Ordinal);
                Assert.Equal(reply, read);
            }

            var cursor = new RdbCursor(bytes);
            RdbValueSkipper.Skip(ref cursor, type);
            Assert.Equal(0, cursor.Left);
            Assert.Equal(":1\r\n", harness.Run("DEL K"));
        }
    }
}
