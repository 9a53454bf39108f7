using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>A server that ends waits for its replicas.</summary>
public sealed class ShutdownTests
{
    private readonly ManualClock _clock = new();
    private bool _isEnded;

    [Fact]
    public void ItEndsWhenTheReplicaHasEverything()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestClient writer = server.Connect(loop: 1);
        TestReplica replica = TestReplica.Online(server);
        writer.Run("SET a 1");
        Assert.Equal("", client.Run("SHUTDOWN NOSAVE"));
        Assert.Equal("", writer.Run("SET a 2"));
        Assert.Contains("paused_reason:shutdown_in_progress\r\n",
            server.Connect().Call("INFO", "clients").Text, StringComparison.Ordinal);
        Assert.Contains("shutdown_in_milliseconds:", server.Connect().Call("INFO", "server").Text,
            StringComparison.Ordinal);
        replica.TakeStream();
        replica.Acknowledge(replica.Offset - 1);
        Assert.False(_isEnded);
        replica.Acknowledge(replica.Offset);
        Assert.True(_isEnded);
        Assert.Equal(["User requested shutdown...", "Waiting for replicas before shutting down.",
            "1 of 1 replicas are in sync when shutting down."], Lines(server));
    }

    [Fact]
    public void AfterTheTimeoutItEndsAndSaysWhoLags()
    {
        using TestServer server = Start(("shutdown-timeout", "3"));
        TestClient client = server.Connect();
        TestReplica.Online(server);
        TestReplica other = TestReplica.Online(server, port: 7001);
        client.Run("SET a 1");
        other.TakeStream();
        Assert.Equal("", client.Run("SHUTDOWN"));
        _clock.Advance(2_000_000);
        server.Run();
        Assert.False(_isEnded);
        other.Acknowledge(other.Offset);
        _clock.Advance(1_100_000);
        server.Run();
        Assert.True(_isEnded);
        Assert.Equal("Lagging replica 127.0.0.1:7000 reported offset 50 behind master, lag=3, state=online.",
            Lines(server)[^2]);
        Assert.Equal("1 of 2 replicas are in sync when shutting down.", Lines(server)[^1]);
    }

    [Fact]
    public void ItCanBeAborted()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        TestClient second = server.Connect();
        TestClient writer = server.Connect(loop: 1);
        TestReplica.Online(server);
        writer.Run("SET a 1");
        Assert.Equal("", client.Run("SHUTDOWN"));
        Assert.Equal("", second.Run("SHUTDOWN NOSAVE FORCE"));
        Assert.Equal("", writer.Run("SET a 2"));
        TestClient third = server.Connect();
        Assert.Equal("+OK", third.Run("SHUTDOWN ABORT"));
        const string Error = "-ERR Errors trying to SHUTDOWN. Check logs.";
        Assert.Equal((Error, Error, "+OK"), (client.Shown(), second.Shown(), writer.Shown()));
        Assert.False(_isEnded);
        Assert.Equal("-ERR No shutdown in progress.", third.Run("SHUTDOWN ABORT"));
        Assert.Equal("", client.Run("SHUTDOWN NOW NOSAVE"));
        Assert.True(_isEnded);
    }

    [Theory]
    [InlineData("0", "default", "default", false, true)]
    [InlineData("10", "now", "default", false, true)]
    [InlineData("10", "default", "now", false, false)]
    [InlineData("10", "default", "now", true, true)]
    [InlineData("10", "now", "default", true, false)]
    public void SoDoesASignal(
        string timeout, string onSigterm, string onSigint, bool isInterrupt, bool isAtOnce)
    {
        using TestServer server = Start(("shutdown-timeout", timeout), ("shutdown-on-sigterm", onSigterm),
            ("shutdown-on-sigint", onSigint));
        TestClient client = server.Connect();
        TestReplica replica = TestReplica.Online(server);
        client.Run("SET a 1");
        bool? result = null;
        server.Engine.PrepareEnd(isInterrupt, ends => result = ends);
        Assert.Equal(isAtOnce ? true : null, result);
        replica.TakeStream();
        replica.Acknowledge(replica.Offset);
        Assert.True(result);
    }

    private static List<string> Lines(TestServer server) => [.. server.Log.Lines.Where(static line =>
        line.Contains("shut", StringComparison.Ordinal)
            || line.Contains("Lagging", StringComparison.Ordinal))];

    private TestServer Start(params ReadOnlySpan<(string Directive, string Value)> more)
    {
        var server = new TestServer(2, _clock,
            [("repl-diskless-sync-delay", "0"), ("repl-ping-replica-period", "100000"), .. more]);
        server.Engine.ShutdownRequested = () => _isEnded = true;
        return server;
    }
}
