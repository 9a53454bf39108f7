using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Replication;

/// <summary>How a loop sends what a session's feed has. The server looks for leaks at its end.</summary>
public sealed class FeedOutputTests
{
    [Fact]
    public void APeerThatTakesPartOfItGetsTheRestInOrder()
    {
        using var server = new TestServer();
        (TestClient client, ListedFeed feed) = Feed(server);
        client.OutputRoom = 5;
        feed.Add("one,");
        feed.Add("two,");
        server.Run();
        Assert.Equal("one,t", client.TakeRaw());
        feed.Add("three,");
        server.Run();
        Assert.Equal("", client.TakeRaw());
        Assert.Equal(6, feed.WaitingBytes);
        client.Drain();
        server.Run();
        Assert.Equal("wo,three,", client.TakeRaw());
        feed.Add("four");
        server.Run();
        Assert.Equal("four", client.TakeRaw());
    }

    /// <summary>More segments than one send takes.</summary>
    [Fact]
    public void ManySegmentsAreSentInOrder()
    {
        using var server = new TestServer();
        (TestClient client, ListedFeed feed) = Feed(server);
        string[] texts = [.. Enumerable.Range(0, 100).Select(number => $"{number},")];
        foreach (string text in texts)
            feed.Add(text);
        server.Run();
        Assert.Equal(string.Concat(texts), client.TakeRaw());
    }

    [Fact]
    public void NothingIsSentWhileASendIsPending()
    {
        using var server = new TestServer();
        (TestClient client, ListedFeed feed) = Feed(server);
        client.HoldsSends = true;
        feed.Add("one,");
        feed.Add("two,");
        server.Run();
        feed.Add("three,");
        server.Run();
        Assert.Equal(6, feed.WaitingBytes);
        client.Complete(byteCountMax: 5);
        server.Run();
        Assert.Equal("one,t", client.TakeRaw());
        Assert.Equal(6, feed.WaitingBytes);
        client.Complete();
        server.Run();
        Assert.Equal("wo,", client.TakeRaw());
        Assert.Equal(0, feed.WaitingBytes);
        client.Complete();
        server.Run();
        Assert.Equal("three,", client.TakeRaw());
        Assert.False(client.IsSending);
    }

    /// <summary>The bytes of a send stay until it has ended, the session's end or not.</summary>
    [Fact]
    public void ASessionMayEndWhileASendIsPending()
    {
        using var server = new TestServer();
        (TestClient client, ListedFeed feed) = Feed(server);
        client.HoldsSends = true;
        feed.Add(new string('x', 100_000));
        server.Run();
        feed.Add("more");
        client.Disconnect();
        server.Run();
        Assert.True(feed.IsClosed);
        Assert.Equal(0, feed.WaitingBytes);
        client.Complete();
        server.Run();
        Assert.Equal(new string('x', 100_000), client.TakeRaw());
    }

    [Fact]
    public void ASendThatFailsClosesTheSession()
    {
        using var server = new TestServer();
        (TestClient client, ListedFeed feed) = Feed(server);
        client.IsBroken = true;
        feed.Add("one");
        feed.Add("two");
        server.Run();
        Assert.True(client.IsClosed);
        Assert.True(feed.IsClosed);
    }

    /// <summary>A reply that was begun before comes before.</summary>
    [Fact]
    public void RepliesAndTheFeedKeepTheirOrder()
    {
        using var server = new TestServer();
        (TestClient client, ListedFeed feed) = Feed(server);
        client.OutputRoom = 3;
        client.Send("PING");
        server.Run();
        feed.Add("fed");
        server.Run();
        client.Drain();
        server.Run();
        Assert.Equal("+PONG\r\nfed", client.TakeRaw());
    }

    /// <summary>What waits in the feed counts against the limit of the session's output.</summary>
    [Fact]
    public void WhatWaitsCountsAgainstTheLimit()
    {
        using var server = new TestServer();
        server.Configuration.Override("client-output-buffer-limit", "normal", "1000", "0", "0");
        (TestClient client, ListedFeed feed) = Feed(server);
        client.OutputRoom = 1;
        feed.Add(new string('x', 400));
        server.Run();
        Assert.False(client.IsClosed);
        feed.Add(new string('y', 700));
        server.Run();
        Assert.True(client.IsClosed);
        Assert.True(feed.IsClosed);
    }

    private static (TestClient Client, ListedFeed Feed) Feed(TestServer server)
    {
        TestClient client = server.Connect();
        var feed = new ListedFeed(server, client.Session!);
        client.Session!.Feed = feed;
        return (client, feed);
    }
}
