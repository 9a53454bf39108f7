using System;
using System.Text;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>FLUSHALL SYNC: its client waits until the memory is free, with no lock held.</summary>
public sealed unsafe class FlushSyncTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void ItIsAnsweredWhenTheMemoryIsFree(int loopCount)
    {
        using var server = new TestServer(loopCount);
        TestClient client = server.Connect();
        long before = server.Engine.Keyspace.Pages.UsedBytes;
        Fill(client);
        client.Call("SETRANGE", "big", "3000000", "x");
        client.Run("CLIENT REPLY SKIP");
        client.Send("FLUSHALL", "SYNC");
        client.Send("PING");
        server.Run();
        Assert.Equal("+PONG", client.Shown());
        Assert.False(server.Engine.Keyspace.HasDetached);
        Assert.True(server.Engine.Keyspace.Pages.UsedBytes <= before + 100_000);
        Fill(client);
        Assert.Equal("+OK", client.Run("FLUSHDB SYNC"));
        Assert.Equal("+OK", client.Run("FLUSHDB SYNC"));
        Assert.Equal(":0", client.Run("DBSIZE"));
    }

    [Fact]
    public void WhileItWaitsTheStripesAreFree()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Fill(client);
        RunOnFirstLoop(server, client, "FLUSHALL", "SYNC");
        Assert.True(client.Session!.Suspended!.Waiter!.IsForMemory);
        Assert.True(server.Engine.Keyspace.HasDetached);
        foreach (var stripe in server.Engine.Keyspace.Stripes)
            Assert.False(stripe.Lock.IsHeld);
        Assert.Equal(0, server.Engine.Keyspace.Count(0));
        Assert.Equal("", client.Shown());
        server.Run();
        Assert.Equal("+OK", client.Shown());
    }

    [Fact]
    public void FewKeysNeedNoOtherLoop()
    {
        using var server = new TestServer(3);
        TestClient client = server.Connect();
        for (int index = 0; index < 100; index++)
            client.Call("SET", $"key:{index}", "v");
        RunOnFirstLoop(server, client, "FLUSHALL", "SYNC");
        Assert.Equal("+OK", client.Shown());
        Assert.False(server.Engine.Keyspace.HasDetached);
        Assert.Equal(100, server.Engine.Keyspace.FreedCount);
    }

    [Fact]
    public void LoopsThatSleepAreWokenToFreeTheirKeys()
    {
        using var server = new TestServer(3, new ManualClock());
        TestClient client = server.Connect();
        Fill(client);
        Assert.True(server.Engine.Loops[1].BeginWait() > 0);
        Assert.True(server.Engine.Loops[2].BeginWait() > 0);
        RunOnFirstLoop(server, client, "FLUSHALL", "SYNC");
        Assert.Equal("", client.Shown());
        // A loop with mail does not wait.
        Assert.Equal(0, server.Engine.Loops[1].BeginWait());
        Assert.Equal(0, server.Engine.Loops[2].BeginWait());
        server.Run();
        Assert.Equal("+OK", client.Shown());
    }

    [Fact]
    public void WhatAnotherFlushFreesIsNoticedAtOnce()
    {
        using var server = new TestServer(2, new ManualClock());
        Loop first = server.Engine.Loops[0];
        Loop second = server.Engine.Loops[1];
        TestClient waiting = server.Connect(1);
        TestClient other = server.Connect();
        Fill(waiting);
        waiting.Send("FLUSHALL", "SYNC");
        server.Turn();
        // The waiting one's loop has freed its share and sleeps; the other one leaves so little that the next
        // flush frees it itself.
        while (second.BeginWait() == 0)
            second.Turn();
        while (server.Engine.Keyspace.PendingCount > 1000)
            first.Turn();
        Assert.True(server.Engine.Keyspace.HasDetached);
        RunOnFirstLoop(server, other, "FLUSHALL", "SYNC");
        Assert.Equal("+OK", other.Shown());
        Assert.False(server.Engine.Keyspace.HasDetached);
        Assert.InRange(second.BeginWait(), 0, 1);
        second.EndWait();
        server.Run();
        Assert.Equal("+OK", waiting.Shown());
    }

    [Fact]
    public void InATransactionItWaitsForNothing()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Fill(client);
        client.Run("MULTI");
        client.Run("FLUSHALL SYNC");
        client.Run("SET k v");
        Assert.Equal("*[+OK, +OK]", client.Run("EXEC"));
        Assert.Equal(":1", client.Run("DBSIZE"));
    }

    [Theory]
    [InlineData("no", "FLUSHALL", true)]
    [InlineData("yes", "FLUSHALL", false)]
    [InlineData("no", "FLUSHDB ASYNC", false)]
    [InlineData("yes", "FLUSHDB SYNC", true)]
    public void ADirectiveSaysWhatItIsWithoutAWord(string isLazy, string command, bool isSync)
    {
        using var server = new TestServer(1, null, ("lazyfree-lazy-user-flush", isLazy));
        TestClient client = server.Connect();
        Fill(client);
        client.Send(command.Split(' '));
        server.Turn();
        Assert.Equal(isSync ? "" : "+OK", client.Shown());
        server.Run();
        Assert.Equal(isSync ? "+OK" : "", client.Shown());
    }

    [Fact]
    public void InfoCountsWhatWasFreedInTheBackground()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Fill(client);
        client.Run("FLUSHALL");
        Assert.Equal(20_000, server.Engine.Keyspace.FreedCount);
        client.Run("CONFIG RESETSTAT");
        client.Run("SET a b");
        client.Run("MULTI");
        client.Run("FLUSHALL");
        client.Run("EXEC");
        Assert.Equal(0, server.Engine.Keyspace.PendingCount);
        Assert.Equal(0, server.Engine.Keyspace.FreedCount);
        for (int index = 0; index < 1000; index++)
        {
            string value = new('x', 100);
            client.Call("XADD", "stream", "*", "f", value);
            client.Call("SADD", "set", value + index);
            client.Call("SADD", "small", "1");
        }

        Assert.Equal(":3", client.Run("UNLINK stream set small none"));
        Assert.Equal(2, server.Engine.Keyspace.FreedCount);
        Assert.Contains("lazyfreed_objects:2\r\n", client.Call("INFO", "memory").Text,
            StringComparison.Ordinal);
    }

    private static void RunOnFirstLoop(TestServer server, TestClient client, params string[] command)
    {
        Loop loop = server.Engine.Loops[0];
        byte[] request = RespClient.Encode(command);
        loop.Receive(client.Session!, out byte* place, out int room);
        // SAFETY: the loop has room for so many bytes at the place.
        request.CopyTo(new Span<byte>(place, room));
        loop.Received(client.Session!, request.Length);
        loop.Turn();
    }

    private static void Fill(TestClient client)
    {
        var text = new StringBuilder();
        for (int index = 0; index < 20_000; index++)
            text.Append("SET key:").Append(index).Append(" v\r\n");
        client.Run("CLIENT REPLY OFF");
        client.SendRaw(text.ToString());
        Assert.Equal("+OK", client.Run("CLIENT REPLY ON"));
    }
}
