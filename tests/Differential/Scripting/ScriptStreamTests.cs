using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Differential.Streams;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Scripting;

/// <summary>Random commands of all types, several in a script, to redis-server and to the engine: every reply
/// is compared, and at checkpoints all that the servers hold.</summary>
public sealed class ScriptStreamTests
{
    private const int ScriptsPerCheckpoint = 150;

    // ARGV: for each command the number of its words, and these.
    private const string Script = "local out, at = {}, 1 while at <= #ARGV do local words = {} "
        + "for i = 1, tonumber(ARGV[at]) do words[i] = ARGV[at + i] end "
        + "out[#out + 1] = redis.pcall(unpack(words)) at = at + #words + 1 end return out";

    // What a script may not call.
    private static readonly string[] s_skipped =
        ["multi", "exec", "discard", "watch", "unwatch", "pubsub|channels", "pubsub|numsub"];

    /// <summary>Keys are declared or not; every other script has a text of its own, of which nothing is
    /// remembered.</summary>
    [Theory]
    [InlineData("strings")]
    [InlineData("lists")]
    [InlineData("hashes")]
    [InlineData("sets")]
    [InlineData("sortedsets")]
    [InlineData("streams")]
    public void RepliesAndContentsAreThoseOfRedis(string family)
    {
        using Duel duel = Duel.Start(seconds: 1.5, protocol: 2);
        duel.Comparable = Contents.Comparable;
        bool isOld = duel.IsOracleOld;
        duel.IsAllowed = (words, theirs, ours) => StreamDifferences.IsAllowed(
            isOld, words, Contents.Comparable(words, theirs), Contents.Comparable(words, ours));
        var stream = new CommandStream(duel.AskRedis, duel.Seed,
            CommandFamily.CommandsOf(family).Except(s_skipped));
        for (int count = 1; duel.GoesOn; count++)
        {
            RunScript(duel, stream);
            if (count % ScriptsPerCheckpoint == 0)
                CompareContents(duel);
        }
    }

    private static void RunScript(Duel duel, CommandStream stream)
    {
        List<string[]> commands = [];
        for (int left = duel.Random.Next(1, 6); left > 0; left--)
            commands.Add(stream.Next());
        string script = duel.Random.Next(2) == 0 ? Script : $"{Script} -- {duel.Random.Next()}";
        string[] keys = duel.Random.Next(2) == 0 ? [] : [.. commands.SelectMany(KeysOf)];
        string[] words = ["EVAL", script, $"{keys.Length}", .. keys,
            .. commands.SelectMany(static command => (string[])[$"{command.Length}", .. command])];
        (RespValue theirs, RespValue ours) = duel.Exchange(words);
        if (theirs.Items.Count != commands.Count || ours.Items.Count != commands.Count)
        {
            duel.Settle(words, theirs, ours);
            return;
        }

        for (int index = 0; index < commands.Count; index++)
            duel.Settle(commands[index], theirs.Items[index], ours.Items[index]);
    }

    // Roughly: what is too much does no harm, and what is missing is undeclared.
    private static IEnumerable<string> KeysOf(string[] command) => command.Skip(1).Take(2);

    private static void CompareContents(Duel duel)
    {
        for (int database = 0; database < 4; database++)
        {
            foreach (string[] words in Contents.Probes(duel.AskRedis, database))
                duel.Probe(words);
        }

        duel.Call("SELECT", "0");
    }
}
