using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Differential.Streams;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.StreamType;

/// <summary>
/// Random commands about streams to redis-server and to the engine: every reply is compared, and at
/// checkpoints the whole contents of all streams and groups.
/// </summary>
public sealed class StreamTypeTests
{
    private const int CommandsPerCheckpoint = 300;
    private const int SecondsDefault = 6;

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAndContentsAreThoseOfRedis(int protocol)
    {
        using Duel duel = Duel.Start(SecondsDefault, protocol);
        duel.Comparable = StreamReplies.Comparable;
        var stream = new StreamCommands(duel.Random);
        for (int count = 1; duel.GoesOn; count++)
        {
            string[] next = stream.Next();
            foreach (string[] words in StreamCommands.Before(next).Append(next))
            {
                (RespValue theirs, RespValue ours) = duel.Exchange(words);
                if (StreamReplies.IsNewerRefusal(ours))
                    duel.Exchange("DEL", words[1]);
                else
                    duel.Settle(words, theirs, ours);
            }

            if (count % CommandsPerCheckpoint != 0)
                continue;
            duel.Discard();
            stream.EndTransaction();
            foreach (string[] probe in Probes())
                duel.Probe(probe);
        }
    }

    private static IEnumerable<string[]> Probes()
    {
        foreach (string key in (string[])[.. StreamCommands.Keys, StreamCommands.Future])
        {
            yield return ["XRANGE", key, "-", "+"];
            yield return ["XREVRANGE", key, "+", "-"];
            yield return ["XINFO", "STREAM", key];
            yield return ["XINFO", "STREAM", key, "FULL", "COUNT", "0"];
            yield return ["XINFO", "GROUPS", key];
            yield return ["OBJECT", "ENCODING", key];
            foreach (string group in StreamCommands.Groups)
            {
                yield return ["XPENDING", key, group];
                yield return ["XPENDING", key, group, "-", "+", "1000"];
                yield return ["XINFO", "CONSUMERS", key, group];
            }
        }
    }
}
