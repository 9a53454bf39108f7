using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Engine.Loops;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Blocking;

/// <summary>How waits for keys end without a key: time, CLIENT UNBLOCK, the client's end, the
/// server's.</summary>
public sealed class WaitingTests
{
    private readonly ManualClock _clock = new();

    [Fact]
    public void TheTimeoutIsToTheMillisecond()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient two = server.Connect();
        TestClient three = server.Connect(protocol: 3);
        TestClient later = server.Connect(1);
        TestClient ever = server.Connect(1);
        Assert.Equal("", later.Run("BLPOP k 1.5"));
        Assert.Equal("", ever.Run("BLPOP k 0"));
        two.Send("BLPOP", "k", "0.0101");
        three.Send("BLMOVE", "k", "l", "LEFT", "LEFT", "0.01");
        server.Run();
        _clock.Advance(9_999);
        server.Run();
        Assert.Equal("", two.TakeRaw() + three.TakeRaw());
        _clock.Advance(1);
        server.Run();
        Assert.Equal("_\r\n", three.TakeRaw());
        Assert.Equal("", two.TakeRaw());
        _clock.Advance(1_000);
        server.Run();
        Assert.Equal("*-1\r\n", two.TakeRaw());
        _clock.Advance(2_000_000);
        server.Run();
        Assert.Equal("*-1\r\n", later.TakeRaw());
        Assert.Equal("", ever.TakeRaw());
        Assert.Equal(":1", two.Run("RPUSH k v"));
        Assert.Equal("*[$k, $v]", ever.Shown());
        Assert.Equal("_", two.Run("LPOP k"));
    }

    [Theory]
    [InlineData("BLPOP k 0.01", "_")]
    [InlineData("XREAD BLOCK 10 STREAMS k $", "_")]
    [InlineData("WAIT 1 10", ":0")]
    public void ThePartOfAMillisecondThatHasPassedIsNotTakenOffTheTimeout(string command, string reply)
    {
        using var server = new TestServer(1, _clock);
        TestClient client = server.Connect();
        _clock.Advance(999);
        Assert.Equal("", client.Run(command));
        _clock.Advance(9_999);
        server.Run();
        Assert.Equal("", client.Shown());
        _clock.Advance(2);
        server.Run();
        Assert.Equal(reply, client.Shown());
    }

    [Theory]
    [InlineData("x", "-ERR timeout is not a float or out of range")]
    [InlineData("nan", "-ERR timeout is not a float or out of range")]
    [InlineData("", "-ERR timeout is not a float or out of range")]
    [InlineData(" 1", "-ERR timeout is not a float or out of range")]
    [InlineData("-1", "-ERR timeout is negative")]
    [InlineData("-inf", "-ERR timeout is negative")]
    [InlineData("inf", "-ERR timeout is out of range")]
    [InlineData("1e300", "-ERR timeout is out of range")]
    [InlineData("9223372036854775", "-ERR timeout is out of range")]
    [InlineData("9223372036854775807", "-ERR timeout is out of range")]
    public void ABadTimeoutIsRefused(string timeout, string error)
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Run("SET string s");
        Assert.Equal(error, client.Call("BLPOP", "k", timeout).ToString());
        Assert.Equal(error, client.Call("BLPOP", "string", timeout).ToString());
        Assert.Equal(error, client.Call("BLMOVE", "k", "l", "LEFT", "LEFT", timeout).ToString());
        Assert.Equal(error, client.Call("BLMPOP", timeout, "1", "k", "LEFT").ToString());
    }

    [Fact]
    public void ClientUnblockEndsIt()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient waiter = server.Connect(1);
        TestClient other = server.Connect();
        long id = waiter.Session!.Id;
        Assert.Equal(":0", other.Run($"CLIENT UNBLOCK {id}"));
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        Assert.Equal(":1", other.Run($"CLIENT UNBLOCK {id}"));
        Assert.Equal("*-1\r\n", waiter.TakeRaw());
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        Assert.Equal(":1", other.Run($"CLIENT UNBLOCK {id} timeout"));
        Assert.Equal("*-1\r\n", waiter.TakeRaw());
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        other.Send("CLIENT", "UNBLOCK", $"{id}", "ERROR");
        other.Send("CLIENT", "UNBLOCK", $"{id}", "ERROR");
        other.Send("RPUSH", "k", "v");
        other.Send("LLEN", "k");
        server.Run();
        Assert.Equal(":1 :0 :1 :1", other.Shown());
        Assert.Equal("-UNBLOCKED client unblocked via CLIENT UNBLOCK", waiter.Shown());
        Assert.Equal("", waiter.Run("WAIT 1 0"));
        Assert.Equal(":1", other.Run($"CLIENT UNBLOCK {id}"));
        Assert.Equal(":0", waiter.Shown());
        Assert.Equal(0, server.Engine.Waits.KeyCount);
    }

    [Theory]
    [InlineData("TIMEOUT", "cmdstat_blpop:calls=1,", "rejected_calls=0,failed_calls=0")]
    [InlineData("ERROR", "cmdstat_blpop:calls=1,", "rejected_calls=0,failed_calls=1")]
    public void TheUnblockingClientSeesTheCommandCounted(string reason, string begin, string end)
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient waiter = server.Connect(1);
        TestClient other = server.Connect();
        Assert.Equal("", waiter.Run("BLPOP k 0"));
        // In one turn of this loop: the other one has not ended the command yet.
        other.Send("CLIENT", "UNBLOCK", $"{waiter.Session!.Id}", reason);
        other.Send("INFO", "commandstats");
        server.Run();
        string[] lines = other.Shown().Split("\r\n");
        string line = lines.Single(line => line.StartsWith(begin, StringComparison.Ordinal));
        Assert.EndsWith(end, line, StringComparison.Ordinal);
        line = other.Call("INFO", "commandstats").Text;
        Assert.Contains(begin, line, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("CLIENT UNBLOCK x", "-ERR value is not an integer or out of range")]
    [InlineData("CLIENT UNBLOCK x y", "-ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")]
    [InlineData("CLIENT UNBLOCK 99999", ":0")]
    [InlineData("CLIENT UNBLOCK 1 ERROR x",
        "-ERR unknown subcommand or wrong number of arguments for 'UNBLOCK'. Try CLIENT HELP.")]
    public void ClientUnblockOfAnUnknownClient(string line, string reply)
    {
        using var server = new TestServer(clock: _clock);
        Assert.Equal(reply, server.Connect().Run(line));
    }

    [Fact]
    public void AClientThatLeavesIsNotServed()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient gone = server.Connect();
        TestClient killed = server.Connect(1);
        TestClient ended = server.Connect(1);
        TestClient stays = server.Connect();
        foreach (TestClient client in new[] { gone, killed, ended, stays })
            Assert.Equal("", client.Run("BLPOP k 0"));
        gone.Disconnect();
        ended.EndInput();
        TestClient other = server.Connect();
        Assert.Equal(":1", other.Run($"CLIENT KILL ID {killed.Session!.Id}"));
        server.Run();
        Assert.True(killed.IsClosed && ended.IsClosed);
        Assert.Equal(":1", other.Run("RPUSH k v"));
        Assert.Equal("*[$k, $v]", stays.Shown());
        Assert.Equal("", killed.Shown() + ended.Shown());
    }

    /// <summary>From the reply of CLIENT KILL on the client is gone for all others, whatever its loop has
    /// come to.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void AKilledClientIsNotServedEvenBeforeItsLoopClosesIt(int loop)
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient killed = server.Connect(loop);
        TestClient stays = server.Connect(1);
        TestClient other = server.Connect();
        Assert.Equal("", killed.Run("BLPOP k 0"));
        Assert.Equal("", stays.Run("BLPOP k 0"));
        other.Send("CLIENT", "KILL", "ID", killed.Session!.Id.ToString(CultureInfo.InvariantCulture));
        other.Send("RPUSH", "k", "a", "b");
        other.Send("LRANGE", "k", "0", "-1");
        server.Run();
        Assert.Equal(":1 :2 *[$b]", other.Shown());
        Assert.Equal("*[$k, $a]", stays.Shown());
        Assert.Equal("", killed.Shown());
        Assert.True(killed.IsClosed);
    }

    [Fact]
    public void AKilledClientCannotBeUnblocked()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient killed = server.Connect(1);
        TestClient other = server.Connect();
        Assert.Equal("", killed.Run("BLPOP k 0"));
        string id = killed.Session!.Id.ToString(CultureInfo.InvariantCulture);
        other.Send("CLIENT", "KILL", "ID", id);
        other.Send("CLIENT", "UNBLOCK", id);
        server.Run();
        Assert.Equal(":1 :0", other.Shown());
        Assert.Equal("", killed.Shown());
        Assert.True(killed.IsClosed);
    }

    [Fact]
    public void AServerMayEndWithBlockedClients()
    {
        var server = new TestServer(loopCount: 2, _clock);
        server.Connect().Run("BLPOP k 0");
        server.Connect(1).Run("BLMOVE k l LEFT RIGHT 100");
        TestClient served = server.Connect(1);
        served.Run("BLPOP l 0");
        server.Engine.Dispose();
        Assert.Empty(server.Engine.Keyspace.Pages.LeakReport());
    }

    [Fact]
    public void InfoAndClientListShowThem()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient waiter = server.Connect(1);
        Assert.Equal("", waiter.Run("BLPOP k l 10"));
        Assert.Equal("", server.Connect().Run("BLPOP k 0"));
        TestClient other = server.Connect();
        string info = other.Call("INFO", "clients").Text;
        Assert.Contains("blocked_clients:2\r\n", info, StringComparison.Ordinal);
        Assert.Contains("clients_in_timeout_table:1\r\n", info, StringComparison.Ordinal);
        Assert.Contains("total_blocking_keys:2\r\n", info, StringComparison.Ordinal);
        Assert.Contains("total_blocking_keys_on_nokey:0\r\n", info, StringComparison.Ordinal);
        string line = other.Run($"CLIENT LIST ID {waiter.Session!.Id}");
        Assert.Contains(" flags=b ", line, StringComparison.Ordinal);
        Assert.Contains(" cmd=blpop ", line, StringComparison.Ordinal);
    }

    [Fact]
    public void ManyBlockedClientsCostNothing()
    {
        const int Count = 50_000;
        using var server = new TestServer(loopCount: 1, _clock, ("maxclients", "100000"));
        List<TestClient> waiters = [];
        for (int index = 0; index < Count; index++)
        {
            TestClient waiter = server.Connect();
            waiter.Send("BLPOP", $"k{index % 100}", index % 2 == 0 ? "0" : "1000");
            waiters.Add(waiter);
        }

        server.Run();
        TestClient other = server.Connect();
        Assert.Contains($"blocked_clients:{Count}\r\n", other.Call("INFO", "clients").Text,
            StringComparison.Ordinal);
        Loop loop = server.Engine.Loops[0];
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int turn = 0; turn < 10_000; turn++)
            loop.Turn();
        Assert.True(GC.GetAllocatedBytesForCurrentThread() - before < 100_000);
        Assert.Equal(":1", other.Run("RPUSH k7 v"));
        Assert.Equal("*[$k7, $v]", waiters[7].Shown());
        Assert.Equal(":0", other.Run("EXISTS k7"));
    }
}
