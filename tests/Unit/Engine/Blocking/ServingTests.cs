using System.Collections.Generic;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Blocking;

/// <summary>Which clients are served when a key becomes ready, in which order, and what others see of
/// it.</summary>
public sealed class ServingTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void APushServesAWaiterBeforeOthersSeeTheElement(int loop)
    {
        using var server = new TestServer(loopCount: 2);
        TestClient waiter = server.Connect();
        TestClient other = server.Connect(loop);
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        other.Send("RPUSH", "k", "a");
        other.Send("LPOP", "k");
        other.Send("EXISTS", "k");
        server.Run();
        Assert.Equal(":1 _ :0", other.Shown());
        Assert.Equal("*[$k, $a]", waiter.Shown());
    }

    [Theory]
    [InlineData("BZPOPMIN z 0", "ZADD z 1 a")]
    [InlineData("BZPOPMIN z 0", "ZADD z 1 a 2 b")]
    [InlineData("BLPOP l 0", "RPUSH l a")]
    public void APushLooksForItsWaitersOnce(string wait, string push)
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect();
        TestClient other = server.Connect();
        Assert.Equal("", waiter.Run(wait));
        long before = server.Engine.Waits.NeedsLookupCount;
        other.Run(push);
        Assert.Equal(1, server.Engine.Waits.NeedsLookupCount - before);
        Assert.NotEqual("", waiter.Shown());
    }

    [Fact]
    public void OnePushServesSeveralInTheOrderInWhichTheyCame()
    {
        using var server = new TestServer(loopCount: 2);
        List<TestClient> waiters = Waiters(server, 5, "BLPOP k 0");
        TestClient other = server.Connect(1);
        Assert.Equal(":3", other.Run("LPUSH k a b c"));
        Assert.Equal("*[$k, $c]", waiters[0].Shown());
        Assert.Equal("*[$k, $b]", waiters[1].Shown());
        Assert.Equal("*[$k, $a]", waiters[2].Shown());
        Assert.Equal("", waiters[3].Shown() + waiters[4].Shown());
        Assert.Equal(":3", other.Run("RPUSH k d e f"));
        Assert.Equal("*[$k, $d]", waiters[3].Shown());
        Assert.Equal("*[$k, $e]", waiters[4].Shown());
        Assert.Equal("*[$f]", other.Run("LRANGE k 0 -1"));
    }

    [Fact]
    public void ATransactionIsOverBeforeItsWaitersAreServed()
    {
        using var server = new TestServer();
        TestClient first = server.Connect();
        TestClient second = server.Connect();
        TestClient other = server.Connect();
        Assert.Equal("", first.Run("BLPOP a b 0"));
        Assert.Equal("", second.Run("BLPOP b 0"));
        Run(other, "MULTI", "RPUSH b 1", "RPUSH a 2", "RPUSH b 3", "LLEN b", "RPUSH c 1");
        Assert.Equal("*[:1, :1, :2, :2, :1]", other.Run("EXEC"));
        // The first's command runs again, from its first key on, because of b, which was ready first.
        Assert.Equal("*[$a, $2]", first.Shown());
        Assert.Equal("*[$b, $1]", second.Shown());
        Assert.Equal("*[$3]", other.Run("LRANGE b 0 -1"));
    }

    [Fact]
    public void AnElementThatATransactionRemovesServesNoWaiter()
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect();
        TestClient other = server.Connect();
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        other.Run("MULTI");
        other.Run("RPUSH k 1");
        other.Run("DEL k");
        Assert.Equal("*[:1, :1]", other.Run("EXEC"));
        Assert.Equal("+OK", other.Run("SET k string"));
        Assert.Equal(":1", other.Run("DEL k"));
        Assert.Equal("", waiter.Shown());
        Assert.Equal(":1", other.Run("RPUSH k 2"));
        Assert.Equal("*[$k, $2]", waiter.Shown());
    }

    [Theory]
    [InlineData("RENAME other k")]
    [InlineData("RENAMENX other k")]
    [InlineData("COPY other k")]
    [InlineData("RPOPLPUSH other k")]
    [InlineData("LMOVE other k LEFT RIGHT")]
    public void AKeyThatComesFromAnotherNameServes(string line)
    {
        using var server = new TestServer(loopCount: 2);
        TestClient waiter = server.Connect(1);
        TestClient other = server.Connect();
        other.Run("RPUSH other v");
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        Assert.NotEqual("", other.Run(line));
        Assert.Equal("*[$k, $v]", waiter.Shown());
        Assert.Equal(":0", other.Run("EXISTS k"));
    }

    [Fact]
    public void AKeyThatComesFromAnotherDatabaseServes()
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect();
        TestClient other = server.Connect();
        Run(other, "SELECT 1", "RPUSH k a", "RPUSH l b", "RPUSH m c");
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        Assert.Equal(":1", other.Run("MOVE k 0"));
        Assert.Equal("*[$k, $a]", waiter.Shown());
        Assert.Equal("", waiter.Run("BLPOP l 0"));
        Assert.Equal(":1", other.Run("COPY l l DB 0"));
        Assert.Equal("*[$l, $b]", waiter.Shown());
        Assert.Equal("", waiter.Run("BLPOP m 0"));
        Assert.Equal("+OK", other.Run("SWAPDB 0 1"));
        Assert.Equal("*[$m, $c]", waiter.Shown());
        // The swapped databases: no client waits for m of database 1.
        Assert.Equal(":0", waiter.Run("EXISTS m"));
    }

    [Fact]
    public void AnotherDatabaseIsAnotherKey()
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect();
        TestClient other = server.Connect();
        other.Run("SELECT 1");
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        Assert.Equal(":1", other.Run("RPUSH k a"));
        Assert.Equal("", waiter.Shown());
        Assert.Equal("", server.Connect().Run("BLPOP k 0"));
        Assert.Equal("$a", other.Run("LPOP k"));
        other.Run("SELECT 0");
        Assert.Equal(":1", other.Run("RPUSH k b"));
        Assert.Equal("*[$k, $b]", waiter.Shown());
    }

    [Fact]
    public void MovesServeOneAnother()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient[] chain = new TestClient[5];
        for (int link = 0; link < chain.Length; link++)
        {
            chain[link] = server.Connect(link % 2);
            Assert.Equal("", chain[link].Run($"BLMOVE key{link} key{link + 1} LEFT RIGHT 0"));
        }

        TestClient last = server.Connect();
        Assert.Equal("", last.Run("BLPOP key5 0"));
        Assert.Equal(":1", server.Connect(1).Run("RPUSH key0 v"));
        foreach (TestClient link in chain)
            Assert.Equal("$v", link.Shown());
        Assert.Equal("*[$key5, $v]", last.Shown());
        Assert.Equal(":0", last.Run("DBSIZE"));
    }

    [Fact]
    public void AMoveToAWrongTypeFailsAndLeavesTheElementToTheNext()
    {
        using var server = new TestServer();
        TestClient mover = server.Connect();
        TestClient waiter = server.Connect();
        Assert.Equal("", mover.Run("BLMOVE k string LEFT RIGHT 0"));
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        TestClient other = server.Connect();
        other.Run("SET string s");
        Assert.Equal(":1", other.Run("RPUSH k v"));
        Assert.StartsWith("-WRONGTYPE", mover.Shown(), System.StringComparison.Ordinal);
        Assert.Equal("*[$k, $v]", waiter.Shown());
    }

    [Fact]
    public void ARotationServesItself()
    {
        using var server = new TestServer();
        TestClient first = server.Connect();
        TestClient second = server.Connect();
        Assert.Equal("", first.Run("BRPOPLPUSH k k 0"));
        Assert.Equal("", second.Run("BLMOVE k l RIGHT LEFT 0"));
        Assert.Equal(":2", server.Connect().Run("RPUSH k a b"));
        Assert.Equal("$b", first.Shown());
        Assert.Equal("$a", second.Shown());
        Assert.Equal("*[$b]", first.Run("LRANGE k 0 -1"));
    }

    [Fact]
    public void TheSameKeyTwiceIsWaitedForOnce()
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect();
        TestClient next = server.Connect();
        Assert.Equal("", waiter.Run("BLPOP k k l k 0"));
        Assert.Equal("", next.Run("BLPOP k 0"));
        Assert.Equal(2, server.Engine.Waits.KeyCount);
        Assert.Equal(":2", server.Connect().Run("RPUSH k a b"));
        Assert.Equal("*[$k, $a]", waiter.Shown());
        Assert.Equal("*[$k, $b]", next.Shown());
        Assert.Equal(0, server.Engine.Waits.KeyCount);
    }

    [Fact]
    public void TheFirstKeyThatHasSomethingIsTaken()
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect();
        TestClient other = server.Connect();
        Assert.Equal("", waiter.Run("BRPOP a b c 0"));
        Assert.Equal(":2", other.Run("RPUSH b 1 2"));
        Assert.Equal("*[$b, $2]", waiter.Shown());
        other.Run("RPUSH c 3");
        Assert.Equal("*[$b, $1]", waiter.Run("BRPOP a b c 0"));
        Assert.Equal("*[$c, $3]", waiter.Run("BRPOP a b c 0"));
        Assert.Equal("", waiter.Run("BLMPOP 0 2 a b LEFT COUNT 10"));
        Assert.Equal(":3", other.Run("RPUSH b 1 2 3"));
        Assert.Equal("*[$b, *[$1, $2, $3]]", waiter.Shown());
    }

    [Fact]
    public void WhatTheWaiterSentMeanwhileWaits()
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect(protocol: 3);
        waiter.Send("BLPOP", "k", "0");
        waiter.Send("BLPOP", "k", "0");
        waiter.Send("PING");
        server.Run();
        TestClient other = server.Connect();
        other.Run("RPUSH k a");
        Assert.Equal("*[$k, $a]", waiter.Shown());
        other.Run("RPUSH k b");
        Assert.Equal("*[$k, $b] +PONG", waiter.Shown());
    }

    [Fact]
    public void InATransactionNoCommandWaits()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Run(client, "MULTI", "BLPOP k 0", "BRPOP k 0", "BLMOVE k l LEFT LEFT 0", "BRPOPLPUSH k l 0",
            "BLMPOP 0 1 k LEFT");
        client.Send("EXEC");
        server.Run();
        Assert.Equal("*5\r\n*-1\r\n*-1\r\n$-1\r\n$-1\r\n*-1\r\n", client.TakeRaw());
    }

    [Fact]
    public void AMutedWaiterIsMuted()
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect();
        waiter.Send("CLIENT", "REPLY", "SKIP");
        waiter.Send("BLPOP", "k", "0");
        waiter.Send("PING");
        server.Run();
        server.Connect().Run("RPUSH k a");
        Assert.Equal("+PONG", waiter.Shown());
    }

    [Fact]
    public void TheSlowLaneServes()
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect();
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        TestClient other = server.Connect();
        other.Run("MULTI");
        other.Run("KEYS *");
        other.Run("RPUSH k a");
        server.IsSlowLaneHeld = true;
        Assert.Equal("", other.Run("EXEC"));
        Assert.Equal("", waiter.Shown());
        server.IsSlowLaneHeld = false;
        server.Run();
        Assert.Equal("*[$k, $a]", waiter.Shown());
        Assert.Equal("*[*, :1]", other.Shown());
    }

    [Fact]
    public void TheCommandCountsOnceWhenItHasEnded()
    {
        using var server = new TestServer();
        TestClient waiter = server.Connect();
        TestClient other = server.Connect();
        other.Run("CONFIG RESETSTAT");
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        Assert.DoesNotContain("cmdstat_blpop", other.Call("INFO", "commandstats").Text,
            System.StringComparison.Ordinal);
        other.Run("RPUSH k a");
        Assert.Contains("cmdstat_blpop:calls=1,", other.Call("INFO", "commandstats").Text,
            System.StringComparison.Ordinal);
    }

    private static void Run(TestClient client, params System.ReadOnlySpan<string> lines)
    {
        foreach (string line in lines)
            client.Run(line);
    }

    private static List<TestClient> Waiters(TestServer server, int count, string line)
    {
        List<TestClient> waiters = [];
        for (int index = 0; index < count; index++)
        {
            TestClient waiter = server.Connect(index % server.Engine.LoopCount);
            Assert.Equal("", waiter.Run(line));
            waiters.Add(waiter);
        }

        return waiters;
    }
}
