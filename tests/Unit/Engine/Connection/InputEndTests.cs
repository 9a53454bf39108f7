using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

/// <summary>Sessions whose peer has ended its side of the connection.</summary>
public sealed class InputEndTests
{
    [Fact]
    public void AReadingSessionIsClosed()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Assert.Equal("PONG", client.Call("PING").Text);
        client.EndInput();
        server.Run();
        Assert.True(client.IsClosed);
    }

    [Fact]
    public void ABlockedClientIsClosed()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Send("WAIT", "1", "0");
        client.Send("PING");
        server.Run();
        Assert.Equal(ExecutionState.Blocked, client.Session!.Suspended!.State);
        client.EndInput();
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Equal("", client.TakeRaw());
    }

    /// <summary>The end of the input comes behind all that the peer has sent, which is read, however much it
    /// is.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhatComesBehindABlockingCommandIsReadAndKept(bool isLocked)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            Assert.True(!isLocked || stripe.Lock.TryEnter());
        client.Send("BLPOP", "k", "0");
        server.Run();
        Assert.Equal(!isLocked, client.IsReading);
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
        {
            if (isLocked)
                stripe.Lock.Exit();
        }

        server.Run();
        Assert.True(client.IsReading);
        for (int count = 0; count < 100_000; count++)
            client.Send("INCR", "count");
        server.Run();
        Assert.Equal("", client.TakeRaw());
        server.Connect().Call("RPUSH", "k", "v");
        server.Run();
        Assert.Equal(100_001, client.Take().Count);
        client.Send("BLPOP", "k", "0");
        client.Send("INCR", "count");
        server.Run();
        client.EndInput();
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Equal("$100000", server.Connect().Run("GET count"));
    }

    [Fact]
    public void AClientThatSendsTooMuchWhileBlockedIsClosed()
    {
        using var server = new TestServer(1, null, ("client-query-buffer-limit", "1mb"));
        TestClient client = server.Connect();
        client.Send("BLPOP", "k", "0");
        for (int count = 0; count < 20; count++)
            client.Send("SET", "k", new string('x', 100_000));
        server.Run();
        Assert.True(client.IsClosed);
    }

    [Fact]
    public void EarlierRepliesOfABlockedOneAreSentFirst()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.OutputRoom = 3;
        client.Send("PING");
        client.Send("WAIT", "1", "0");
        server.Run();
        client.EndInput();
        server.Run();
        Assert.False(client.IsClosed);
        Assert.Null(client.Session!.Suspended);
        client.Drain();
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Equal("+PONG\r\n", client.TakeRaw());
    }

    [Fact]
    public void WhatWasReceivedIsExecuted()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            Assert.True(stripe.Lock.TryEnter());
        client.Send("SET", "k", "v");
        client.Send("GET", "k");
        server.Run();
        Assert.NotNull(client.Session!.Suspended);
        client.EndInput();
        server.Run();
        Assert.False(client.IsClosed);
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            stripe.Lock.Exit();
        server.Run();
        Assert.Equal("+OK\r\n$1\r\nv\r\n", client.TakeRaw());
        client.EndInput();
        server.Run();
        Assert.True(client.IsClosed);
    }

    [Fact]
    public void AClientThatBlocksAfterItsEndIsClosed()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock);
        TestClient other = server.Connect();
        TestClient client = server.Connect();
        other.Call("CLIENT", "PAUSE", "100", "ALL");
        client.Send("WAIT", "1", "0");
        server.Run();
        Assert.Equal(ExecutionState.Paused, client.Session!.Suspended!.State);
        client.EndInput();
        server.Run();
        Assert.False(client.IsClosed);
        clock.Advance(1_000_000);
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Equal("", client.TakeRaw());
    }

    [Fact]
    public void UnsentRepliesKeepItOpen()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.OutputRoom = 4;
        client.Send("ECHO", "hello");
        server.Run();
        client.EndInput();
        server.Run();
        Assert.False(client.IsClosed);
        Assert.False(client.IsReading);
        client.Drain();
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Equal("$5\r\nhello\r\n", client.TakeRaw());
    }
}
