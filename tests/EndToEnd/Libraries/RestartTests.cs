using System;
using System.IO;
using System.Threading.Tasks;
using Cinnabar.Tests.EndToEnd.Clients;
using Cinnabar.Tests.Support.Oracle;
using StackExchange.Redis;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Libraries;

/// <summary>Libraries that use scripts and functions go on over restarts of the server: a new one does not
/// know the scripts, and has functions and data from its append-only file.</summary>
public sealed class RestartTests : IDisposable
{
    private const int RestartCount = 4;
    private const int RunMsMin = 200;
    private const int RunMsMax = 600;
    private const int PatienceMs = 300_000;
    private const int RetryMs = 50;
    private const string Done = "restarts:done";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("cinnabar-restart-");
    private readonly StoredServer _server;

    public RestartTests() => _server = StoredServer.StartOwn(
        _directory.FullName, "--appendonly", "yes", "--appendfsync", "always", "--io-threads", "2");

    [Fact]
    public async Task LibrariesGoOn()
    {
        Task node = Task.Run(
            () => ToolRun.Node("restart.mjs", _server.Port), TestContext.Current.CancellationToken);
        Task dotNet = RunStackExchange();
        var random = new Random(1);
        for (int restart = 0; restart < RestartCount; restart++)
        {
            await Task.Delay(random.Next(RunMsMin, RunMsMax), TestContext.Current.CancellationToken);
            _server.Restart();
        }

        using (RespClient client = _server.Connect())
            client.Call("SET", Done, "1");
        await Task.WhenAll(node, dotNet);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _server.Dispose();
        _directory.Delete(recursive: true);
    }

    // Loaded scripts are sent by their digests, and anew where the server does not know them.
    private async Task RunStackExchange()
    {
        // By default it waits for half its patience before it connects again.
        var options = new ConfigurationOptions
        {
            EndPoints = { { "127.0.0.1", _server.Port } },
            AbortOnConnectFail = false,
            AsyncTimeout = PatienceMs,
            ConnectTimeout = PatienceMs,
            ReconnectRetryPolicy = new LinearRetry(RetryMs),
        };
        using ConnectionMultiplexer connection = await ConnectionMultiplexer.ConnectAsync(options);
        IDatabase database = connection.GetDatabase();
        const string script = "if redis.call('SADD', KEYS[1], ARGV[1]) == 1 then "
            + "redis.call('INCR', KEYS[2]) end return redis.call('EXISTS', ARGV[2])";
        int count = 0;
        for (bool isDone = false; !isDone; count++)
        {
            for (bool isAnswered = false; !isAnswered;)
            {
                try
                {
                    isDone = (int)await database.ScriptEvaluateAsync(
                        script, ["se:set", "se:count"], [count, Done]) == 1;
                    isAnswered = true;
                }
                catch (Exception fault) when (fault is RedisConnectionException or RedisTimeoutException
                    || fault.Message.StartsWith("LOADING", StringComparison.Ordinal))
                {
                    // The server was killed, or has not loaded its data yet: once more.
                }
            }
        }

        Assert.Equal(count, (int)await database.StringGetAsync("se:count"));
    }
}
