using System;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Cinnabar.Tests.EndToEnd.Clients;
using Cinnabar.Tests.EndToEnd.Server;
using StackExchange.Redis;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Libraries;

/// <summary>Clients that use libraries of functions, against the built server, its memory checked.</summary>
public sealed class FunctionTests : IDisposable
{
    private const int PatienceMs = 300_000;

    private readonly ServerRun _server = new(("CINNABAR_CHECKED_MEMORY", "1"), null, "--io-threads", "2");

    public FunctionTests() => _server.WaitUntilReady();

    private string Port => _server.Port.ToString(CultureInfo.InvariantCulture);

    /// <summary>Calls from many clients: no money is lost, and state in Lua is one.</summary>
    [Fact]
    public void RedisPy() => ToolRun.Python("Libraries/redis_py_functions.py", _server.Port);

    /// <summary>A library from a file, by redis-cli.</summary>
    [Fact]
    public void RedisCli()
    {
        const string library = "#!lua name=cli\nredis.register_function('cli_echo', function(keys, args) "
            + "return {keys[1], args[1]} end)";
        Assert.Equal("cli\n", ToolRun.Run("redis-cli", library, "-p", Port, "-x", "FUNCTION", "LOAD"));
        Assert.Equal("k\nv\n", ToolRun.Run("redis-cli", "", "-p", Port, "FCALL", "cli_echo", "1", "k", "v"));
    }

    [Fact]
    public async Task StackExchangeRedis()
    {
        using ConnectionMultiplexer connection = await ConnectionMultiplexer.ConnectAsync(
            $"127.0.0.1:{Port},syncTimeout={PatienceMs},asyncTimeout={PatienceMs},"
            + $"connectTimeout={PatienceMs}");
        IDatabase database = connection.GetDatabase();
        const string library = """
            #!lua name=se
            local limits = {window = 60, count = 5}
            server.register_function('se_limit', function(keys, args)
              local count = redis.call('INCR', keys[1])
              if count == 1 then redis.call('EXPIRE', keys[1], limits.window) end
              return count <= limits.count
            end)
            """;
        Assert.Equal("se", (string?)await database.ExecuteAsync("FUNCTION", "LOAD", library));
        Task<RedisResult>[] calls = [.. Enumerable.Range(0, 100).Select(
            call => database.ExecuteAsync("FCALL", "se_limit", 1, (RedisKey)$"se:{call % 10}"))];
        RedisResult[] replies = await Task.WhenAll(calls);
        Assert.Equal(50, replies.Count(static reply => !reply.IsNull));
        Assert.True(await database.KeyTimeToLiveAsync("se:1") > TimeSpan.Zero);
        var error = await Assert.ThrowsAsync<RedisServerException>(
            () => database.ExecuteAsync("FCALL", "se_limit", 0));
        Assert.Contains("se_limit, on @user_function:", error.Message, StringComparison.Ordinal);
    }

    /// <inheritdoc/>
    public void Dispose() => _server.Dispose();
}
