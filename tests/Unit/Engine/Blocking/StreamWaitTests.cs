using System;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Blocking;

/// <summary>
/// XREAD and XREADGROUP with BLOCK: commands that may be served in vain and wait on, and that end when what
/// they read goes.
/// </summary>
public sealed class StreamWaitTests
{
    private readonly ManualClock _clock = new();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void EveryReaderGetsANewEntry(int loop)
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient first = server.Connect();
        TestClient second = server.Connect(1);
        TestClient other = server.Connect(loop);
        other.Run("XADD s 5-1 f old");
        Assert.Equal("", first.Run("XREAD BLOCK 0 STREAMS s $"));
        Assert.Equal("", second.Run("XREAD BLOCK 0 STREAMS none s 0 5-1"));
        Assert.Equal("$5-2", other.Run("XADD s 5-2 f new"));
        Assert.Equal("*[*[$s, *[*[$5-2, *[$f, $new]]]]]", first.Shown());
        Assert.Equal("*[*[$s, *[*[$5-2, *[$f, $new]]]]]", second.Shown());
    }

    /// <summary>What reading would cost is estimated by whole pages. A reader that finds nothing in them
    /// waits, and does not repeatedly go to the slow lane.</summary>
    [Theory]
    [InlineData("XREAD BLOCK 0 STREAMS s 5-1")]
    [InlineData("XREADGROUP GROUP g c BLOCK 0 STREAMS s >")]
    public void AReaderBehindABigPageWaits(string command)
    {
        using var server = new TestServer(loopCostNsMax: 0, loopCount: 1, _clock);
        TestClient other = server.Connect();
        other.Run("XADD s 5-1 f old");
        other.Run("XGROUP CREATE s g $");
        TestClient waiter = server.Connect();
        Assert.Equal("", waiter.Run(command));
        Assert.Equal("$5-2", other.Run("XADD s 5-2 f new"));
        Assert.Equal("*[*[$s, *[*[$5-2, *[$f, $new]]]]]", waiter.Shown());
    }

    [Fact]
    public void AClientServedInVainWaitsUntilItsTimeout()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient waiter = server.Connect();
        TestClient late = server.Connect(1);
        TestClient other = server.Connect();
        Assert.Equal("", waiter.Run("XREAD BLOCK 1000 STREAMS s 7-0"));
        Assert.Equal("", late.Run("XREAD BLOCK 2000 STREAMS s 9-0"));
        for (int entry = 1; entry <= 7; entry++)
        {
            Assert.Equal($"${entry}-0", other.Run($"XADD s {entry}-0 f v"));
            _clock.Advance(100_000);
            server.Run();
        }

        Assert.Equal("", waiter.Shown() + late.Shown());
        Assert.Equal("$8-0", other.Run("XADD s 8-0 f v"));
        Assert.Equal("*[*[$s, *[*[$8-0, *[$f, $v]]]]]", waiter.Shown());
        _clock.Advance(1_299_000);
        server.Run();
        Assert.Equal("", late.Shown());
        _clock.Advance(1_000);
        server.Run();
        Assert.Equal("*-1\r\n", late.TakeRaw());
        Assert.Equal("+OK", late.Run("SET k v"));
        Assert.Equal("$9-0", late.Run("XADD s 9-0 f v"));
        Assert.Contains("cmdstat_xread:calls=2,", other.Call("INFO", "commandstats").Text,
            StringComparison.Ordinal);
    }

    [Fact]
    public void AClientServedInVainMayLeave()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient gone = server.Connect();
        TestClient ended = server.Connect(1);
        TestClient unblocked = server.Connect(1);
        TestClient other = server.Connect();
        foreach (TestClient client in new[] { gone, ended, unblocked })
            Assert.Equal("", client.Run("XREAD BLOCK 0 STREAMS s 9-0"));
        other.Run("XADD s 1-0 f v");
        gone.Disconnect();
        ended.EndInput();
        Assert.Equal(":1", other.Run($"CLIENT UNBLOCK {unblocked.Session!.Id}"));
        Assert.Equal("_", unblocked.Shown());
        server.Run();
        Assert.True(ended.IsClosed);
        Assert.Equal(0, server.Engine.Waits.KeyCount);
        Assert.Equal("$10-0", other.Run("XADD s 10-0 f v"));
        // Its execution serves others, which may wait.
        Assert.Equal("", server.Connect().Run("WAIT 1 0"));
        Assert.Equal("", server.Connect().Run("WAIT 1 0"));
    }

    [Fact]
    public void AnEntryGoesToTheFirstConsumer()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient first = server.Connect();
        TestClient second = server.Connect(1);
        TestClient other = server.Connect();
        Assert.Equal("+OK", other.Run("XGROUP CREATE s g $ MKSTREAM"));
        Assert.Equal("", first.Run("XREADGROUP GROUP g one COUNT 1 BLOCK 0 STREAMS s >"));
        Assert.Equal("", second.Run("XREADGROUP GROUP g two COUNT 1 BLOCK 0 STREAMS s >"));
        Assert.Contains("total_blocking_keys_on_nokey:1\r\n", other.Call("INFO", "clients").Text,
            StringComparison.Ordinal);
        other.Run("XADD s 1-0 f a");
        Assert.Equal("*[*[$s, *[*[$1-0, *[$f, $a]]]]]", first.Shown());
        Assert.Equal("", second.Shown());
        other.Run("XADD s 2-0 f b");
        Assert.Equal("*[*[$s, *[*[$2-0, *[$f, $b]]]]]", second.Shown());
        Assert.Equal(0, server.Engine.Waits.EndingKeyCount);
    }

    [Theory]
    [InlineData("DEL s")]
    [InlineData("UNLINK s")]
    [InlineData("FLUSHALL")]
    [InlineData("FLUSHDB")]
    [InlineData("RENAME s t")]
    [InlineData("MOVE s 5")]
    [InlineData("SWAPDB 0 3")]
    [InlineData("XGROUP DESTROY s g")]
    public void AWaiterLosesItsStream(string line)
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient waiter = server.Connect(1);
        TestClient reader = server.Connect();
        TestClient other = server.Connect();
        Assert.Equal("+OK", other.Run("XGROUP CREATE s g $ MKSTREAM"));
        Assert.Equal("", waiter.Run("XREADGROUP GROUP g one BLOCK 0 STREAMS s >"));
        Assert.Equal("", reader.Run("XREAD BLOCK 0 STREAMS s $"));
        Assert.DoesNotContain("-ERR", other.Run(line), StringComparison.Ordinal);
        Assert.StartsWith("-NOGROUP", waiter.Shown(), StringComparison.Ordinal);
        Assert.Equal("", reader.Shown());
    }

    [Fact]
    public void ItMayBecomeAnotherType()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient waiter = server.Connect(1);
        TestClient other = server.Connect();
        Assert.Equal("+OK", other.Run("XGROUP CREATE s g $ MKSTREAM"));
        Assert.Equal("", waiter.Run("XREADGROUP GROUP g one BLOCK 0 STREAMS s >"));
        Assert.Equal("+OK", other.Run("SET s string"));
        Assert.StartsWith("-WRONGTYPE", waiter.Shown(), StringComparison.Ordinal);
    }

    [Fact]
    public void ItMayExpire()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient waiter = server.Connect(1);
        TestClient reader = server.Connect();
        TestClient other = server.Connect();
        Assert.Equal("+OK", other.Run("XGROUP CREATE s g $ MKSTREAM"));
        Assert.Equal(":1", other.Run("PEXPIRE s 50"));
        Assert.Equal("", waiter.Run("XREADGROUP GROUP g one BLOCK 0 STREAMS s >"));
        Assert.Equal("", reader.Run("XREAD BLOCK 0 STREAMS s $"));
        _clock.Advance(60_000);
        server.Run();
        Assert.StartsWith("-NOGROUP", waiter.Shown(), StringComparison.Ordinal);
        Assert.Equal("", reader.Shown());
        Assert.Equal("$1-0", other.Run("XADD s 1-0 f v"));
        Assert.Equal("*[*[$s, *[*[$1-0, *[$f, $v]]]]]", reader.Shown());
    }

    [Fact]
    public void AChangeThatEndsNothingKeepsTheTime()
    {
        using var server = new TestServer(loopCount: 1, _clock);
        TestClient waiter = server.Connect();
        TestClient other = server.Connect();
        Assert.Equal("+OK", other.Run("XGROUP CREATE s g $ MKSTREAM"));
        Assert.Equal("+OK", other.Run("XGROUP CREATE t g $ MKSTREAM"));
        Assert.Equal("", waiter.Run("XREADGROUP GROUP g one BLOCK 1000 STREAMS s t > >"));
        // A change that ends nothing: the command runs again and waits on.
        Assert.Equal("+OK", other.Run("XGROUP CREATE t g2 $"));
        _clock.Advance(999_000);
        server.Run();
        Assert.Equal("", waiter.Shown());
        _clock.Advance(1_000);
        server.Run();
        Assert.Equal("*-1\r\n", waiter.TakeRaw());
        Assert.Equal(0, server.Engine.Waits.KeyCount);
    }

    [Fact]
    public void InATransactionNoCommandWaits()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Run("MULTI");
        client.Run("XREAD BLOCK 0 STREAMS s $");
        client.Send("EXEC");
        server.Run();
        Assert.Equal("*1\r\n*-1\r\n", client.TakeRaw());
    }

    [Fact]
    public void APendingEntryIsClaimedWhenItIsIdleForLongEnough()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient waiter = server.Connect();
        TestClient other = server.Connect(1);
        other.Run("XADD s 1-0 f v");
        other.Run("XADD s 2-0 f v");
        other.Run("XGROUP CREATE s g 0");
        other.Run("XREADGROUP GROUP g one COUNT 1 STREAMS s >");
        _clock.Advance(100_000);
        other.Run("XREADGROUP GROUP g one STREAMS s >");
        other.Run("XDEL s 1-0");
        // 1-0 has gone, and 2-0 was delivered 100 ms later.
        Assert.Equal("", waiter.Run("XREADGROUP GROUP g two BLOCK 0 CLAIM 500 STREAMS s >"));
        _clock.Advance(499_000);
        server.Run();
        Assert.Equal("", waiter.Shown());
        _clock.Advance(1_000);
        server.Run();
        Assert.Equal("*[*[$s, *[*[$2-0, *[$f, $v], :500, :1]]]]", waiter.Shown());
        Assert.Equal(0, server.Engine.Waits.KeyCount);
    }

    [Fact]
    public void WhatAnotherConsumerGotInsteadIsClaimedLater()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient first = server.Connect();
        TestClient second = server.Connect(1);
        TestClient other = server.Connect();
        other.Run("XGROUP CREATE s g $ MKSTREAM");
        other.Run("XGROUP CREATE t g $ MKSTREAM");
        Assert.Equal("", first.Run("XREADGROUP GROUP g one BLOCK 0 STREAMS s >"));
        Assert.Equal("", second.Run("XREADGROUP GROUP g two BLOCK 0 CLAIM 500 STREAMS t s > >"));
        other.Run("XADD s 1-0 f v");
        Assert.Equal("*[*[$s, *[*[$1-0, *[$f, $v]]]]]", first.Shown());
        _clock.Advance(400_000);
        server.Run();
        // Reading it again begins its idle time anew.
        Assert.Equal("*[*[$s, *[*[$1-0, *[$f, $v]]]]]", first.Run("XREADGROUP GROUP g one STREAMS s 0"));
        _clock.Advance(499_000);
        server.Run();
        Assert.Equal("", second.Shown());
        _clock.Advance(1_000);
        server.Run();
        Assert.Equal("*[*[$s, *[*[$1-0, *[$f, $v], :500, :2]]]]", second.Shown());
    }

    [Fact]
    public void WhatXClaimMakesOlderIsClaimedAtOnce()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient waiter = server.Connect();
        TestClient other = server.Connect(1);
        other.Run("XADD s 1-0 f v");
        other.Run("XGROUP CREATE s g $");
        Assert.Equal("", waiter.Run("XREADGROUP GROUP g two BLOCK 0 CLAIM 500 STREAMS s >"));
        _clock.Advance(1_000_000);
        server.Run();
        Assert.Equal("*[$1-0]", other.Run("XCLAIM s g one 0 1-0 FORCE JUSTID"));
        _clock.Advance(400_000);
        server.Run();
        Assert.Equal("*[$1-0]", other.Run("XCLAIM s g one 0 1-0 IDLE 499 JUSTID"));
        server.Run();
        Assert.Equal("", waiter.Shown());
        _clock.Advance(1_000);
        server.Run();
        Assert.Equal("*[*[$s, *[*[$1-0, *[$f, $v], :500, :1]]]]", waiter.Shown());
        Assert.Equal("", waiter.Run("XREADGROUP GROUP g two BLOCK 0 CLAIM 500 STREAMS s >"));
        Assert.Equal("*[$1-0]", other.Run("XCLAIM s g one 0 1-0 IDLE 700 JUSTID"));
        Assert.Equal("*[*[$s, *[*[$1-0, *[$f, $v], :700, :2]]]]", waiter.Shown());
    }

    [Fact]
    public void AWaiterForIdleEntriesHasATimeout()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient waiter = server.Connect();
        TestClient other = server.Connect(1);
        DeliverOne(other);
        Assert.Equal("", waiter.Run("XREADGROUP GROUP g two BLOCK 300 CLAIM 500 STREAMS s >"));
        _clock.Advance(300_000);
        server.Run();
        Assert.Equal("*-1\r\n", waiter.TakeRaw());
        Assert.Equal("", waiter.Run("XREADGROUP GROUP g two BLOCK 0 CLAIM 9223372036854775807 STREAMS s >"));
        _clock.Advance(3_000_000_000);
        server.Run();
        Assert.Equal("", waiter.Shown());
        Assert.Equal("$2-0", other.Run("XADD s 2-0 f v"));
        Assert.Equal("*[*[$s, *[*[$2-0, *[$f, $v], :0, :0]]]]", waiter.Shown());
    }

    [Fact]
    public void NothingIsClaimedWhileWritersArePaused()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient waiter = server.Connect();
        TestClient other = server.Connect(1);
        DeliverOne(other);
        Assert.Equal("", waiter.Run("XREADGROUP GROUP g two BLOCK 0 CLAIM 500 STREAMS s >"));
        other.Run("CLIENT PAUSE 1000 WRITE");
        _clock.Advance(700_000);
        server.Run();
        Assert.Equal("", waiter.Shown());
        _clock.Advance(500_000);
        server.Run();
        _clock.Advance(100_000);
        server.Run();
        Assert.Equal("*[*[$s, *[*[$1-0, *[$f, $v], :1300, :1]]]]", waiter.Shown());
    }

    // An entry of the stream s, which the consumer one of its group g has read.
    private static void DeliverOne(TestClient client)
    {
        client.Run("XADD s 1-0 f v");
        client.Run("XGROUP CREATE s g 0");
        client.Run("XREADGROUP GROUP g one STREAMS s >");
    }
}
