using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Commands;
using Cinnabar.Tests.Support.Durability;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Rdb;

/// <summary>Values of every encoding, written independently of the product, are what commands then
/// read.</summary>
public sealed unsafe class RdbValueLoaderTests
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
            Load(harness, loader, type, bytes);
            foreach ((string[] command, string[] reply, bool isSorted) in value.Expected)
            {
                string[] read = Elements(harness.RunWords(command));
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

    private static void Load(CommandHarness harness, RdbValueLoader loader, RdbType type, byte[] bytes)
    {
        byte[] name = "K"u8.ToArray();
        fixed (byte* data = name)
        {
            var cursor = new RdbCursor(bytes);
            var key = new Key(data, name.Length, harness.Keyspace.Hash(name));
            harness.Execution.Keys.Begin(0, harness.NowMs);
            loader.Load(harness.Execution.Keys, in key, type, ref cursor, RdbLoadOptions.None);
            harness.Execution.Keys.Commit();
            Assert.Equal(0, cursor.Left);
        }
    }

    // The elements of a reply: one, or an array of some.
    private static string[] Elements(string reply)
    {
        var elements = new List<string>();
        int at = 0;
        while (at < reply.Length)
        {
            int end = reply.IndexOf("\r\n", at, StringComparison.Ordinal);
            string line = reply[(at + 1)..end];
            char kind = reply[at];
            at = end + 2;
            if (kind == '*')
                continue;
            if (kind == '$')
            {
                int length = int.Parse(line);
                line = reply.Substring(at, length);
                at += length + 2;
            }

            elements.Add(line);
        }

        return [.. elements];
    }
}
