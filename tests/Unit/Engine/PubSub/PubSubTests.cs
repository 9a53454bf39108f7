using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.PubSub;

/// <summary>Which subscribers get which messages, in which order, over several loops.</summary>
public sealed class PubSubTests
{
    [Fact]
    public void SubscribersOnAllLoopsSeeOneOrder()
    {
        using var server = new TestServer(loopCount: 3);
        TestClient[] subscribers = [server.Connect(0), server.Connect(1), server.Connect(2, 3),
            server.Connect(2)];
        subscribers[0].Run("SUBSCRIBE news other");
        subscribers[1].Run("SUBSCRIBE news");
        subscribers[2].Run("SUBSCRIBE news");
        subscribers[3].Run("PSUBSCRIBE n*");
        TestClient[] publishers = [server.Connect(0), server.Connect(1), server.Connect(2)];
        const int messageCount = 50;
        for (int message = 0; message < messageCount; message++)
        {
            foreach (TestClient publisher in publishers)
                publisher.Send("PUBLISH", "news", $"{publisher.Session!.Id}-{message}");
        }

        server.Run();
        foreach (TestClient publisher in publishers)
            Assert.Equal(Enumerable.Repeat(":4", messageCount), publisher.Take().Select(reply => $"{reply}"));
        List<string>[] seen = [.. subscribers.Select(s => s.Take().Select(r => r.Items[^1].Text).ToList())];
        Assert.Equal(messageCount * publishers.Length, seen[0].Count);
        foreach (List<string> other in seen)
            Assert.Equal(seen[0], other);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void WhatATurnBringsASubscriberIsSentTogether(int subscriberLoop)
    {
        const int subscriberCount = 3;
        const int messageCount = 200;
        using var server = new TestServer(loopCount: 2);
        var subscribers = new TestClient[subscriberCount];
        for (int index = 0; index < subscriberCount; index++)
        {
            subscribers[index] = server.Connect(subscriberLoop);
            subscribers[index].Run(index == 0 ? "PSUBSCRIBE n*" : "SUBSCRIBE news");
        }

        TestClient publisher = server.Connect(0);
        TestClient observer = server.Connect(0);
        long before = WriteCount(observer);
        for (int message = 0; message < messageCount; message++)
            publisher.Send("PUBLISH", "news", $"{message}");
        server.Run();
        Assert.InRange(WriteCount(observer) - before, 1, 4 * subscriberCount);
        Assert.Equal(messageCount, publisher.Take().Count);
        IEnumerable<string> expected = Enumerable.Range(0, messageCount).Select(message => $"{message}");
        foreach (TestClient subscriber in subscribers)
            Assert.Equal(expected, subscriber.Take().Select(reply => reply.Items[^1].Text));
    }

    [Fact]
    public void AChannelAndItsPatternsBothDeliver()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient subscriber = server.Connect(1, 3);
        subscriber.Run("SUBSCRIBE hello");
        Assert.Equal(">[$psubscribe, $h*, :2] >[$psubscribe, $x*, :3]", subscriber.Run("PSUBSCRIBE h* x*"));
        TestClient publisher = server.Connect();
        Assert.Equal(":2", publisher.Run("PUBLISH hello world"));
        Assert.Equal(">[$message, $hello, $world] >[$pmessage, $h*, $hello, $world]", subscriber.Shown());
        Assert.Equal(":1", publisher.Run("PUBLISH hi there"));
        Assert.Equal(">[$pmessage, $h*, $hi, $there]", subscriber.Shown());
        Assert.Equal(":0", publisher.Run("PUBLISH other x"));
        Assert.Equal("", subscriber.Shown());
    }

    [Fact]
    public void MessagesAreArraysInResp2AndPushesInResp3()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient old = server.Connect(0);
        TestClient modern = server.Connect(1, 3);
        old.Run("SUBSCRIBE c");
        modern.Run("SUBSCRIBE c");
        server.Connect(1).Run("PUBLISH c m");
        Assert.Equal("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n", old.TakeRaw());
        Assert.Equal(">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n", modern.TakeRaw());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(4095)]
    [InlineData(100_000)]
    [InlineData(3_000_000)]
    public void MessagesOfEverySizeArriveWhole(int size)
    {
        using var server = new TestServer(loopCount: 2);
        TestClient subscriber = server.Connect(1);
        subscriber.Run("SUBSCRIBE c");
        subscriber.Run("PSUBSCRIBE ?");
        string payload = new('x', size);
        Assert.Equal(":2", $"{server.Connect(0).Call("PUBLISH", "c", payload)}");
        Assert.Equal([payload, payload], subscriber.Take().Select(reply => reply.Items[^1].Text));
    }

    [Fact]
    public void NothingArrivesBehindTheConfirmationThatASubscriptionIsOver()
    {
        using var server = new TestServer();
        TestClient publisher = server.Connect();
        TestClient subscriber = server.Connect();
        subscriber.Run("SUBSCRIBE a b");
        publisher.Send("PUBLISH", "a", "1");
        subscriber.Send("UNSUBSCRIBE", "a");
        publisher.Send("PUBLISH", "a", "2");
        publisher.Send("PUBLISH", "b", "3");
        subscriber.Send("RESET");
        subscriber.Send("GET", "k");
        server.Run();
        List<string> seen = [.. subscriber.Take().Select(reply => $"{reply}")];
        int end = seen.IndexOf("*[$unsubscribe, $a, :1]");
        Assert.True(end >= 0, string.Join(' ', seen));
        Assert.DoesNotContain(seen[end..], reply => reply.StartsWith("*[$message, $a",
            System.StringComparison.Ordinal));
        Assert.Equal(["+RESET", "_"], seen[^2..]);
        Assert.Equal(":0", publisher.Run("PUBLISH b 4").Split(' ')[^1]);
    }

    [Fact]
    public void AMessageUnderWayWhenItsSubscriberResetsIsDropped()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient publisher = server.Connect(1);
        TestClient subscriber = server.Connect(0);
        subscriber.Run("SUBSCRIBE a");
        // Loop 0 has its turn first: the message of loop 1 waits for it when it has executed RESET.
        subscriber.Send("RESET");
        publisher.Send("PUBLISH", "a", "1");
        subscriber.Send("PING");
        server.Run();
        Assert.Equal("+RESET +PONG", subscriber.Shown());
    }

    // Redis 7.2 and later; the reply comes first so that it stands where the client expects it.
    [Fact]
    public void APublisherThatListensGetsItsMessageBehindTheReply()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient self = server.Connect(1, 3);
        self.Run("SUBSCRIBE c");
        self.Send("PUBLISH", "c", "1");
        self.Send("PING");
        self.Send("MULTI");
        self.Send("PING");
        self.Send("PUBLISH", "c", "2");
        self.Send("EXEC");
        self.Send("UNSUBSCRIBE");
        server.Run();
        Assert.Equal(
            ":1 >[$message, $c, $1] +PONG +OK +QUEUED +QUEUED *[+PONG, :1] >[$message, $c, $2] "
            + ">[$unsubscribe, $c, :0]",
            self.Shown());
    }

    [Fact]
    public void SilencedClientsStillGetPushes()
    {
        using var server = new TestServer();
        TestClient self = server.Connect(0, 3);
        Assert.Equal("", self.Run("CLIENT REPLY OFF"));
        Assert.Equal(">[$subscribe, $c, :1]", self.Run("SUBSCRIBE c"));
        Assert.Equal(">[$message, $c, $m]", self.Run("PUBLISH c m"));
        Assert.Equal("", self.Run("GET c"));
        Assert.Equal("+OK", self.Run("CLIENT REPLY ON"));
    }

    [Fact]
    public void AClientThatVanishesLeavesNoSubscriptions()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient subscriber = server.Connect(1);
        TestClient other = server.Connect(1);
        subscriber.Run("SUBSCRIBE a b c");
        subscriber.Run("PSUBSCRIBE p* q*");
        other.Run("SUBSCRIBE b");
        TestClient publisher = server.Connect();
        Assert.Equal(":2", publisher.Run("PUBSUB NUMPAT"));
        publisher.Send("PUBLISH", "a", "under way");
        subscriber.Disconnect();
        server.Run();
        publisher.Take();
        Assert.Equal(":0", publisher.Run("PUBLISH a x"));
        Assert.Equal(":0", publisher.Run("PUBSUB NUMPAT"));
        Assert.Equal("*[$b]", publisher.Run("PUBSUB CHANNELS"));
        Assert.Equal("*[$a, :0, $b, :1]", publisher.Run("PUBSUB NUMSUB a b"));
    }

    [Fact]
    public void ShardChannelsAreAWorldOfTheirOwn()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient subscriber = server.Connect(1);
        TestClient publisher = server.Connect();
        Assert.Equal("*[$ssubscribe, $c, :1] *[$ssubscribe, $d, :2]", subscriber.Run("SSUBSCRIBE c d"));
        Assert.Equal(":0", publisher.Run("PUBLISH c m"));
        Assert.Equal(":1", publisher.Run("SPUBLISH c m"));
        Assert.Equal("*[$smessage, $c, $m]", subscriber.Shown());
        Assert.Equal("*[$subscribe, $c, :1]", subscriber.Run("SUBSCRIBE c"));
        Assert.Equal("*[$psubscribe, $*, :2]", subscriber.Run("PSUBSCRIBE *"));
        Assert.Equal(":1", publisher.Run("SPUBLISH d m"));
        Assert.Equal("*[$smessage, $d, $m]", subscriber.Shown());
        Assert.Contains(" flags=P db=0 sub=1 psub=1 ssub=2 ", publisher.Run("CLIENT LIST TYPE PUBSUB"));
        Assert.Contains("pubsubshard_channels:2\r\n", publisher.Run("INFO stats"));
        subscriber.Run("UNSUBSCRIBE c");
        subscriber.Run("PUNSUBSCRIBE *");
        Assert.StartsWith("-ERR Can't execute 'get'", subscriber.Run("GET c"));
        subscriber.Run("SUNSUBSCRIBE c");
        Assert.Equal("*[$sunsubscribe, $d, :0]", subscriber.Run("SUNSUBSCRIBE"));
        Assert.Equal("_", subscriber.Run("GET c"));
    }

    [Fact]
    public void AClientThatVanishesLeavesNoShardChannels()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient subscriber = server.Connect(1, 3);
        subscriber.Run("SSUBSCRIBE a b");
        Assert.Equal(":1 >[$smessage, $a, $x]", subscriber.Run("SPUBLISH a x"));
        TestClient publisher = server.Connect();
        publisher.Send("SPUBLISH", "a", "under way");
        subscriber.Disconnect();
        server.Run();
        publisher.Take();
        Assert.Equal(":0", publisher.Run("SPUBLISH a x"));
        Assert.Equal("*", publisher.Run("PUBSUB SHARDCHANNELS"));
    }

    [Fact]
    public void ASubscriberThatDoesNotReadIsClosedAtItsLimitAndDelaysNoOther()
    {
        using var server = new TestServer(loopCount: 2);
        Assert.Null(server.Configuration.Set(
            [new("client-output-buffer-limit", "pubsub 100000 0 0")], isLocalClient: true));
        TestClient slow = server.Connect(1);
        TestClient quick = server.Connect(1);
        slow.Run("SUBSCRIBE c");
        quick.Run("SUBSCRIBE c");
        slow.OutputRoom = 1000;
        TestClient publisher = server.Connect();
        string payload = new('x', 30_000);
        for (int count = 0; count < 3; count++)
            Assert.Equal(":2", $"{publisher.Call("PUBLISH", "c", payload)}");
        Assert.False(slow.IsClosed);
        publisher.Call("PUBLISH", "c", payload);
        publisher.Call("PUBLISH", "c", payload);
        Assert.True(slow.IsClosed);
        Assert.Equal(5, quick.Take().Count);
        Assert.Equal(":1", $"{publisher.Call("PUBLISH", "c", payload)}");
        Assert.Contains(server.Log.Lines, line => line.Contains("output buffer limits"));
    }

    [Fact]
    public void ASubscriberThatReadsSlowlyLosesNothing()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient slow = server.Connect(1);
        slow.Run("SUBSCRIBE c");
        slow.OutputRoom = 10;
        TestClient publisher = server.Connect();
        for (int message = 0; message < 100; message++)
            publisher.Call("PUBLISH", "c", $"{message}-{new string('x', message * 100)}");
        slow.Drain();
        server.Run();
        Assert.Equal(Enumerable.Range(0, 100).Select(n => $"{n}-{new string('x', n * 100)}"),
            slow.Take().Select(reply => reply.Items[^1].Text));
    }

    [Fact]
    public void ASubscriberThatVanishesWhileItsTransactionRunsOffTheLoopLeavesNothing()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient subscriber = server.Connect(1, 3);
        foreach (string line in (string[])["MULTI", "SUBSCRIBE c", "FLUSHALL", "KEYS *"])
            subscriber.Send(line.Split(' '));
        subscriber.Send("EXEC");
        server.IsSlowLaneHeld = true;
        server.Run();
        subscriber.Disconnect();
        server.IsSlowLaneHeld = false;
        server.Run();
        Assert.Equal(":0", server.Connect().Run("PUBLISH c m"));
    }

    [Fact]
    public void PublishingAllocatesNothing()
    {
        using var server = new TestServer(loopCount: 2);
        for (int count = 0; count < 4; count++)
            server.Connect(1).Run(count < 2 ? "SUBSCRIBE channel" : "PSUBSCRIBE ch*");
        var registry = server.Engine.Channels;
        long allocated = 0;
        long deliveryCount = 0;
        for (int round = 0; round < 3; round++)
        {
            long before = System.GC.GetAllocatedBytesForCurrentThread();
            for (int count = 0; count < 10; count++)
                deliveryCount += registry.Publish("channel"u8, "payload"u8, null, out _);
            allocated = System.GC.GetAllocatedBytesForCurrentThread() - before;
            server.Run();
        }

        Assert.Equal(3 * 10 * 4, deliveryCount);
        Assert.Equal(0, allocated);
    }

    private static long WriteCount(TestClient client)
    {
        const string field = "total_writes_processed:";
        string info = client.Run("INFO stats");
        int start = info.IndexOf(field, StringComparison.Ordinal) + field.Length;
        int length = info.AsSpan(start).IndexOfAnyExceptInRange('0', '9');
        return long.Parse(info.AsSpan(start, length), CultureInfo.InvariantCulture);
    }

    /// <summary>Each pattern costs as much as the first, whether it comes or goes.</summary>
    [Fact]
    public void ManyPatternsCostAsMuchEachAsFew()
    {
        const int PatternCount = 5_000;
        using var server = new TestServer();
        TestClient subscriber = server.Connect();
        TestClient publisher = server.Connect();
        string[] patterns = [.. Enumerable.Range(0, PatternCount).Select(static number => $"p{number}*")];
        long before = GC.GetAllocatedBytesForCurrentThread();
        subscriber.Send(["PSUBSCRIBE", .. patterns]);
        server.Run();
        subscriber.TakeRaw();
        Assert.Equal($":{PatternCount}", publisher.Run("PUBSUB NUMPAT"));
        subscriber.Send(["PUNSUBSCRIBE", .. patterns[1..]]);
        server.Run();
        subscriber.TakeRaw();
        // To make an array of all for each of them would take 200 MB.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 50_000_000);
        Assert.Equal(":1", publisher.Run("PUBSUB NUMPAT"));
        Assert.Equal(":1", publisher.Run("PUBLISH p01 m"));
        Assert.Equal(":0", publisher.Run("PUBLISH p1 m"));
        Assert.Equal("*[$pmessage, $p0*, $p01, $m]", subscriber.Shown());
    }

    /// <summary>A repeated pattern counts once, and the remaining ones are served in their order.</summary>
    [Fact]
    public void PatternsThatComeAndGoAreServedWhileTheyAreThere()
    {
        using var server = new TestServer();
        TestClient subscriber = server.Connect();
        TestClient publisher = server.Connect();
        subscriber.Run("PSUBSCRIBE a* *z");
        for (int round = 0; round < 100; round++)
        {
            subscriber.Run($"PSUBSCRIBE {round}* ab*");
            Assert.Equal(":3", publisher.Run("PUBLISH abz m"));
            Assert.Equal("*[$pmessage, $a*, $abz, $m] *[$pmessage, $*z, $abz, $m] "
                + "*[$pmessage, $ab*, $abz, $m]", subscriber.Shown());
            subscriber.Run($"PUNSUBSCRIBE {round}* ab*");
            Assert.Equal(":2", publisher.Run("PUBSUB NUMPAT"));
            Assert.Equal(":2", publisher.Run("PUBLISH abz m"));
            subscriber.Shown();
        }
    }
}
