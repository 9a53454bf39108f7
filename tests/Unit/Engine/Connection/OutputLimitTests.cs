using System;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

/// <summary>
/// client-output-buffer-limit: a client with more unsent output is closed, even if the system would have
/// taken it.
/// </summary>
public sealed class OutputLimitTests
{
    [Fact]
    public void OneReplyBeyondTheHardLimitIsNotSent()
    {
        using TestServer server = WithLimit(100_000);
        TestClient client = server.Connect();
        for (int count = 0; count < 150; count++)
            client.Call("RPUSH", "list", new string('x', 1000));
        client.Send("LRANGE", "list", "0", "-1");
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Empty(client.TakeRaw());
        Assert.Contains("client_output_buffer_limit_disconnections:1\r\n",
            server.Connect().Call("INFO", "stats").Text, StringComparison.Ordinal);
        string line = Assert.Single(
            server.Log.Lines, one => one.Contains("output buffer limits", StringComparison.Ordinal));
        Assert.Matches(
            @"\AClient id=\d+ addr=\S+ .* cmd=lrange .* closed for overcoming of output buffer limits\. "
                + @"Unsent bytes: 1\d{5}\.\z", line);
    }

    [Theory]
    [InlineData(9, false)]
    [InlineData(15, true)]
    public void ThePipelineOfATurnCountsAsAWhole(int count, bool isClosed)
    {
        using TestServer server = WithLimit(100_000);
        TestClient client = server.Connect();
        client.Call("SET", "big", new string('x', 10_000));
        for (; count > 0; count--)
            client.Send("GET", "big");
        server.Run();
        Assert.Equal(isClosed, client.IsClosed);
        Assert.Equal(isClosed, client.TakeRaw().Length == 0);
    }

    /// <summary>Messages that waited for a busy loop do not count as unread by the peer.</summary>
    [Theory]
    [InlineData("PUBLISH", "SUBSCRIBE", 4_000)]
    [InlineData("SPUBLISH", "SSUBSCRIBE", 64_000)]
    public void ASubscriberOfALoopThatLagsIsNotClosed(string publish, string subscribe, int size)
    {
        const int ByteCount = 16_000_000;
        using var server = new TestServer(loopCount: 2);
        server.Configuration.Override("client-output-buffer-limit", "pubsub", "1000000", "0", "0");
        TestClient subscriber = server.Connect(1);
        subscriber.Run($"{subscribe} c");
        TestClient publisher = server.Connect();
        string message = new('x', size);
        for (int count = 0; count < ByteCount / size; count++)
            publisher.Send(publish, "c", message);
        int shownCount = 0;
        for (int round = 0; round < 1000; round++)
        {
            for (int turn = 0; turn < 100; turn++)
                server.TurnLoop(0);
            subscriber.OutputRoom = 1_000_000;
            server.TurnLoop(1);
            subscriber.Drain();
            shownCount += subscriber.Take().Count;
        }

        server.Run();
        Assert.False(subscriber.IsClosed);
        Assert.Equal(ByteCount / size, shownCount + subscriber.Take().Count);
        Assert.Equal(ByteCount / size, publisher.Take().Count(static reply => reply.ToString() == ":1"));
        Assert.Contains($"cmdstat_{publish.ToLowerInvariant()}:calls={ByteCount / size},",
            publisher.Call("INFO", "commandstats").Text, StringComparison.Ordinal);
    }

    [Fact]
    public void ATransactionIsExecutedWholeAllTheSame()
    {
        using TestServer server = WithLimit(100_000);
        TestClient client = server.Connect();
        client.Call("SET", "big", new string('x', 90_000));
        client.Call("MULTI");
        foreach (string line in (string[])["SET a 1", "GET big", "GET big", "SET b 2"])
            client.Run(line);
        client.Send("EXEC");
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Equal("*[$1, $2]", server.Connect().Run("MGET a b"));
    }

    [Theory]
    [InlineData("HRANDFIELD h -999999999")]
    [InlineData("SRANDMEMBER s -999999999")]
    [InlineData("ZRANDMEMBER z -999999999")]
    public void AnEndlessReplyEndsWhenItsReaderIsGone(string command)
    {
        using TestServer server = WithLimit(1_000_000);
        TestClient client = server.Connect();
        client.Run("HSET h a b");
        client.Run("SADD s a b c");
        client.Run("ZADD z 1 a");
        client.Send(command.Split(' '));
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Empty(client.TakeRaw());
    }

    [Fact]
    public void WithoutALimitABigReplyIsSent()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Call("SET", "big", new string('x', 3 << 20));
        Assert.Equal(3 << 20, client.Call("GET", "big").Text.Length);
    }

    [Fact]
    public void AnUnauthenticatedClientMayHaveLittleUnsentOutput()
    {
        using var server = new TestServer(1, null, ("requirepass", "secret"));
        TestClient client = server.Connect();
        Assert.StartsWith("-NOAUTH", client.Run("GET a"), StringComparison.Ordinal);
        client.OutputRoom = 0;
        for (int count = 0; count < 100; count++)
            client.Send("GET", "a");
        server.Run();
        Assert.True(client.IsClosed);
        TestClient known = server.Connect();
        known.Run("AUTH secret");
        known.OutputRoom = 0;
        for (int count = 0; count < 1000; count++)
            known.Send("GET", "a");
        server.Run();
        Assert.False(known.IsClosed);
    }

    private static TestServer WithLimit(int hardBytes)
    {
        var server = new TestServer();
        server.Configuration.Override("client-output-buffer-limit", "normal", $"{hardBytes}", "0", "0");
        return server;
    }
}
