using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
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
    private const int ConfirmedMin = 50;
    private const int PatienceMs = 300_000;
    private const int RetryMs = 50;
    private const string Done = "failover:done";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AFailoverLosesNothingThatAllReplicasHave(bool isFrozen)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using var watched = new WatchedServers(DownAfterMs);
        StoredServer old = watched.Servers[0];
        List<string> confirmed = [];
        Task writer = Task.Run(() => Write(old, confirmed), TestContext.Current.CancellationToken);
        watched.Await("writes are confirmed", () => writer.IsCompleted || CountOf(confirmed) >= ConfirmedMin);
        Assert.True(CountOf(confirmed) >= ConfirmedMin);
        if (isFrozen)
            old.Freeze(true);
        else
            old.Kill();
        watched.Await("another is the master",
            () => watched.Master is { } other && other != old && IsMaster(other));
        if (isFrozen)
            old.Kill();
        await writer;
        StoredServer master = watched.Master!;
        using RespClient client = master.Connect();
        foreach (string key in confirmed)
            Assert.Equal(":1", client.Call("EXISTS", key).ToString());
        ReturnAsReplica(watched, old, master);
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
                () => watched.Master is { } other && other != old && IsMaster(other));
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

    // Until the master has gone: writes of which both replicas have told that they have them.
    private static void Write(StoredServer master, List<string> confirmed)
    {
        try
        {
            using RespClient client = master.Connect();
            for (int number = 0; ; number++)
            {
                string key = $"key:{number}";
                client.Call("SET", key, "value");
                if (client.Run("WAIT 2 10000") != ":2")
                    continue;
                lock (confirmed)
                    confirmed.Add(key);
            }
        }
        catch (Exception fault) when (fault is IOException or SocketException)
        {
            // It has gone.
        }
    }

    private static int CountOf(List<string> list)
    {
        lock (list)
            return list.Count;
    }

    private static bool IsMaster(StoredServer server) =>
        WatchedServers.Info(server, "role") == "master"
            && WatchedServers.Info(server, "connected_slaves") != "0";

    // The Sentinels have rewritten its configuration, or do so when it is back.
    private static void ReturnAsReplica(WatchedServers watched, StoredServer old, StoredServer master)
    {
        old.Restart();
        watched.Await("the old master is a replica in sync", () =>
            WatchedServers.Info(old, "role") == "slave"
                && WatchedServers.Info(old, "master_link_status") == "up"
                && Digest(old) == Digest(master));
        string path = Path.Combine(DirectoryOf(old), "server.conf");
        watched.Await("its configuration says so", () => File.ReadAllText(path)
            .Contains($"replicaof 127.0.0.1 {master.Port}", StringComparison.Ordinal));
    }

    private static string Digest(StoredServer server)
    {
        using RespClient client = server.Connect();
        return client.Call("DEBUG", "DIGEST").Text;
    }

    private static string DirectoryOf(StoredServer server)
    {
        using RespClient client = server.Connect();
        return client.Call("CONFIG", "GET", "dir").Items[1].Text;
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
