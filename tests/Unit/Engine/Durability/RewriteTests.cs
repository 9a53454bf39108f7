using System;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>Rewrites of the append-only file: those that fail, and what they leave.</summary>
public sealed class RewriteTests
{
    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();

    [Fact]
    public void HistoryIsDeletedWhenItIsNoLongerKept()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("CONFIG SET aof-disable-auto-gc yes");
        client.Run("SET a 1");
        Rewrite(server, client);
        Assert.Equal(2, _files.Paths.Count(static path => path.Contains(".base.", StringComparison.Ordinal)));
        client.Run("CONFIG SET aof-disable-auto-gc no");
        Assert.Single(_files.Paths, static path => path.Contains(".base.", StringComparison.Ordinal));
        Assert.Single(_files.Paths, static path => path.Contains(".incr.", StringComparison.Ordinal));
    }

    /// <summary>After three failures the next automatic rewrite waits; one on command does not.</summary>
    [Fact]
    public void AutomaticRewritesThatFailAreLimited()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("SET a 1");
        _files.Changing = static (_, path) => !path.Contains("temp-rewriteaof", StringComparison.Ordinal);
        for (int count = 0; count < 3; count++)
            Rewrite(server, client);
        Assert.Contains("aof_rewrites_consecutive_failures:3", client.Run("INFO persistence"),
            StringComparison.Ordinal);
        Assert.Equal(0, LimitCount(server));
        _files.Changing = null;
        client.Run("CONFIG SET auto-aof-rewrite-min-size 1 auto-aof-rewrite-percentage 1");
        client.Run($"SET b {new string('x', 1000)}");
        Settle(server);
        Assert.Equal(1, LimitCount(server));
        Assert.Contains("aof_rewrites:3", client.Run("INFO persistence"), StringComparison.Ordinal);
        _clock.Advance(microseconds: 61_000_000);
        Settle(server);
        Assert.Contains("aof_rewrites_consecutive_failures:0", client.Run("INFO persistence"),
            StringComparison.Ordinal);
        Assert.Equal(1, LimitCount(server));
    }

    private static int LimitCount(TestServer server) => server.Log.Lines.Count(static line =>
        line.Contains("triggered the limit, will retry in 1 minutes", StringComparison.Ordinal));

    private void Rewrite(TestServer server, TestClient client)
    {
        Assert.StartsWith("+Background", client.Run("BGREWRITEAOF"), StringComparison.Ordinal);
        Settle(server);
    }

    private void Settle(TestServer server)
    {
        for (int step = 0; step < 10; step++)
        {
            _clock.Advance(microseconds: 200_000);
            server.Engine.Data.Journal.Step();
            server.Run();
        }
    }

    private TestServer Start()
    {
        TestServer server = TestServer.On(
            _files, _clock, ("appendonly", "yes"), ("auto-aof-rewrite-percentage", "0"));
        Exception? fault = null;
        server.Engine.Loading.Prepare();
        server.Engine.Loading.Begin(ended => fault = ended);
        Assert.Null(fault);
        return server;
    }
}
