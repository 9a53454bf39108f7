using System;
using System.Globalization;
using System.Threading.Tasks;
using Cinnabar.Tests.EndToEnd.Clients;
using Cinnabar.Tests.EndToEnd.Server;
using StackExchange.Redis;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Libraries;

/// <summary>Clients and libraries that use scripts, against the built server, its memory checked.</summary>
public sealed class ScriptTests : IDisposable
{
    private const int PatienceMs = 300_000;

    private readonly ServerRun _server = new(("CINNABAR_CHECKED_MEMORY", "1"), null, "--io-threads", "2");

    public ScriptTests() => _server.WaitUntilReady();

    private string Port => _server.Port.ToString(CultureInfo.InvariantCulture);

    /// <summary>ioredis with its own commands, and node-redis.</summary>
    [Fact]
    public void NodeClients() => ToolRun.Node("scripts.mjs", _server.Port);

    [Fact]
    public void BullMq() => ToolRun.Node("bullmq.mjs", _server.Port);

    /// <summary>Registered scripts, and locks.</summary>
    [Fact]
    public void RedisPy() => ToolRun.Python("Libraries/redis_py_scripts.py", _server.Port);

    [Fact]
    public void Celery() => ToolRun.Python("Libraries/celery_jobs.py", _server.Port);

    [Fact]
    public async Task StackExchangeRedis()
    {
        using ConnectionMultiplexer connection = await ConnectionMultiplexer.ConnectAsync(
            $"127.0.0.1:{Port},syncTimeout={PatienceMs},asyncTimeout={PatienceMs},"
            + $"connectTimeout={PatienceMs}");
        IDatabase database = connection.GetDatabase();
        RedisResult result = await database.ScriptEvaluateAsync(
            "return {KEYS[1], ARGV[1], redis.call('INCRBY', KEYS[1], ARGV[1])}", ["se:n"], [5]);
        Assert.Equal(["se:n", "5", "5"], (string[])result!);
        LuaScript prepared = LuaScript.Prepare("return redis.call('SET', @key, @value)");
        var arguments = new { key = (RedisKey)"se:k", value = 123 };
        Assert.Equal("OK", (string?)await database.ScriptEvaluateAsync(prepared, arguments));
        LoadedLuaScript loaded = await prepared.LoadAsync(connection.GetServer($"127.0.0.1:{Port}"));
        Assert.Equal("OK", (string?)await loaded.EvaluateAsync(database, arguments));
        var error = await Assert.ThrowsAsync<RedisServerException>(
            () => database.ScriptEvaluateAsync("return redis.call('LPUSH', KEYS[1], 1)", ["se:k"]));
        Assert.StartsWith("WRONGTYPE Operation against a key", error.Message, StringComparison.Ordinal);
        Assert.True(await database.LockTakeAsync("se:lock", "me", TimeSpan.FromMinutes(5)));
        Assert.False(await database.LockReleaseAsync("se:lock", "another"));
        Assert.True(await database.LockExtendAsync("se:lock", "me", TimeSpan.FromMinutes(9)));
        Assert.True(await database.LockReleaseAsync("se:lock", "me"));
    }

    /// <inheritdoc/>
    public void Dispose() => _server.Dispose();
}
