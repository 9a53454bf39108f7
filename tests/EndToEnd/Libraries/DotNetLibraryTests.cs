using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Tests.EndToEnd.Server;
using Hangfire;
using Hangfire.Redis.StackExchange;
using Hangfire.Storage;
using Hangfire.Storage.Monitoring;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.SignalR.Client;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.StackExchangeRedis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using StackExchange.Redis;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Libraries;

/// <summary>What the .NET world builds on a Redis, against the built server, its memory checked.</summary>
public sealed class DotNetLibraryTests : IDisposable
{
    private const int PatienceMs = 300_000;
    private const int PollMs = 50;

    private readonly ServerRun _server = new(("CINNABAR_CHECKED_MEMORY", "1"), null, "--io-threads", "2");

    public DotNetLibraryTests() => _server.WaitUntilReady();

    // The client counts its patience in this process, which may be busy.
    private string Configuration =>
        $"127.0.0.1:{_server.Port},syncTimeout={PatienceMs},asyncTimeout={PatienceMs},"
        + $"connectTimeout={PatienceMs}";

    [Fact]
    public async Task TheDistributedCache()
    {
        using var cache = new RedisCache(
            new RedisCacheOptions { Configuration = Configuration, InstanceName = "app:" });
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        await cache.SetStringAsync("a", "one", new DistributedCacheEntryOptions
        {
            SlidingExpiration = TimeSpan.FromMinutes(50),
            AbsoluteExpirationRelativeToNow = TimeSpan.FromHours(2),
        }, cancellation);
        Assert.Equal("one", await cache.GetStringAsync("a", cancellation));
        using (ConnectionMultiplexer connection = await ConnectionMultiplexer.ConnectAsync(Configuration))
        {
            IDatabase database = connection.GetDatabase();
            Assert.Equal("one", (string?)await database.HashGetAsync("app:a", "data"));
            TimeSpan? left = await database.KeyTimeToLiveAsync("app:a");
            Assert.InRange(left!.Value, TimeSpan.FromMinutes(30), TimeSpan.FromMinutes(50));
        }

        await cache.RefreshAsync("a", cancellation);
        await cache.RemoveAsync("a", cancellation);
        Assert.Null(await cache.GetStringAsync("a", cancellation));
        byte[] big = new byte[1 << 20];
        new Random(1).NextBytes(big);
        await cache.SetAsync("big", big, cancellation);
        Assert.Equal(big, await cache.GetAsync("big", cancellation));
    }

    [Fact]
    public async Task TheBackplaneOfSignalR()
    {
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        await using WebApplication first = MakeHost();
        await using WebApplication second = MakeHost();
        await first.StartAsync(cancellation);
        await second.StartAsync(cancellation);
        using var heard = new BlockingCollection<string>();
        await using HubConnection one = Connect(first, "one", heard);
        await using HubConnection two = Connect(second, "two", heard);
        await one.StartAsync(cancellation);
        await two.StartAsync(cancellation);
        await one.InvokeAsync(nameof(TalkHub.Say), "to all", cancellation);
        await two.InvokeAsync(nameof(TalkHub.Say), "all again", cancellation);
        await two.InvokeAsync(nameof(TalkHub.Join), "g", cancellation);
        await one.InvokeAsync(nameof(TalkHub.SayTo), "g", "to a group", cancellation);
        List<string> wanted =
            ["one: all again", "one: to all", "two: all again", "two: to a group", "two: to all"];
        List<string> all = [.. wanted.Select(_ => Take(heard))];
        Assert.Equal(wanted, all.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void TheJobsOfHangfire()
    {
        const int jobCount = 50;
        var storage = new RedisStorage(Configuration,
            new RedisStorageOptions { Db = 2, FetchTimeout = TimeSpan.FromSeconds(1) });
        var options = new BackgroundJobServerOptions
        {
            WorkerCount = 4,
            SchedulePollingInterval = TimeSpan.FromMilliseconds(200),
        };
        using var server = new BackgroundJobServer(options, storage);
        var client = new BackgroundJobClient(storage);
        string last = "";
        for (int count = 0; count < jobCount; count++)
            last = client.Enqueue(() => CountedWork.Do(1));
        client.Schedule(() => CountedWork.Do(1), TimeSpan.FromMilliseconds(300));
        client.ContinueJobWith(last, () => CountedWork.Do(1));
        client.Enqueue(() => CountedWork.FailOnce());
        var recurring = new RecurringJobManager(storage);
        recurring.AddOrUpdate("hourly", () => CountedWork.Do(1), Cron.Hourly());
        recurring.Trigger("hourly");
        IMonitoringApi monitoring = storage.GetMonitoringApi();
        Assert.True(SpinWait.SpinUntil(() => IsDone(monitoring, jobCount + 4), PatienceMs),
            $"{CountedWork.UnitCount} units of work are done");
        Assert.Equal(jobCount + 4, CountedWork.UnitCount);
        Assert.Equal(1, monitoring.GetStatistics().Recurring);
    }

    /// <inheritdoc/>
    public void Dispose() => _server.Dispose();

    private static bool IsDone(IMonitoringApi monitoring, int jobCount)
    {
        Thread.Sleep(PollMs);
        StatisticsDto statistics = monitoring.GetStatistics();
        Assert.Equal(0, statistics.Failed);
        return statistics.Succeeded == jobCount;
    }

    private static string Take(BlockingCollection<string> heard)
    {
        Assert.True(heard.TryTake(out string? text, PatienceMs), "a message is missing");
        return text!;
    }

    private static HubConnection Connect(WebApplication host, string name, BlockingCollection<string> heard)
    {
        HubConnection connection = new HubConnectionBuilder().WithUrl($"{host.Urls.First()}/hub").Build();
        connection.On<string>(TalkHub.Said, text => heard.Add($"{name}: {text}"));
        return connection;
    }

    private WebApplication MakeHost()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseSetting("urls", "http://127.0.0.1:0");
        builder.Services.AddSignalR().AddStackExchangeRedis(Configuration);
        WebApplication host = builder.Build();
        host.MapHub<TalkHub>("/hub");
        return host;
    }
}
