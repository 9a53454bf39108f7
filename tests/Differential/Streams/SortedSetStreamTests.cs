using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>
/// Random streams of the commands of sorted sets to redis-server and to the engine: every reply is compared,
/// and at checkpoints all members, scores, types, encodings and deadlines.
/// </summary>
public sealed class SortedSetStreamTests
{
    private const int CommandsPerCheckpoint = 200;
    private const double SecondsDefault = 4;

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAndContentsAreThoseOfRedis(int protocol)
    {
        using Duel duel = Duel.Start(SecondsDefault, protocol);
        duel.Comparable = static (words, reply) => words[0] switch
        {
            // These come in any order; all are asked for.
            "zrandmember" when reply.Items.Count > 0 => Sorted(reply.Items, words.Length - 2),
            "zscan" when reply.Items.Count == 2 => Sorted(reply.Items[1].Items, groupSize: 2),
            _ => Comparable(reply),
        } + reply.Kind;
        var stream = new SortedSetStream(duel.Seed, duel.IsOracleOld);
        for (int count = 1; duel.GoesOn; count++)
        {
            duel.Call(stream.Next());
            if (count % CommandsPerCheckpoint == 0)
                CompareContents(duel);
        }
    }

    [Theory]
    [InlineData(40)]
    [InlineData(500)]
    public void AScanShowsEverythingOnce(int memberCount)
    {
        using var server = new OwnServer();
        RespClient ours = server.Connect();
        var expected = new SortedSet<string>(StringComparer.Ordinal);
        for (int number = 0; number < memberCount; number++)
        {
            ours.Call("ZADD", "z", $"{number}.5", $"m{number}");
            expected.Add($"m{number} {number}.5");
        }

        var shown = new List<string>();
        string cursor = "0";
        do
        {
            RespValue reply = ours.Call("ZSCAN", "z", cursor, "COUNT", "7");
            shown.AddRange(reply.Items[1].Items.Chunk(2).Select(pair => $"{pair[0].Text} {pair[1].Text}"));
            cursor = reply.Items[0].Text;
        }
        while (cursor != "0");
        Assert.Equal(expected, shown.Order(StringComparer.Ordinal));
    }

    private static void CompareContents(Duel duel)
    {
        duel.Discard();
        foreach (string key in SortedSetStream.Keys)
        {
            if (duel.Probe("TYPE", key).Text != "zset")
                continue;
            duel.Probe("OBJECT", "ENCODING", key);
            duel.Probe("ZRANGE", key, "0", "-1", "WITHSCORES");
            duel.Probe("ZCARD", key);
            (RespValue theirs, RespValue ours) = duel.Exchange("TTL", key);
            Assert.Equal(theirs.Text != "-1", ours.Text != "-1");
        }
    }

    // Redis 7.0 writes 17 digits of a score, 7.2 and later as few as identify it. The sign of a zero that
    // several sets yield depends on their order.
    private static string Sorted(IReadOnlyList<RespValue> items, int groupSize) => string.Join(' ',
        items.Chunk(items is [{ Items.Count: > 0 }, ..] ? 1 : groupSize)
            .Select(static group => string.Join(' ', group.Select(Comparable)))
            .Order(StringComparer.Ordinal));

    private static string Comparable(RespValue reply)
    {
        if (reply.Items.Count != 0)
            return $"{reply.Kind}[{string.Join(", ", reply.Items.Select(Comparable))}]";
        bool isScore = reply.Kind is '$' or ',' && (reply.Text.Length > 2 || reply.Text == "-0")
            && reply.Text.AsSpan().IndexOfAnyExcept("0123456789.e+-") < 0
            && double.TryParse(reply.Text, NumberStyles.Float, CultureInfo.InvariantCulture, out _);
        return isScore
            ? $"{reply.Kind}{double.Parse(reply.Text, CultureInfo.InvariantCulture) + 0.0:R}"
            : reply.ToString();
    }
}
