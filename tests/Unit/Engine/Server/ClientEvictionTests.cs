using System;
using System.Globalization;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>maxmemory-clients.</summary>
public sealed class ClientEvictionTests
{
    private const int LimitBytes = 2_000_000;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void TheLargestClientsGoUntilTheOthersAreWithinTheLimit(int loop)
    {
        using TestServer server = NewServer("2000000");
        TestClient client = server.Connect();
        TestClient[] senders = new TestClient[6];
        for (int index = 0; index < senders.Length; index++)
        {
            senders[index] = server.Connect(index % 2 == 0 ? loop : 0);
            // Half a command: 300 kB, the last one of 900 kB, which makes the sum too large.
            SendHalf(server, senders[index], index == 5 ? 900_000 : 300_000);
            client.Run("PING");
            Assert.Equal(index == 5 ? 1 : 0, Field(client, "evicted_clients"));
        }

        Assert.True(senders[5].IsClosed);
        Assert.All(senders[..5], static sender => Assert.False(sender.IsClosed));
        Assert.InRange(Field(client, "mem_clients_normal"), 1_500_000, LimitBytes);
        Assert.Equal("+OK", client.Run("CONFIG SET maxmemory-clients 700000"));
        client.Run("PING");
        Assert.InRange(Field(client, "mem_clients_normal"), 100_000, 700_000);
        Assert.InRange(Field(client, "evicted_clients"), 3, 5);
        Assert.Equal("+OK", client.Run("CONFIG RESETSTAT"));
        Assert.Equal(0, Field(client, "evicted_clients"));
        Assert.Contains(server.Log.Lines, static line =>
            line.Contains("Evicting client: id=", StringComparison.Ordinal));
    }

    [Fact]
    public void AClientThatMustStayStays()
    {
        using TestServer server = NewServer("2000000");
        TestClient client = server.Connect();
        client.Run("CLIENT NO-EVICT ON");
        TestClient sender = server.Connect();
        Assert.Equal("+OK", sender.Run("CLIENT NO-EVICT ON"));
        SendHalf(server, sender, 3_000_000);
        Assert.Equal("+PONG", client.Run("PING"));
        Assert.False(sender.IsClosed);
        Assert.Equal(0, Field(client, "evicted_clients"));
        sender.Disconnect();
        TestClient other = server.Connect();
        SendHalf(server, other, 3_000_000);
        Assert.True(other.IsClosed);
    }

    [Fact]
    public void ALimitMayBeAShareOfMaxmemory()
    {
        using TestServer server = NewServer("10%");
        TestClient client = server.Connect();
        TestClient sender = server.Connect();
        SendHalf(server, sender, 1_200_000);
        Assert.False(sender.IsClosed);
        client.Run("CONFIG SET maxmemory 10000000");
        client.Run("PING");
        Assert.True(sender.IsClosed);
        Assert.Equal("*[$maxmemory-clients, $10%]", client.Run("CONFIG GET maxmemory-clients"));
    }

    [Fact]
    public void QueuedCommandsAndUnsentRepliesCount()
    {
        using TestServer server = NewServer("2000000");
        TestClient client = server.Connect();
        TestClient queuing = server.Connect();
        queuing.Run("MULTI");
        string value = new('v', 500_000);
        for (int count = 0; count < 5 && !queuing.IsClosed; count++)
        {
            queuing.Send("SET", "k", value);
            server.Run();
        }

        Assert.True(queuing.IsClosed);
        client.Call("SET", "k", value);
        TestClient reading = server.Connect();
        reading.OutputRoom = 0;
        for (int count = 0; count < 5 && !reading.IsClosed; count++)
        {
            reading.Send("GET", "k");
            server.Run();
        }

        Assert.True(reading.IsClosed);
        Assert.Equal(2, Field(client, "evicted_clients"));
    }

    [Fact]
    public void WatchedKeysAndSubscriptionsCount()
    {
        using TestServer server = NewServer("100000");
        TestClient watching = server.Connect();
        TestClient subscribing = server.Connect();
        for (int count = 0; count < 2000 && !(watching.IsClosed && subscribing.IsClosed); count++)
        {
            watching.Send("WATCH", Text(count));
            subscribing.Send("SUBSCRIBE", Text(count));
            server.Run();
        }

        Assert.True(watching.IsClosed);
        Assert.True(subscribing.IsClosed);
    }

    [Fact]
    public void WhatClientsHaveSentCountsAsUsedMemory()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        long before = server.Engine.Keyspace.UsedBytes;
        TestClient queuing = server.Connect();
        queuing.Run("MULTI");
        queuing.Call("SET", "k", new string('v', 60_000));
        TestClient half = server.Connect();
        half.SendRaw("*3\r\n$3\r\nSET\r\n$1\r\na\r\n$50000\r\n" + new string('v', 40_000));
        server.Run();
        Assert.InRange(server.Engine.Keyspace.UsedBytes - before, 100_000, 300_000);
        client.Call("CONFIG", "SET", "maxmemory", Text((int)before + 50_000));
        Assert.StartsWith("-OOM ", client.Run("SET a 1"), StringComparison.Ordinal);
        queuing.Run("DISCARD");
        half.Disconnect();
        server.Run();
        Assert.Equal("+OK", client.Run("SET a 1"));
    }

    // Time stands still: a loop waits between two measurements where one took long, as on a busy machine.
    private static TestServer NewServer(string limit) =>
        new(2, new ManualClock(), ("maxmemory-clients", limit));

    private static void SendHalf(TestServer server, TestClient client, int byteCount)
    {
        client.SendRaw($"*2\r\n$3\r\nGET\r\n${byteCount + 1}\r\n" + new string('v', byteCount));
        server.Run();
    }

    private static long Field(TestClient client, string name)
    {
        string info = client.Call("INFO", "everything").Text;
        int start = info.IndexOf($"\n{name}:", StringComparison.Ordinal) + name.Length + 2;
        return long.Parse(info.AsSpan(start, info.IndexOf('\r', start) - start),
            CultureInfo.InvariantCulture);
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
