using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>
/// Random command streams to redis-server and to the engine: every reply is compared, and at checkpoints all
/// keys, values, encodings and deadlines.
/// </summary>
public sealed class StreamTests
{
    private const int CommandsPerCheckpoint = 400;
    private const int SecondsDefault = 3;

    // Thresholds so small that every encoding is crossed.
    private static readonly string[] s_thresholds =
    [
        "hash-max-listpack-entries", "6", "hash-max-listpack-value", "24", "zset-max-listpack-entries", "6",
        "zset-max-listpack-value", "24", "set-max-intset-entries", "5", "list-max-listpack-size", "5",
        "stream-node-max-entries", "4",
    ];

    /// <summary>All families, in both protocols.</summary>
    public static TheoryData<string, int> Families()
    {
        var data = new TheoryData<string, int>();
        foreach (string family in CommandFamily.Names)
        {
            data.Add(family, 2);
            data.Add(family, 3);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Families))]
    public void RepliesAndContentsAreThoseOfRedis(string family, int protocol)
    {
        using Duel duel = Duel.Start(SecondsDefault, protocol);
        duel.Comparable = Contents.Comparable;
        bool isOld = duel.IsOracleOld;
        duel.IsAllowed = (words, theirs, ours) => StreamDifferences.IsAllowed(
            isOld, words, Contents.Comparable(words, theirs), Contents.Comparable(words, ours));
        var stream = new CommandStream(duel.AskRedis, duel.Seed, CommandFamily.CommandsOf(family));
        if ((duel.Seed + protocol) % 2 == 0)
            duel.Call(["CONFIG", "SET", .. s_thresholds]);
        for (int count = 1; duel.GoesOn; count++)
        {
            duel.Call(stream.Next());
            if (count % CommandsPerCheckpoint == 0)
                CompareContents(duel);
        }
    }

    private static void CompareContents(Duel duel)
    {
        duel.Discard();
        for (int database = 0; database < 4; database++)
        {
            foreach (string[] words in Contents.Probes(duel.AskRedis, database))
                duel.Probe(words);
        }
    }
}
