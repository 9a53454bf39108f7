using System;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Cinnabar.Tests.EndToEnd.Clients;
using Cinnabar.Tests.Support.Oracle;
using StackExchange.Redis;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Replication;

/// <summary>Redis's Sentinels watch Cinnabar, and fail over when its master has gone.</summary>
public sealed class SentinelTests
{
    private const int DownAfterMs = 5_000;
    private const int ScriptMs = 7_000;
    private const int PatienceMs = 300_000;
    private const int RetryMs = 50;
    private const string Done = "failover:done";

    /// <summary>Confirmed writes must not be lost; others may, by redis-server and by Cinnabar: the output
    /// says how many.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AFailoverLosesNothingThatAllReplicasHave(bool isFrozen)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        var own = new FailoverUnderLoad(isOwn: true, isFrozen);
        var theirs = new FailoverUnderLoad(isOwn: false, isFrozen);
        await Task.WhenAll(Task.Run(own.Run, TestContext.Current.CancellationToken),
            Task.Run(theirs.Run, TestContext.Current.CancellationToken));
        TestContext.Current.TestOutputHelper?.WriteLine($"{own}\n{theirs}");
        Assert.NotEqual(0, own.ConfirmedCount);
        Assert.Equal(0, own.LostConfirmedCount);
    }

    [Fact]
    public async Task ClientsFollowAFailover()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using var watched = new WatchedServers(DownAfterMs);
        string[] ports = [.. watched.Sentinels.Select(
            static one => one.Port.ToString(CultureInfo.InvariantCulture))];
        Task node = Task.Run(() => ToolRun.Node("sentinel.mjs", watched.Sentinels[0].Port, ports[1..]),
            TestContext.Current.CancellationToken);
        Task dotNet = Follow(watched);
        StoredServer old = watched.Servers[0];
        await Task.Run(() =>
        {
            using (RespClient client = old.Connect())
            {
                foreach (string name in (string[])["ioredis", "node-redis", "stackexchange"])
                    watched.Await(
                        $"{name} has written", () => client.Call("EXISTS", name).ToString() == ":1");
            }

            old.Kill();
            watched.Await("another is the master",
                () => watched.Master is { } other && other != old && watched.HasReplica(other));
            using RespClient next = watched.Master!.Connect();
            next.Call("SET", Done, "1");
        }, TestContext.Current.CancellationToken);
        await Task.WhenAll(node, dotNet);
    }

    [Fact]
    public void ALongScriptIsNoFailure()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using var watched = new WatchedServers(DownAfterMs);
        using RespClient client = watched.Servers[0].Connect();
        client.Call("EVAL", $"local t = redis.call('TIME') local s = t[1] * 1000 + t[2] / 1000 "
            + $"local c = os.clock() while (os.clock() - c) * 1000 < {ScriptMs} do end "
            + "return redis.call('SET', KEYS[1], 'done')", "1", "long");
        Assert.Equal("$done", client.Run("GET long"));
        foreach (SentinelProcess sentinel in watched.Sentinels)
            Assert.DoesNotContain("+sdown", sentinel.Log, StringComparison.Ordinal);
    }

    private static async Task Follow(WatchedServers watched)
    {
        var options = new ConfigurationOptions { ServiceName = "watched", AbortOnConnectFail = false };
        foreach (SentinelProcess sentinel in watched.Sentinels)
            options.EndPoints.Add("127.0.0.1", sentinel.Port);
        await using ConnectionMultiplexer connection = await ConnectionMultiplexer.ConnectAsync(options);
        for (long start = Environment.TickCount64; ; await Task.Delay(RetryMs))
        {
            Assert.True(Environment.TickCount64 - start < PatienceMs, "it does not find the new master");
            try
            {
                IDatabase database = connection.GetDatabase();
                await database.StringSetAsync("stackexchange", "1");
                if (await database.KeyExistsAsync(Done))
                    return;
            }
            catch (Exception fault) when (fault is RedisException or TimeoutException)
            {
                // The old master has gone, and the new one is not known yet.
            }
        }
    }
}
