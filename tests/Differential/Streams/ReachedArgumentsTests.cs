using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Differential.Sets;
using Cinnabar.Tests.Differential.StreamType;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>The random streams come to every command of the data types, and to every option of each, as
/// redis-server describes them.</summary>
public sealed class ReachedArgumentsTests
{
    private const int RoundCountMax = 20;
    private const int CommandCount = 1_000;

    private static readonly HashSet<string> s_groups =
        ["list", "set", "hash", "sorted-set", "stream", "hyperloglog", "geo"];

    // Commands that wait are compared in BlockingOracleTests; the replies of the others cannot be predicted.
    private static readonly HashSet<string> s_left =
        ["pfselftest", "blmove", "blmpop", "blpop", "brpop", "brpoplpush", "bzmpop", "bzpopmax", "bzpopmin"];

    [Fact]
    public void EveryCommandAndOptionIsWeighed()
    {
        using Duel duel = Duel.Start(seconds: 0, protocol: 2);
        var reached = new ReachedArguments(Docs(duel));
        duel.Heard = reached.Note;
        // Other tests compare.
        duel.IsAllowed = static (_, _, _) => true;
        var streamCommands = new StreamCommands(duel.Random);
        Action[] streams = Streams(duel, streamCommands);
        for (int round = 0; round < RoundCountMax && reached.Missing().Count > 0; round++)
        {
            foreach (Action next in streams)
            {
                for (int count = 0; count < CommandCount; count++)
                    next();
                duel.Exchange("DISCARD");
                streamCommands.EndTransaction();
                duel.Exchange("FLUSHALL");
            }
        }

        List<string> missing = reached.Missing();
        Assert.True(missing.Count == 0, $"not reached: {string.Join(", ", missing)}; seed {duel.Seed}");
    }

    private static Action[] Streams(Duel duel, StreamCommands streams)
    {
        var lists = new ListStream(duel.Seed);
        var hashes = new HashStream(duel.Seed, duel.IsOracleOld);
        var sets = new SetStream(duel.Random);
        var sortedSets = new SortedSetStream(duel.Seed, duel.IsOracleOld);
        CommandStream[] families = [.. CommandFamily.Names.Select(
            name => new CommandStream(duel.AskRedis, duel.Seed, CommandFamily.CommandsOf(name)))];
        return
        [
            () => duel.Exchange(lists.Next()),
            () => duel.Exchange(hashes.Next()),
            () => duel.Exchange(sets.Next()),
            () => duel.Exchange(sortedSets.Next()),
            () => duel.Exchange(streams.Next()),
            () => GeoStreamTests.Step(duel),
            () => SortStreamTests.Step(duel),
            () => HyperLogLogStreamTests.Step(duel),
            .. families.Select<CommandStream, Action>(family => () => duel.Exchange(family.Next())),
        ];
    }

    private static Dictionary<string, RespValue> Docs(Duel duel)
    {
        var docs = new Dictionary<string, RespValue>();
        foreach (RespValue[] pair in duel.AskRedis("COMMAND", "DOCS").Items.Chunk(2))
        {
            (string name, RespValue command) = (pair[0].Text, pair[1]);
            bool isSort = name is "sort" or "sort_ro";
            if (!isSort && (!s_groups.Contains(command["group"]!.Text) || s_left.Contains(name)))
                continue;
            if (command["subcommands"] is not { } subcommands)
            {
                docs.Add(name, command);
                continue;
            }

            foreach (RespValue[] one in subcommands.Items.Chunk(2))
                docs.Add(one[0].Text, one[1]);
        }

        return docs;
    }
}
