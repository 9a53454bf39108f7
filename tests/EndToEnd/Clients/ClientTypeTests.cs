using System;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Cinnabar.Tests.EndToEnd.Server;
using StackExchange.Redis;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Clients;

/// <summary>Real clients over all types of data, each with its own functions for them.</summary>
public sealed class ClientTypeTests : IDisposable
{
    private const int PatienceMs = 300_000;

    private readonly ServerRun _server = new(("CINNABAR_CHECKED_MEMORY", "1"), null, "--io-threads", "2");

    public ClientTypeTests() => _server.WaitUntilReady();

    private string Port => _server.Port.ToString(CultureInfo.InvariantCulture);

    [Fact]
    public void NodeClients() => ToolRun.Node("types.mjs", _server.Port);

    [Fact]
    public void RedisPy() => ToolRun.Python("Clients/redis_py_types.py", _server.Port);

    [Fact]
    public void StackExchangeRedis()
    {
        using ConnectionMultiplexer connection = Connect();
        IDatabase database = connection.GetDatabase();
        AssertLists(database);
        AssertSets(database);
        AssertSortedSets(database);
        HashEntry[] fields = [.. Names().Select(name => new HashEntry(name, name.Length))];
        database.HashSet("se:h", fields);
        Assert.Equal(fields.OrderBy(ByName), database.HashGetAll("se:h").OrderBy(ByName));
        Assert.Equal(fields.OrderBy(ByName), database.HashScan("se:h").Distinct().OrderBy(ByName));
        Assert.True(database.HyperLogLogAdd("se:p", ["a", "b", "c"]));
        Assert.Equal(3, database.HyperLogLogLength("se:p"));
        Assert.Equal(["2", "10"], database.Sort("se:l").Select(value => value.ToString()));
    }

    /// <summary>The client has no functions that wait: that one is a plain command.</summary>
    [Fact]
    public async Task StackExchangeRedisStreams()
    {
        using ConnectionMultiplexer connection = Connect();
        IDatabase database = connection.GetDatabase();
        Assert.True(database.StreamCreateConsumerGroup("se:x", "g", "$"));
        using ConnectionMultiplexer other = Connect();
        // Its asynchronous functions would go on here on the thread that reads, and Dispose waits for that.
        Task<RedisResult> read = Task.Run(() => other.GetDatabase().Execute("XREADGROUP", "GROUP", "g", "c",
            "BLOCK", "0", "STREAMS", "se:x", ">"), TestContext.Current.CancellationToken);
        WaitUntilBlocked();
        RedisValue id = database.StreamAdd("se:x", "f", "v");
        RedisResult entry = (await read).ToDictionary()["se:x"][0];
        Assert.Equal(id, (RedisValue)entry[0]);
        Assert.Equal(["f", "v"], (string[])entry[1]!);
        Assert.Equal(id, database.StreamPending("se:x", "g").LowestPendingMessageId);
        StreamAutoClaimResult claimed = database.StreamAutoClaim("se:x", "g", "d", 0, "0-0");
        Assert.Equal(("0-0", 1), ((string)claimed.NextStartId!, claimed.ClaimedEntries.Length));
        Assert.Equal(1, database.StreamAcknowledge("se:x", "g", id));
    }

    [Fact]
    public void RedisCli()
    {
        using ToolStream waiting = new("redis-cli", "-p", Port, "BLPOP", "cli:none", "cli:later", "0");
        WaitUntilBlocked();
        Assert.Equal("1\n", Cli("RPUSH", "cli:later", "now"));
        Assert.Equal(("cli:later", "now"), (waiting.ReadLine(), waiting.ReadLine()));
        Assert.Equal("1\n", Cli("HSET", "cli:h", "f", "v"));
        Assert.Equal("1# \"f\" => \"v\"\n", Cli("-3", "--no-raw", "HGETALL", "cli:h"));
        Assert.Equal("2\n", Cli("ZADD", "cli:z", "0.1", "a", "inf", "b"));
        Assert.Equal("1) 1) \"a\"\n   2) (double) 0.1\n2) 1) \"b\"\n   2) (double) inf\n",
            Cli("-3", "--no-raw", "ZRANGE", "cli:z", "0", "-1", "WITHSCORES"));
        Assert.Equal("2\n", Cli("SADD", "cli:s", "1", "2"));
        Assert.Equal("1~ \"1\"\n2~ \"2\"\n", Cli("-3", "--no-raw", "SMEMBERS", "cli:s"));
        Assert.Equal("OK\n", Cli("XGROUP", "CREATE", "cli:x", "g", "0", "MKSTREAM"));
        Assert.Equal("1-1\n", Cli("XADD", "cli:x", "1-1", "f", "v"));
        Assert.Equal("cli:x\n1-1\nf\nv\n", Cli("XREADGROUP", "GROUP", "g", "c", "STREAMS", "cli:x", ">"));
        Assert.Equal("1\n1-1\n1-1\nc\n1\n", Cli("XPENDING", "cli:x", "g"));
        Assert.Equal("1\n", Cli("PFADD", "cli:p", "a"));
        Assert.Equal("1\n", Cli("GEOADD", "cli:g", "1", "2", "m"));
        Assert.Equal("s02equ04ve0\n", Cli("GEOHASH", "cli:g", "m"));
    }

    public void Dispose() => _server.Dispose();

    private static string ByName(HashEntry entry) => entry.Name.ToString();

    private static string[] Names() =>
        [.. Enumerable.Range(1000, 300).Select(number => $"m{number}")];

    private static void AssertLists(IDatabase database)
    {
        Assert.Equal(3, database.ListRightPush("se:l", ["10", "2", "x"]));
        Assert.Equal("x", database.ListRightPopLeftPush("se:l", "se:m").ToString());
        Assert.Equal(["10", "2"], database.ListRange("se:l").Select(value => value.ToString()));
        Assert.Equal("2", database.ListGetByIndex("se:l", -1).ToString());
    }

    private static void AssertSets(IDatabase database)
    {
        RedisValue[] members = [.. Names().Select(name => (RedisValue)name)];
        Assert.Equal(300, database.SetAdd("se:s", members));
        Assert.Equal(Names(), database.SetMembers("se:s").Select(value => value.ToString()).Order());
        Assert.Equal(Names(), database.SetScan("se:s").Select(value => value.ToString()).Distinct().Order());
        database.SetAdd("se:t", ["m1007", "none"]);
        RedisValue common = database.SetCombine(SetOperation.Intersect, "se:s", "se:t").Single();
        Assert.Equal("m1007", common.ToString());
    }

    private static void AssertSortedSets(IDatabase database)
    {
        SortedSetEntry[] entries = [.. Names().Select((name, index) => new SortedSetEntry(name, index / 4.0)),
            new SortedSetEntry("z", double.PositiveInfinity)];
        Assert.Equal(301, database.SortedSetAdd("se:z", entries));
        Assert.Equal(entries, database.SortedSetRangeByRankWithScores("se:z"));
        Assert.Equal(entries.Select(entry => entry.Element.ToString()), database.SortedSetScan("se:z")
            .Select(entry => entry.Element.ToString()).Distinct().Order(StringComparer.Ordinal));
        Assert.Equal(0.75, database.SortedSetScore("se:z", "m1003"));
        Assert.Equal(5, database.SortedSetLength("se:z", 1, 2));
        Assert.True(database.GeoAdd("se:g", 13.361389, 38.115556, "Palermo"));
        Assert.True(database.GeoAdd("se:g", 15.087269, 37.502669, "Catania"));
        GeoRadiusResult[] found = database.GeoRadius("se:g", 15, 37, 200, GeoUnit.Kilometers,
            order: Order.Ascending);
        Assert.Equal(["Catania", "Palermo"], found.Select(place => place.Member.ToString()));
        Assert.Equal(56.4413, found[0].Distance);
    }

    private void WaitUntilBlocked()
    {
        long start = Environment.TickCount64;
        while (!Cli("INFO", "clients").Contains("blocked_clients:1", StringComparison.Ordinal))
            Assert.True(Environment.TickCount64 - start < PatienceMs, "no client blocks");
    }

    private string Cli(params string[] arguments) => ToolRun.Run("redis-cli", "", ["-p", Port, .. arguments]);

    private ConnectionMultiplexer Connect() => ConnectionMultiplexer.Connect(
        $"127.0.0.1:{Port},syncTimeout={PatienceMs},connectTimeout={PatienceMs}");
}
