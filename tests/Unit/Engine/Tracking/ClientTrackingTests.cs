using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Tracking;

/// <summary>Client-side caching: what redis-server 7.0 cannot be compared in, and what several connections
/// see.</summary>
public sealed class ClientTrackingTests
{
    [Fact]
    public void ARedirectedInvalidationIsAMessageForRedis2()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient reader = server.Connect();
        TestClient listener = server.Connect();
        listener.Run("SUBSCRIBE __redis__:invalidate");
        reader.Run($"CLIENT TRACKING ON REDIRECT {listener.Session!.Id}");
        reader.Run("GET k");
        server.Connect().Run("SET k v");
        server.Run();
        Assert.Equal("*3|$7|message|$20|__redis__:invalidate|*1|$1|k|", Raw(listener));
        server.Connect().Run("FLUSHALL");
        server.Run();
        Assert.Equal("*3|$7|message|$20|__redis__:invalidate|$-1|", Raw(listener));
        Assert.Equal("", Raw(reader));
    }

    [Fact]
    public void ABrokenRedirectionIsReported()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient reader = server.Connect(protocol: 3);
        TestClient listener = server.Connect(protocol: 3);
        long id = listener.Session!.Id;
        reader.Run($"CLIENT TRACKING ON REDIRECT {id}");
        reader.Run("GET k");
        reader.Run("GET l");
        server.Connect().Run("SET k v");
        server.Run();
        Assert.Equal(">2|$10|invalidate|*1|$1|k|", Raw(listener));
        listener.Disconnect();
        server.Run();
        server.Connect().Run("SET l v");
        server.Run();
        Assert.Equal($">2|$21|tracking-redir-broken|:{id}|", Raw(reader));
        Assert.Contains($"flags=tR ", reader.Run("CLIENT INFO"), StringComparison.Ordinal);
        Assert.Contains("broken_redirect", reader.Run("CLIENT TRACKINGINFO"), StringComparison.Ordinal);
    }

    [Fact]
    public void AnArgumentThatOnlyStandsWhereKeysDoIsNotTracked()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient reader = server.Connect(protocol: 3);
        reader.Run("CLIENT TRACKING ON");
        Assert.Equal("-ERR This instance has cluster support disabled", reader.Run("CLUSTERSCAN 0"));
        server.Connect().Run("SET 0 v");
        server.Run();
        Assert.Equal("", Raw(reader));
    }

    /// <summary>A script that reads is tracked by the keys that it declares; one that does not is not.
    /// </summary>
    [Fact]
    public void AScriptThatReadsTracksTheKeysThatItDeclares()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient reader = server.Connect(protocol: 3);
        TestClient writer = server.Connect();
        reader.Run("CLIENT TRACKING ON");
        foreach ((string command, string script, bool isTracked) in (ReadOnlySpan<(string, string, bool)>)
            [("EVAL", "redis.call('set', 'other', 'x')", false), ("EVAL", "redis.call('get', 'other')", true),
             ("EVAL_RO", "redis.call('ping')", false), ("EVAL_RO", "redis.call('get', KEYS[1])", true),
             ("EVAL", "redis.call('get', KEYS[1]) redis.call('set', KEYS[1], 1)", true)])
        {
            reader.Send(command, script, "2", "a", "b");
            server.Run();
            Raw(reader);
            writer.Run("MSET b 1 a 2");
            server.Run();
            string expected = !isTracked ? ""
                : script.Contains("set', KEYS", StringComparison.Ordinal) ? Invalidated("b")
                : Invalidated("b") + Invalidated("a");
            Assert.Equal(expected, Raw(reader));
        }
    }

    [Fact]
    public void AnInvalidationOfASlowReadFollowsItsReply()
    {
        using var server = new TestServer(loopCostNsMax: -1, loopCount: 2, clock: null);
        TestClient reader = server.Connect(protocol: 3);
        reader.Run("CLIENT TRACKING ON");
        server.Connect().Run("RPUSH k a b");
        reader.Send("LRANGE", "k", "0", "-1");
        server.Run();
        server.Connect().Run("RPUSH k c");
        server.Run();
        Assert.Equal("*2|$1|a|$1|b|>2|$10|invalidate|*1|$1|k|", Raw(reader));
    }

    [Fact]
    public void AnOwnInvalidationFollowsTheTransaction()
    {
        using var server = new TestServer();
        TestClient client = server.Connect(protocol: 3);
        client.Run("CLIENT TRACKING ON");
        client.SendRaw("GET k\r\nMULTI\r\nSET k 1\r\nSET k 2\r\nEXEC\r\nPING\r\n");
        server.Run();
        Assert.Equal("_|+OK|+QUEUED|+QUEUED|*2|+OK|+OK|>2|$10|invalidate|*1|$1|k|+PONG|", Raw(client));
    }

    [Fact]
    public void AWaitingReaderIsNotified()
    {
        using var server = new TestServer();
        TestClient client = server.Connect(protocol: 3);
        client.Run("CLIENT TRACKING ON");
        client.Run("GET k");
        client.Send("BLPOP", "list", "0");
        server.Run();
        server.Connect().Run("SET k v");
        server.Run();
        Assert.Equal(">2|$10|invalidate|*1|$1|k|", Raw(client));
        client.Run("GET other");
        server.Connect().Run("RPUSH list a");
        server.Run();
        Assert.StartsWith("*2|$4|list|$1|a|", Raw(client), StringComparison.Ordinal);
    }

    [Fact]
    public void TheTableIsBounded()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect(protocol: 3);
        client.Run("CLIENT TRACKING ON");
        for (int key = 0; key < 300; key++)
            client.Run($"GET k{key}");
        Assert.Contains("tracking_total_keys:300", client.Run("INFO stats"), StringComparison.Ordinal);
        client.Send("CONFIG", "SET", "tracking-table-max-keys", "10");
        server.Run();
        var dropped = new List<string>(Raw(client).Split(">2|$10|invalidate|*1|").Skip(1));
        for (int key = 300; key < 700; key++)
        {
            client.Send("GET", $"k{key}");
            server.Run();
            dropped.AddRange(Raw(client).Split(">2|$10|invalidate|*1|").Skip(1));
        }

        server.Run();
        string info = server.Connect().Run("INFO stats");
        int count = int.Parse(info.Split("tracking_total_keys:")[1].Split('\r')[0],
            System.Globalization.CultureInfo.InvariantCulture);
        Assert.InRange(count, 0, 10);
        // A key that is no longer in the table is one that the client has been told to forget.
        dropped.AddRange(Raw(client).Split(">2|$10|invalidate|*1|").Skip(1));
        Assert.Equal(700 - count, dropped.Select(static text => text.Split('|')[1]).Distinct().Count());
    }

    [Fact]
    public void NoLoopIsForScriptsToo()
    {
        using var server = new TestServer();
        TestClient client = server.Connect(protocol: 3);
        foreach (string mode in (string[])["BCAST NOLOOP", "NOLOOP"])
        {
            client.Run("CLIENT TRACKING OFF");
            client.Run($"CLIENT TRACKING ON {mode}");
            client.Run("GET k");
            client.Send("EVAL", "redis.call('set', KEYS[1], '1')", "1", "k");
            server.Run();
            Assert.Equal("_|", Raw(client));
        }
    }

    [Fact]
    public void WhatAScriptReadsWithoutDeclaringItIsTracked()
    {
        using var server = new TestServer();
        TestClient reader = server.Connect(protocol: 3);
        TestClient writer = server.Connect();
        reader.Run("CLIENT TRACKING ON");
        reader.Send("EVAL", "return redis.call('get', 'undeclared')", "0");
        server.Run();
        Assert.Equal("_|", Raw(reader));
        writer.Run("SET undeclared 1");
        server.Run();
        Assert.Equal(Invalidated("undeclared"), Raw(reader));
    }

    [Fact]
    public void SwappedDatabasesAreInvalid()
    {
        using var server = new TestServer();
        TestClient client = server.Connect(protocol: 3);
        client.Run("CLIENT TRACKING ON");
        client.Run("GET k");
        server.Connect().Run("SWAPDB 0 1");
        server.Run();
        Assert.Equal(">2|$10|invalidate|_|", Raw(client));
    }

    [Fact]
    public void StripesReportChangesOnlyWhileKeysAreTracked()
    {
        using var server = new TestServer();
        TestClient client = server.Connect(protocol: 3);
        client.Run("CLIENT TRACKING ON");
        Assert.False(IsObserved(server));
        client.Run("GET k");
        Assert.True(IsObserved(server));
        client.Run("SET k v");
        Assert.False(IsObserved(server));
        client.Run("CLIENT TRACKING OFF");
        client.Run("CLIENT TRACKING ON BCAST");
        Assert.True(IsObserved(server));
        client.Run("RESET");
        Assert.False(IsObserved(server));
        Assert.Contains("tracking_clients:0", client.Run("INFO clients"), StringComparison.Ordinal);
    }

    [Fact]
    public void MutedRepliesDoNotLoseInvalidations()
    {
        using var server = new TestServer();
        TestClient client = server.Connect(protocol: 3);
        client.Run("CLIENT TRACKING ON");
        client.Run("GET k");
        client.Run("CLIENT REPLY OFF");
        server.Connect().Run("SET k v");
        client.Send("GET", "l");
        server.Run();
        Assert.Equal(">2|$10|invalidate|*1|$1|k|", Raw(client));
    }

    private static bool IsObserved(TestServer server) =>
        server.Engine.Keyspace.Stripes.ToArray().Any(static stripe => stripe.IsObserved);

    private static string Invalidated(string key) => $">2|$10|invalidate|*1|${key.Length}|{key}|";

    private static string Raw(TestClient client) =>
        client.TakeRaw().Replace("\r\n", "|", StringComparison.Ordinal);
}
