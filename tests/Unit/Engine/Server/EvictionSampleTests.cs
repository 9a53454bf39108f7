using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>maxmemory-samples: values up to what a sample has at least act alike, more make the choice
/// nearer to exact.</summary>
public sealed class EvictionSampleTests
{
    private const int KeyCount = 2000;
    private const int FewSamplesMisplaced = 30;

    /// <summary>Of some hundred evicted keys.</summary>
    [Theory]
    [InlineData("allkeys-lru")]
    [InlineData("allkeys-lrm")]
    [InlineData("volatile-lru")]
    public void MoreSamplesThanTheLeastMakeABetterChoice(string policy)
    {
        Assert.InRange(MisplacedCount(Evicted(policy, "1")), FewSamplesMisplaced, 4 * FewSamplesMisplaced);
        Assert.InRange(MisplacedCount(Evicted(policy, "10")), FewSamplesMisplaced, 4 * FewSamplesMisplaced);
        Assert.InRange(MisplacedCount(Evicted(policy, "64")), 0, FewSamplesMisplaced - 1);
    }

    // How many keys were evicted in the place of others: exact choice has none.
    private static int MisplacedCount(int[] evicted)
    {
        Assert.InRange(evicted.Length, KeyCount / 4, KeyCount * 3 / 4);
        return evicted.Count(rank => rank >= evicted.Length);
    }

    // Their ranks: the key of rank 0 was used longest ago.
    private static int[] Evicted(string policy, string samples)
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock, ("maxmemory-policy", policy),
            ("maxmemory-samples", samples));
        TestClient client = server.Connect();
        int[] ranks = [.. Enumerable.Range(0, KeyCount)];
        new Random(7).Shuffle(ranks);
        for (int key = 0; key < KeyCount; key++)
            client.Call("SET", $"k:{key}", "a value that stands in its entry", "EX", "1000000");
        for (int rank = 0; rank < KeyCount; rank++)
        {
            clock.Advance(1_000_000);
            client.Call("APPEND", $"k:{ranks[rank]}", "");
        }

        long used = server.Engine.Keyspace.UsedBytes;
        for (int share = 1; Count(client) > KeyCount * 5 / 8; share++)
        {
            client.Call("CONFIG", "SET", "maxmemory",
                (used - (share * used / 100)).ToString(CultureInfo.InvariantCulture));
            server.Run();
        }

        client.Call("CONFIG", "SET", "maxmemory", "0");
        var left = new HashSet<string>(client.Call("KEYS", "*").Items.Select(static key => key.Text));
        return [.. Enumerable.Range(0, KeyCount).Where(rank => !left.Contains($"k:{ranks[rank]}"))];
    }

    private static long Count(TestClient client) => client.Call("DBSIZE").Integer;
}
