using System;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Tests.EndToEnd.Server;
using StackExchange.Redis;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Clients;

/// <summary>Real clients against the built server, its memory checked.</summary>
public sealed class ClientTests : IDisposable
{
    private const int PatienceMs = 300_000;

    private readonly ServerRun _server = new(("CINNABAR_CHECKED_MEMORY", "1"), null, "--io-threads", "2");

    public ClientTests() => _server.WaitUntilReady();

    private string Port => _server.Port.ToString(CultureInfo.InvariantCulture);

    [Fact]
    public void NodeClients() => ToolRun.Node("clients.mjs", _server.Port);

    [Fact]
    public void NodeClientsOfUsersWithRules() => ToolRun.Node("access.mjs", _server.Port);

    [Fact]
    public void RedisPyOfUsersWithRules() => ToolRun.Python("Clients/redis_py_access.py", _server.Port);

    [Fact]
    public void StackExchangeRedisOfAUserWithRules()
    {
        string options = $"127.0.0.1:{Port},syncTimeout={PatienceMs},connectTimeout={PatienceMs}";
        using ConnectionMultiplexer admin = ConnectionMultiplexer.Connect(options);
        admin.GetDatabase().Execute("ACL", "SETUSER", "se", "on", ">secret", "~se:*", "&*", "+@all",
            "-@dangerous", "+info", "+config|get", "+cluster|nodes", "+client");
        using ConnectionMultiplexer connection =
            ConnectionMultiplexer.Connect(options + ",user=se,password=secret");
        IDatabase database = connection.GetDatabase();
        Assert.Equal("se", database.Execute("ACL", "WHOAMI").ToString());
        Assert.True(database.StringSet("se:user", "1"));
        Assert.Contains("NOPERM", Assert.Throws<RedisServerException>(
            () => database.StringGet("other")).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void NodeCaching() => ToolRun.Node("caching.mjs", _server.Port);

    [Fact]
    public void RedisPy() => ToolRun.Python("Clients/redis_py.py", _server.Port);

    [Fact]
    public void StackExchangeRedis()
    {
        // The client reads on pool threads, which tests that wait for a process hold meanwhile: its one
        // second of patience is a measure of this process, not of the server.
        using ConnectionMultiplexer connection = ConnectionMultiplexer.Connect(
            $"127.0.0.1:{Port},syncTimeout={PatienceMs},connectTimeout={PatienceMs}");
        IDatabase database = connection.GetDatabase(3);
        Assert.True(database.StringSet("se:a", "1", TimeSpan.FromHours(1)));
        Assert.Equal(3, database.StringIncrement("se:a", 2));
        Assert.True(database.KeyTimeToLive("se:a") > TimeSpan.FromMinutes(50));
        ITransaction transaction = database.CreateTransaction();
        transaction.AddCondition(Condition.StringEqual("se:a", "3"));
        _ = transaction.StringIncrementAsync("se:a");
        Assert.True(transaction.Execute());
        Assert.Equal("4", database.StringGet("se:a").ToString());
        using var received = new System.Threading.ManualResetEventSlim();
        connection.GetSubscriber().Subscribe(RedisChannel.Literal("se:news"), (_, value) => received.Set());
        connection.GetSubscriber().Publish(RedisChannel.Literal("se:news"), "hello");
        Assert.True(received.Wait(PatienceMs));
        IServer server = connection.GetServer($"127.0.0.1:{Port}");
        Assert.Equal(new Version(8, 0, 0), server.Version);
        Assert.Equal("se:a", server.Keys(3, "se:*").Single().ToString());
    }

    [Fact]
    public void RedisCli()
    {
        var commands = new StringBuilder();
        for (int index = 0; index < 2000; index++)
            commands.Append(CultureInfo.InvariantCulture, $"SET cli:{index} value{index}\r\n");
        Assert.Contains("errors: 0, replies: 2000", ToolRun.Run("redis-cli", $"{commands}", "-p", Port,
            "--pipe"));
        Assert.Equal(2000, ToolRun.Run("redis-cli", "", "-p", Port, "--scan", "--pattern", "cli:*")
            .Split('\n', StringSplitOptions.RemoveEmptyEntries).Distinct().Count());
        ToolRun.Run("redis-cli", "RPUSH l 1 2\r\nSADD s a\r\nZADD z 1 a\r\nHSET h a b\r\nXADD x * a b\r\n",
            "-p", Port, "--pipe");
        string bigKeys = ToolRun.Run("redis-cli", "", "-p", Port, "--bigkeys");
        string memoryKeys = ToolRun.Run("redis-cli", "", "-p", Port, "--memkeys");
        foreach (string line in (string[])["2000 strings", "1 lists with 2 items", "1 sets with 1 members",
            "1 zsets with 1 members", "1 hashs with 1 fields", "1 streams with 1 entries"])
            Assert.Contains(line, bigKeys);
        foreach (string type in (string[])["string", "list", "set", "zset", "hash", "stream"])
            Assert.Matches($"Biggest +{type} found", memoryKeys);
        Assert.Contains("keys", ToolRun.Run("redis-cli", "", "-p", Port, "-i", "0.1", "-r", "2", "INFO",
            "keyspace"));
        Assert.Contains("PONG", ToolRun.Run("redis-cli", "", "-3", "-p", Port, "PING"));
    }

    // Without a terminal it prints one line after this interval and ends: shortest, longest, mean, samples.
    [Fact]
    public void RedisCliLatency() => Assert.Matches(
        @"^\d+ \d+ \d+\.\d+ \d+\n",
        ToolRun.Run("redis-cli", "", "-p", Port, "--raw", "-i", "0.3", "--latency"));

    // It goes on until it is ended; its rows are the keys, memory, clients, blocked, requests, connections.
    [Fact]
    public void RedisCliStat()
    {
        ToolRun.Run("redis-cli", "", "-p", Port, "SET", "stat:key", "value");
        using ToolStream tool = new("redis-cli", "-p", Port, "-i", "0.05", "--stat");
        long requests = 0;
        for (int row = 0; row < 5;)
        {
            string line = tool.ReadLine();
            if (!char.IsAsciiDigit(line.TrimStart()[0]))
                continue;
            string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            Assert.Equal(("1", "0"), (fields[0], fields[3]));
            Assert.True(fields[1][^1] is 'K' or 'M', fields[1]);
            long total = long.Parse(fields[4], CultureInfo.InvariantCulture);
            Assert.True(total > requests, $"{total} requests after {requests}");
            requests = total;
            row++;
        }
    }

    /// <summary>Each of its tests; it prints a line with "error" for every error that it meets.</summary>
    [Theory]
    [InlineData("1")]
    [InlineData("16")]
    public void RedisBenchmark(string pipeline)
    {
        string output = ToolRun.Run("redis-benchmark", "", "-p", Port, "-q", "-n", "400", "-c", "10", "-P",
            pipeline);
        foreach (string test in (string[])["PING_INLINE", "PING_MBULK", "SET", "GET", "INCR", "LPUSH",
            "RPUSH", "LPOP", "RPOP", "SADD", "HSET", "SPOP", "ZADD", "ZPOPMIN",
            "LRANGE_600 (first 600 elements)", "MSET (10 keys)"])
            Assert.Contains($"{test}: ", output);
        Assert.DoesNotContain("error", output, StringComparison.OrdinalIgnoreCase);
    }

    public void Dispose() => _server.Dispose();
}
