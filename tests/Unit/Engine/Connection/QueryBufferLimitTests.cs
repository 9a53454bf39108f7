using System;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

/// <summary>client-query-buffer-limit: a client with too much unexecuted input is closed.</summary>
public sealed class QueryBufferLimitTests
{
    private const int Megabyte = 1 << 20;
    private const string Message = "Closing client that reached max query buffer length: ";

    [Fact]
    public void AnEndlessCommandOfSmallArgumentsEndsTheClient()
    {
        using TestServer server = WithLimit();
        TestClient client = server.Connect();
        string argument = $"$1000\r\n{new string('x', 1000)}\r\n";
        client.SendRaw("*100000\r\n$4\r\nMSET\r\n");
        client.SendRaw(string.Concat(Enumerable.Repeat(argument, Megabyte / 1000 * 9 / 10)));
        server.Run();
        Assert.False(client.IsClosed);
        client.SendRaw(string.Concat(Enumerable.Repeat(argument, Megabyte / 1000 / 5)));
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Empty(client.TakeRaw());
        string line = Assert.Single(server.Log.Lines, line => line.StartsWith(Message,
            StringComparison.Ordinal));
        Assert.StartsWith($"{Message}id={client.Session!.Id} addr=127.0.0.1:50000 ", line,
            StringComparison.Ordinal);
        Assert.Contains(" tot-cmds=0 (qbuf initial bytes: \"*100000\\r\\n$4\\r\\nMSET\\r\\n", line,
            StringComparison.Ordinal);
        string info = server.Connect().Call("INFO", "stats").Text;
        Assert.Contains("client_query_buffer_limit_disconnections:1\r\n", info, StringComparison.Ordinal);
    }

    [Fact]
    public void ABigArgumentCountsWhileItComesIn()
    {
        using TestServer server = WithLimit();
        TestClient client = server.Connect();
        string nearlyAll = new('x', Megabyte - 100);
        Assert.Equal("+OK", client.Call("SET", "k", nearlyAll).ToString());
        Assert.Equal("+OK", client.Call("MSET", "a", nearlyAll, "b", nearlyAll, "c", nearlyAll).ToString());
        client.Send("SET", "k", new string('x', Megabyte + 100));
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Contains(server.Log.Lines, line => line.EndsWith(
            $" (qbuf initial bytes: \"{new string('x', 64)}\")", StringComparison.Ordinal));
        Assert.Equal($":{Megabyte - 100}", server.Connect().Run("STRLEN k"));
    }

    [Fact]
    public void WhatTheClientSentIsHiddenFromTheLogWhereThatIsAskedFor()
    {
        using TestServer server = WithLimit();
        Assert.Null(server.Configuration.Set([new("hide-user-data-from-log", "yes")], isLocalClient: true));
        TestClient client = server.Connect();
        client.Call("CLIENT", "SETNAME", "secret-name");
        client.Call("CLIENT", "SETINFO", "LIB-NAME", "secret-library");
        client.Call("CLIENT", "SETINFO", "LIB-VER", "secret-version");
        client.Send("SET", "secret-key", "secret-value" + new string('x', Megabyte + 100));
        server.Run();
        Assert.True(client.IsClosed);
        string line = Assert.Single(server.Log.Lines, line => line.StartsWith(Message,
            StringComparison.Ordinal));
        Assert.DoesNotContain("secret", line, StringComparison.Ordinal);
        Assert.Contains(" name=*redacted* ", line, StringComparison.Ordinal);
        Assert.Contains(" user=*redacted* ", line, StringComparison.Ordinal);
        Assert.EndsWith(" (qbuf initial bytes: *redacted*)", line, StringComparison.Ordinal);
        TestClient other = server.Connect();
        other.Call("CLIENT", "SETNAME", "shown");
        Assert.Contains(" name=shown ", other.Call("CLIENT", "LIST").Text, StringComparison.Ordinal);
    }

    [Fact]
    public void CommandsQueuedBetweenMultiAndExecCount()
    {
        using TestServer server = WithLimit();
        TestClient client = server.Connect();
        client.Call("MULTI");
        for (int count = 0; count < 10; count++)
            Assert.Equal("+QUEUED", client.Call("SET", "k", new string('x', Megabyte / 10 - 100)).ToString());
        Assert.Equal("+QUEUED", client.Call("SET", "k", "short").ToString());
        client.Send("SET", "k", new string('x', 2000));
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Equal("_", server.Connect().Run("GET k"));
    }

    [Fact]
    public void APipelineOfAnyDepthIsNoLongInput()
    {
        using TestServer server = WithLimit();
        TestClient client = server.Connect();
        const int CommandCount = 200;
        for (int count = 0; count < CommandCount; count++)
            client.Send("SET", "k", new string('x', 20_000));
        server.Run();
        Assert.Equal(CommandCount, client.Take().Count);
    }

    private static TestServer WithLimit()
    {
        var server = new TestServer();
        Assert.Null(server.Configuration.Set([new("client-query-buffer-limit", "1mb")], isLocalClient: true));
        return server;
    }
}
