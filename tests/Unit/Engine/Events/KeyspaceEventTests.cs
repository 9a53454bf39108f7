using System.Linq;
using Cinnabar.Keyspace;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Events;

/// <summary>Keyspace events: those that redis-server 7.0 lacks, when they are made, and for
/// whom.</summary>
public sealed class KeyspaceEventTests
{
    [Theory]
    [InlineData("SET k v", "k new, k set")]
    [InlineData("SET k v;SET k w", "k overwritten, k set")]
    [InlineData("SET k v;SET k w KEEPTTL", "k overwritten, k set")]
    [InlineData("SET k v;SET k w XX EX 100", "k overwritten, k set, k expire")]
    [InlineData("RPUSH k a;SET k w", "k overwritten, k type_changed, k set")]
    [InlineData("SET k 1;INCR k", "k incrby")]
    [InlineData("SET k a;APPEND k b", "k append")]
    [InlineData("SET k a;SETRANGE k 70000 b", "k setrange")]
    [InlineData("SADD a x;SET k v;SUNIONSTORE k a", "k overwritten, k type_changed, k sunionstore")]
    [InlineData("SADD a x;SADD k v;SUNIONSTORE k a", "k overwritten, k sunionstore")]
    [InlineData("SET a x;RPUSH k v;RENAME a k",
        "k new, a rename_from, k rename_to, k overwritten, k type_changed")]
    [InlineData("SET a x;SET k v;RENAME a k", "k new, a rename_from, k rename_to, k overwritten")]
    [InlineData("SET a x;RENAMENX a k", "k new, a rename_from, k rename_to")]
    [InlineData("SET a x;SET k v;COPY a k REPLACE", "k new, k copy_to, k overwritten")]
    [InlineData("HSET a x 1;RPUSH k v;COPY a k REPLACE", "k new, k copy_to, k overwritten, k type_changed")]
    [InlineData("SET a x;COPY a k REPLACE", "k new, k copy_to")]
    [InlineData("HSET k a 1 b 2;HPEXPIRE k 100000 FIELDS 1 a", "k hexpire")]
    [InlineData("HSET k a 1 b 2;HPEXPIRE k 0 FIELDS 1 a", "k hdel")]
    [InlineData("HSET k a 1;HPEXPIRE k 0 FIELDS 1 a", "k hdel, k del")]
    [InlineData("HSET k a 1;HPEXPIRE k 9000 FIELDS 1 a;HPERSIST k FIELDS 1 a", "k hpersist")]
    [InlineData("HSET k a 1 b 2;HGETDEL k FIELDS 1 a", "k hdel")]
    [InlineData("HSET k a 1 b 2;HGETDEL k FIELDS 2 a b", "k hdel, k del")]
    [InlineData("HSET k a 1;HGETEX k EX 100 FIELDS 1 a", "k hexpire")]
    [InlineData("HSETEX k EX 100 FIELDS 1 a 1", "k new, k hset, k hexpire")]
    [InlineData("HSET k a 1 b 2;HSETEX k PXAT 1 FIELDS 1 a 1", "k hset, k hdel")]
    [InlineData("HSET k a 1;HSETEX k PXAT 1 FIELDS 1 a 1", "k hset, k hdel, k del")]
    [InlineData("MSETEX 2 k v l w EX 100", "k new, k set, k expire, l new, l set, l expire")]
    [InlineData("SET k v;DELIFEQ k v", "k del")]
    [InlineData("SET k v;SET k w PXAT 1", "k del")]
    [InlineData("GET none", "none keymiss")]
    [InlineData("FLUSHALL", "")]
    [InlineData("SET k v;FLUSHALL", "")]
    public void EventsOfTheLastCommand(string commands, string expected)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        TestClient subscriber = Listen(server, client, "KEAmnoc", "__keyspace@0__:*");
        foreach (string line in commands.Split(';'))
        {
            subscriber.Take();
            client.Run(line);
            server.Run();
        }

        Assert.Equal(expected, EventsOf(subscriber));
    }

    [Theory]
    [InlineData("SET k v", "k new, k restore, k overwritten")]
    [InlineData("RPUSH k v", "k new, k restore, k overwritten, k type_changed")]
    [InlineData("DEL k", "k new, k restore")]
    public void ARestoredValueIsAnnouncedFirst(string before, string expected)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        TestClient subscriber = Listen(server, client, "KEAmnoc", "__keyspace@0__:*");
        client.Run(before);
        server.Run();
        subscriber.Take();
        string payload = DumpedPayload.Of(0, "\x05hello"u8.ToArray(), 10);
        Assert.Equal("+OK", $"{client.Call("RESTORE", "k", "0", payload, "REPLACE")}");
        server.Run();
        Assert.Equal(expected, EventsOf(subscriber));
    }

    [Theory]
    [InlineData("KEA", "*", "k set, set k")]
    [InlineData("KA", "*", "k set")]
    [InlineData("EA", "*", "set k")]
    [InlineData("K$", "_*", "k set")]
    [InlineData("Kg", "*", "")]
    [InlineData("K", "*", "")]
    [InlineData("A", "*", "")]
    [InlineData("KEA", "__keyevent@0__:set", "set k")]
    [InlineData("KEA", "__keyspace@[0-9]__:?", "k set")]
    [InlineData("KEA", "other*", "")]
    public void OnlyWhatIsAskedForIsPublished(string classes, string pattern, string expected)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        TestClient subscriber = Listen(server, client, classes, pattern);
        client.Run("SET k v");
        server.Run();
        Assert.Equal(expected, EventsOf(subscriber));
    }

    [Fact]
    public void StripesReportEventsOnlyWhileTheyHaveSubscribers()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Run("CONFIG SET notify-keyspace-events KEA");
        Assert.False(IsReporting(server));
        client.Run("SUBSCRIBE news");
        Assert.False(IsReporting(server));
        client.Run("SUBSCRIBE __keyevent@0__:expired");
        Assert.True(IsReporting(server));
        client.Run("PSUBSCRIBE __key*");
        client.Run("UNSUBSCRIBE");
        Assert.True(IsReporting(server));
        server.Connect().Run("CONFIG SET notify-keyspace-events K");
        Assert.False(IsReporting(server));
        server.Connect().Run("CONFIG SET notify-keyspace-events Kx");
        Assert.True(IsReporting(server));
        client.Disconnect();
        server.Run();
        Assert.False(IsReporting(server));
    }

    [Fact]
    public void AnOwnEventFollowsTheReply()
    {
        using var server = new TestServer();
        TestClient client = server.Connect(protocol: 3);
        client.Run("CONFIG SET notify-keyspace-events EA");
        client.Run("SUBSCRIBE __keyevent@0__:set");
        client.SendRaw("SET a 1\r\nMULTI\r\nSET b 2\r\nEXEC\r\nPING\r\n");
        server.Run();
        Assert.Equal("+OK\r\n" + Pushed("a") + "+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n" + Pushed("b") + "+PONG\r\n",
            client.TakeRaw());
        static string Pushed(string key) =>
            $">3\r\n$7\r\nmessage\r\n$18\r\n__keyevent@0__:set\r\n$1\r\n{key}\r\n";
    }

    /// <summary>Keys that no command removes: one is past its deadline, then another is evicted.</summary>
    [Fact]
    public void RemovedKeysHaveEventsOfTheirOwn()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock, ("maxmemory-policy", "allkeys-random"));
        TestClient client = server.Connect();
        TestClient subscriber = Listen(server, client, "KExe", "__key*");
        client.Run("SET a v PX 10");
        client.Run("SET b v");
        clock.Advance(11_000);
        server.Run();
        Assert.Equal("a expired, expired a", EventsOf(subscriber));
        client.Run("CONFIG SET maxmemory 1");
        server.Run();
        Assert.Equal("b evicted, evicted b", EventsOf(subscriber));
    }

    [Fact]
    public void ABigKeyHasEvents()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        TestClient subscriber = Listen(server, client, "KEA", "__key*");
        string key = new('k', 5000);
        client.Call("SET", key, "v");
        server.Run();
        Assert.Equal($"{key} set, set {key}", EventsOf(subscriber));
    }

    [Fact]
    public void AScriptThatRunsAgainHasItsEventsOnce()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        TestClient subscriber = Listen(server, client, "KAm", "__key*");
        client.Call("EVAL", "redis.call('set', 'a', 1) redis.call('get', 'none') redis.call('set', 'b', 2) "
            + "redis.call('set', 'c', 3) return 1", "0");
        server.Run();
        Assert.Equal("a set, none keymiss, b set, c set", EventsOf(subscriber));
    }

    private static TestClient Listen(TestServer server, TestClient client, string classes, string pattern)
    {
        client.Call("CONFIG", "SET", "notify-keyspace-events", classes);
        TestClient subscriber = server.Connect();
        subscriber.Call("PSUBSCRIBE", pattern);
        return subscriber;
    }

    private static string EventsOf(TestClient subscriber) => string.Join(", ", subscriber.Take()
        .Select(static message => $"{message.Items[2].Text.Split(":", 2)[1]} {message.Items[3].Text}"));

    private static bool IsReporting(TestServer server) =>
        server.Engine.Keyspace.Stripes[0].Interests == StripeInterests.Events;
}
