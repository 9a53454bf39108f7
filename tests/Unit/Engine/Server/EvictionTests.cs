using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Unit.Engine.Journaling;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>maxmemory with the policies that evict keys.</summary>
public sealed class EvictionTests
{
    private const string Refusal = "-OOM command not allowed when used memory > 'maxmemory'.";

    // What one SET of a small value may take: an entry, and a segment or directory of its table.
    private const long OneCommandBytes = 64 << 10;

    private const int KeyCount = 2000;

    [Theory]
    [InlineData("allkeys-lru")]
    [InlineData("allkeys-lfu")]
    [InlineData("allkeys-lrm")]
    [InlineData("allkeys-random")]
    [InlineData("volatile-lru")]
    [InlineData("volatile-lfu")]
    [InlineData("volatile-lrm")]
    [InlineData("volatile-random")]
    [InlineData("volatile-ttl")]
    public void TheLimitHoldsUnderEachPolicy(string policy)
    {
        using var server = new TestServer(2, new ManualClock(), ("maxmemory-policy", policy));
        TestClient[] clients = [server.Connect(0), server.Connect(1)];
        long limit = server.Engine.Keyspace.UsedBytes + (300 << 10);
        Assert.Equal("+OK", clients[0].Call("CONFIG", "SET", "maxmemory", Text(limit)).ToString());
        for (int key = 0; key < 3 * KeyCount; key++)
        {
            TestClient client = clients[key % 2];
            Assert.Equal("+OK", client.Call("SET", $"key:{key}", Value(key), "EX", "1000").ToString());
            Assert.InRange(server.Engine.Keyspace.UsedBytes, 0, limit + OneCommandBytes);
        }

        long count = Number(clients[0].Call("DBSIZE").ToString());
        Assert.InRange(count, 200, 3 * KeyCount - 1);
        Assert.Equal(3 * KeyCount - count, Field(clients[0], "evicted_keys"));
        Assert.Equal(0, Field(clients[0], "expired_keys"));
        Assert.Equal(0, Field(clients[0], "current_eviction_exceeded_time"));
    }

    /// <summary>A database whose keys go between the choice of it and the sample is passed over.</summary>
    [Fact]
    public void ADatabaseThatBecomesEmptyIsPassedOver()
    {
        using var server = new TestServer(1, new ManualClock(), ("maxmemory-policy", "allkeys-random"));
        TestClient client = server.Connect();
        long evictedCount = 0;
        for (int round = 0; round < 30; round++)
        {
            string[] keys = [.. Enumerable.Range(0, 300).Select(number => $"key:{number}")];
            client.Call("CONFIG", "SET", "maxmemory", "0");
            client.Run("SELECT 1");
            client.Call(["MSET", .. keys.SelectMany(key => new[] { key, "value" })]);
            client.Run("SELECT 0");
            client.Call(["MSET", .. keys.SelectMany(key => new[] { key, "value" })]);
            client.Call("CONFIG", "SET", "maxmemory", Text(server.Engine.Keyspace.UsedBytes - 1000));
            client.Run("SELECT 1");
            client.Call(["DEL", .. keys]);
            client.Run("SELECT 0");
            client.Call("CONFIG", "SET", "maxmemory", Text(server.Engine.Keyspace.UsedBytes - 1000));
            Assert.Equal("+OK", client.Run("SET key value"));
            long count = Field(client, "evicted_keys");
            Assert.True(count > evictedCount, "nothing is evicted");
            evictedCount = count;
        }
    }

    [Fact]
    public void ALargeLimitHoldsAndIsUsed()
    {
        const int valueBytes = 20_000;
        using var server = new TestServer(2, new ManualClock(), ("maxmemory-policy", "allkeys-lru"));
        TestClient[] clients = [server.Connect(0), server.Connect(1)];
        long limit = server.Engine.Keyspace.Pages.ReportErrorBytesMax * 520;
        Assert.Equal("+OK", clients[0].Call("CONFIG", "SET", "maxmemory", Text(limit)).ToString());
        string value = new('v', valueBytes);
        long count = limit / valueBytes;
        for (long key = 0; key < count * 5 / 4; key++)
        {
            Assert.Equal("+OK", clients[key % 2].Call("SET", $"key:{key}", value).ToString());
            Assert.InRange(server.Engine.Keyspace.UsedBytes, 0, limit + OneCommandBytes);
        }

        Assert.InRange(server.Engine.Keyspace.UsedBytes, limit - (limit / 100), limit + OneCommandBytes);
        Assert.InRange(Field(clients[0], "evicted_keys"), count / 8, count / 2);
    }

    [Theory]
    [InlineData("volatile-lru")]
    [InlineData("volatile-lfu")]
    [InlineData("volatile-lrm")]
    [InlineData("volatile-random")]
    [InlineData("volatile-ttl")]
    public void KeysWithoutADeadlineStayUnderVolatilePolicies(string policy)
    {
        using var server = new TestServer(1, new ManualClock());
        TestClient client = server.Connect();
        for (int key = 0; key < KeyCount; key++)
            client.Call("SET", $"lasting:{key}", Value(key));
        // Few among many: a run of neighbouring keys has none.
        for (int key = 0; key < 30; key++)
            client.Call("SET", $"passing:{key}", Value(key), "EX", Text(10_000 + key));
        long limit = server.Engine.Keyspace.UsedBytes;
        client.Run("CONFIG SET maxmemory-policy " + policy);
        client.Call("CONFIG", "SET", "maxmemory", Text(limit));
        int storedCount = 0;
        while (storedCount < 1000 && client.Call("SET", $"new:{storedCount}", Value(1)).ToString() == "+OK")
            storedCount++;
        Assert.InRange(storedCount, 1, 60);
        Assert.Equal(Refusal, client.Run("SET more 1"));
        Assert.Equal(30, Field(client, "evicted_keys"));
        Assert.Equal(KeyCount + storedCount, Number(client.Run("DBSIZE")));
        Assert.Equal(1, Number(client.Run("EXISTS lasting:0")));
    }

    /// <summary>The messages to clients that cache them take no room that others must make: few keys go.
    /// </summary>
    [Theory]
    [InlineData(300, 1000)]
    [InlineData(3000, 10)]
    public void EvictingCachedKeysMakesRoom(int count, int length)
    {
        using var server = new TestServer(1, new ManualClock(), ("maxmemory-policy", "allkeys-lru"),
            ("maxmemory-eviction-tenacity", "100"));
        TestClient client = server.Connect();
        TestClient reader = server.Connect();
        reader.Call("HELLO", "3");
        Assert.Equal("+OK", reader.Run("CLIENT TRACKING ON"));
        for (int key = 0; key < count; key++)
        {
            string name = Text(key).PadLeft(length, 'k');
            client.Call("SET", name, "x");
            reader.Call("GET", name);
        }

        long used = server.Engine.Keyspace.UsedBytes;
        client.Call("CONFIG", "SET", "maxmemory", Text(used - 40_000));
        client.Run("PING");
        Assert.InRange(Number(client.Run("DBSIZE")), count * 2 / 3, count - 1);
        Assert.InRange(server.Engine.Keyspace.UsedBytes - server.Engine.Keyspace.UncountedBytes, 0,
            used - 40_000);
    }

    [Fact]
    public void TheKeysWithTheEarliestDeadlinesGoFirst()
    {
        // Which keys share a bucket is chance: the mean of several servers.
        const int ServerCount = 4;
        double mean = 0;
        for (int count = 0; count < ServerCount; count++)
        {
            using var server = new TestServer(1, new ManualClock());
            TestClient client = server.Connect();
            for (int key = 0; key < KeyCount; key++)
            {
                string lifeMs = Text(1_000_000 + (37 * key % KeyCount * 500));
                client.Call("SET", $"k:{key}", Value(key), "PX", lifeMs);
            }

            int[] evicted = EvictSome(server, client, "volatile-ttl", KeyCount);
            // Ranks of the evicted keys by deadline: in order, but for a few at the border.
            int[] ranks = [.. evicted.Select(static key => 37 * key % KeyCount)];
            Assert.InRange(ranks.Length, 100, KeyCount / 2);
            Assert.True(ranks.Max() < 1.5 * ranks.Length, $"{ranks.Max()} of {ranks.Length}");
            mean += ranks.Average() / ranks.Length / ServerCount;
        }

        Assert.True(mean < 0.55, $"{mean}");
    }

    [Theory]
    [InlineData("allkeys-lru", "GET")]
    [InlineData("volatile-lru", "GET")]
    [InlineData("allkeys-lrm", "APPEND")]
    [InlineData("allkeys-lru", "APPEND")]
    public void TheKeysThatWereUsedLongestAgoGoFirst(string policy, string use)
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock);
        TestClient client = server.Connect();
        for (int key = 0; key < KeyCount; key++)
            client.Call("SET", $"k:{key}", Value(key), "EX", "1000000");
        int[] order = [.. Enumerable.Range(0, KeyCount)];
        new Random(7).Shuffle(order);
        foreach (int key in order)
        {
            clock.Advance(1_000_000);
            client.Call([use, $"k:{key}", .. use == "APPEND" ? (string[])[""] : []]);
        }

        int[] rankOf = new int[KeyCount];
        for (int rank = 0; rank < KeyCount; rank++)
            rankOf[order[rank]] = rank;
        int[] ranks = [.. EvictSome(server, client, policy, KeyCount).Select(key => rankOf[key])];
        Assert.InRange(ranks.Length, 100, KeyCount / 2);
        // Exact LRU has a mean of half the count, random choice one of half of all: 2.5 times the count.
        Assert.True(ranks.Average() < 0.8 * ranks.Length, $"{ranks.Average()} of {ranks.Length}");
    }

    [Fact]
    public void ReadsDoNotSaveAKeyThatIsNotModified()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock, ("maxmemory-policy", "allkeys-lrm"));
        TestClient client = server.Connect();
        client.Run("SET a 1");
        client.Run("RPUSH l 1");
        clock.Advance(100_000_000);
        client.Run("GET a");
        client.Run("LRANGE l 0 -1");
        Assert.Equal(":100", client.Run("OBJECT IDLETIME a"));
        Assert.Equal(":100", client.Run("OBJECT IDLETIME l"));
        client.Run("APPEND a 2");
        client.Run("RPUSH l 2");
        Assert.Equal(":0", client.Run("OBJECT IDLETIME a"));
        Assert.Equal(":0", client.Run("OBJECT IDLETIME l"));
        client.Run("CONFIG SET maxmemory-policy allkeys-lru");
        clock.Advance(100_000_000);
        client.Run("GET a");
        Assert.Equal(":0", client.Run("OBJECT IDLETIME a"));
    }

    [Fact]
    public void TheKeysThatAreUsedMostStayUnderLfu()
    {
        var clock = new ManualClock();
        using var server = new TestServer(
            1, clock, ("maxmemory-policy", "allkeys-lfu"), ("lfu-log-factor", "1"));
        TestClient client = server.Connect();
        for (int key = 0; key < KeyCount; key++)
            client.Call("SET", $"k:{key}", Value(key));
        for (int round = 0; round < 20; round++)
        {
            for (int key = 0; key < KeyCount; key += 4)
                client.Call("GET", $"k:{key}");
        }

        int[] evicted = EvictSome(server, client, "allkeys-lfu", KeyCount);
        Assert.InRange(evicted.Length, 100, KeyCount / 2);
        Assert.DoesNotContain(evicted, static key => key % 4 == 0);
    }

    [Fact]
    public void WithoutAKeyToEvictCommandsThatNeedMemoryAreRefused()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Run("SET a 1");
        client.Run("CONFIG SET maxmemory 1 maxmemory-policy allkeys-lru");
        Assert.Equal("_", client.Run("GET a"));
        Assert.Equal(Refusal, client.Run("SET a 2"));
        Assert.Equal(Refusal, client.Run("EVAL redis.call('set','a',1) 0").Replace("-ERR ", "-",
            StringComparison.Ordinal)[..Refusal.Length]);
        client.Run("CONFIG SET maxmemory 0");
        Assert.Equal("+OK", client.Run("SET a 2"));
        client.Run("CONFIG SET maxmemory 1 maxmemory-policy volatile-lru");
        Assert.Equal(Refusal, client.Run("SET a 3"));
        Assert.Equal("$2", client.Run("GET a"));
        Assert.Equal(1, Field(client, "evicted_keys"));
    }

    [Fact]
    public void EvictedKeysAreRecordedAndBreakTransactionsThatWatchThem()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Run("SELECT 3");
        client.Run("SET a 1");
        client.Run("WATCH a");
        client.Run("MULTI");
        client.Run("PING");
        RecordingJournal journal = RecordingJournal.Of(server);
        TestClient other = server.Connect();
        other.Run("CONFIG SET maxmemory-policy allkeys-random");
        other.Run("CONFIG SET maxmemory 1");
        Assert.Equal(["SELECT 3", "DEL a"], journal.CommandsFrom());
        other.Run("CONFIG SET maxmemory 0");
        Assert.Equal("_", client.Run("EXEC"));
    }

    [Fact]
    public void NothingIsEvictedWhileClientsArePaused()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock, ("maxmemory-policy", "allkeys-lru"));
        TestClient client = server.Connect();
        client.Run("SET a 1");
        client.Run("CLIENT PAUSE 5000 WRITE");
        client.Run("CONFIG SET maxmemory 1");
        Assert.Equal("$1", client.Run("GET a"));
        client.Run("CLIENT UNPAUSE");
        Assert.Equal("_", client.Run("GET a"));
    }

    [Fact]
    public void TheMemoryOfBigValuesCountsAsSoonAsTheyAreEvicted()
    {
        using var server = new TestServer(1, new ManualClock(), ("maxmemory-policy", "allkeys-lru"));
        TestClient client = server.Connect();
        long limit = server.Engine.Keyspace.UsedBytes + (8 << 20);
        client.Call("CONFIG", "SET", "maxmemory", Text(limit));
        for (int key = 0; key < 40; key++)
        {
            Assert.Equal("+OK", client.Call("SET", $"k{key}", new string('x', 1_000_000)).ToString());
            Assert.InRange(server.Engine.Keyspace.UsedBytes, 0, limit + (3 << 20));
        }

        Assert.InRange(Number(client.Run("DBSIZE")), 5, 9);
    }

    [Fact]
    public void ALowerLimitIsReachedInSlicesWithoutFurtherCommands()
    {
        using var server = new TestServer(1, new ManualClock(), ("maxmemory-policy", "allkeys-random"),
            ("maxmemory-eviction-tenacity", "0"));
        TestClient client = server.Connect();
        long empty = server.Engine.Keyspace.UsedBytes;
        for (int key = 0; key < KeyCount; key++)
            client.Call("SET", $"k:{key}", Value(key));
        long limit = empty + ((server.Engine.Keyspace.UsedBytes - empty) / 2);
        client.Call("CONFIG", "SET", "maxmemory", Text(limit));
        for (int turn = 0; turn < KeyCount && server.Engine.Keyspace.UsedBytes > limit; turn++)
            server.Engine.Loops[0].Turn();
        Assert.InRange(server.Engine.Keyspace.UsedBytes, 0, limit);
        Assert.InRange(Number(client.Run("DBSIZE")), KeyCount / 4, KeyCount * 3 / 4);
    }

    [Fact]
    public void KeysOfAllDatabasesAreEvicted()
    {
        using var server = new TestServer(1, new ManualClock(), ("maxmemory-policy", "allkeys-lru"));
        TestClient client = server.Connect();
        foreach (string database in (string[])["0", "7", "15"])
        {
            client.Run("SELECT " + database);
            for (int key = 0; key < 100; key++)
                client.Call("SET", $"k:{key}", Value(key));
        }

        client.Run("SWAPDB 0 7");
        client.Run("CONFIG SET maxmemory 1");
        client.Run("PING");
        client.Run("CONFIG SET maxmemory 0");
        Assert.Equal(300, Field(client, "evicted_keys"));
        Assert.Equal(":0", client.Run("DBSIZE"));
    }

    /// <summary>Makes the limit so low that some hundred keys must go.</summary>
    private static int[] EvictSome(TestServer server, TestClient client, string policy, int keyCount)
    {
        long used = server.Engine.Keyspace.UsedBytes;
        long share = 0;
        foreach (Cinnabar.Keyspace.Stripe stripe in server.Engine.Keyspace.Stripes)
            share += stripe.Arena.UsedBytes;
        client.Run("CONFIG SET maxmemory-policy " + policy);
        client.Call("CONFIG", "SET", "maxmemory", Text(used - (share / 8)));
        for (int turn = 0; turn < 100; turn++)
            client.Run("PING");
        client.Run("CONFIG SET maxmemory 0");
        var evicted = new List<int>();
        for (int key = 0; key < keyCount; key++)
        {
            if (client.Call("EXISTS", $"k:{key}").ToString() == ":0")
                evicted.Add(key);
        }

        return [.. evicted];
    }

    private static long Field(TestClient client, string name)
    {
        string info = client.Call("INFO", "everything").Text;
        int start = info.IndexOf($"\n{name}:", StringComparison.Ordinal) + name.Length + 2;
        return long.Parse(info.AsSpan(start, info.IndexOf('\r', start) - start),
            CultureInfo.InvariantCulture);
    }

    private static long Number(string reply) => long.Parse(reply.AsSpan(1), CultureInfo.InvariantCulture);

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);

    private static string Value(int key) => new('v', 20 + (key * 31 % 100));
}
