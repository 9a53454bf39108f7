using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>
/// Random streams of the commands of hashes to redis-server and to the engine: every reply is compared, and
/// at checkpoints all fields, encodings and deadlines. What has no order is sorted first; of random fields
/// only their number is compared, unless all are asked for.
/// </summary>
public sealed class HashStreamTests
{
    private const int CommandsPerCheckpoint = 150;
    private const double SecondsDefault = 4;

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAndContentsAreThoseOfRedis(int protocol)
    {
        using Duel duel = Duel.Start(SecondsDefault, protocol);
        duel.Comparable = Comparable;
        duel.IsAllowed = static (words, theirs, ours) =>
            Contents.AreSameDeadlines(words[0], $"{theirs}", $"{ours}");
        duel.Call("CONFIG", "SET", "hash-max-listpack-entries", "512");
        var stream = new HashStream(duel.Seed, duel.IsOracleOld);
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
        for (int number = 0; number < HashStream.KeyCount; number++)
        {
            string key = HashStream.KeyName(number);
            duel.Probe("type", key);
            duel.Probe("hgetall", key);
            duel.Probe("hlen", key);
            duel.Probe("object", "encoding", key);
            duel.Probe("hrandfield", key, "100000", "withvalues");
            duel.Probe("expiretime", key);
        }
    }

    private static string Comparable(string[] words, RespValue reply)
    {
        if (reply.Kind is '-' || (reply.Items.Count == 0 && words[0] != "hrandfield"))
            return reply.ToString();
        return words[0] switch
        {
            "hkeys" or "hvals" => Sorted(reply, reply.Items, 1),
            "hgetall" => Sorted(reply, reply.Items, 2),
            "hscan" => reply.Items[0] + Sorted(reply, reply.Items[1].Items, 2),
            "hrandfield" when reply.Items.Count == 0 =>
                words.Length == 2 ? $"{reply.Kind}" : reply.ToString(),
            "hrandfield" when words is [_, _, "100000" or "1000", ..] =>
                Sorted(reply, reply.Items, words.Length > 3 && reply.Items[0].Kind != '*' ? 2 : 1),
            "hrandfield" => $"{reply.Items.Count} of {reply.Items[0].Kind} {reply.Items[0].Items.Count}",
            _ => reply.ToString(),
        };
    }

    private static string Sorted(RespValue reply, IReadOnlyList<RespValue> items, int groupSize) =>
        reply.Kind + string.Join(", ", items.Chunk(groupSize)
            .Select(static group => string.Join(' ', group.Select(static item => item.ToString())))
            .Order(StringComparer.Ordinal));
}
