using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>
/// Random streams of the commands of lists to redis-server and to the engine: every reply is compared, and at
/// checkpoints all elements, types and deadlines.
/// </summary>
public sealed class ListStreamTests
{
    private const int CommandsPerCheckpoint = 150;
    private const double SecondsDefault = 4;

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAndContentsAreThoseOfRedis(int protocol)
    {
        using Duel duel = Duel.Start(SecondsDefault, protocol);
        duel.IsAllowed = static (words, theirs, ours) =>
            Contents.AreSameDeadlines(words[0], $"{theirs}", $"{ours}");
        var stream = new ListStream(duel.Seed);
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
        for (int number = 0; number < ListStream.KeyCount; number++)
        {
            string key = ListStream.KeyName(number);
            duel.Probe("TYPE", key);
            duel.Probe("LRANGE", key, "0", "-1");
            duel.Probe("LLEN", key);
            duel.Probe("EXPIRETIME", key);
        }
    }
}
