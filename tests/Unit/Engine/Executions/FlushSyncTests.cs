using System;
using System.Text;
using Cinnabar.Engine.Loops;
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
        Loop loop = server.Engine.Loops[0];
        byte[] request = RespClient.Encode(["FLUSHALL", "SYNC"]);
        loop.Receive(client.Session!, out byte* place, out int room);
        // SAFETY: the loop has room for so many bytes at the place.
        request.CopyTo(new Span<byte>(place, room));
        loop.Received(client.Session!, request.Length);
        loop.Turn();
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
