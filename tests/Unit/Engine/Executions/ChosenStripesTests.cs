using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Locks;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>SCAN and RANDOMKEY lock the stripes that they look at and no others.</summary>
public sealed class ChosenStripesTests
{
    private const int KeyCount = 500;

    [Theory]
    [InlineData(1)]
    [InlineData(10)]
    [InlineData(100)]
    [InlineData(100_000)]
    public void AWalkSeesEveryKeyOnce(int count)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        for (int index = 0; index < KeyCount; index++)
            client.Run($"SET key:{index} v");
        List<string> seen = [];
        string cursor = "0";
        do
        {
            string wanted = count.ToString(CultureInfo.InvariantCulture);
            RespValue reply = client.Call("SCAN", cursor, "COUNT", wanted);
            cursor = reply.Items[0].Text;
            seen.AddRange(reply.Items[1].Items.Select(key => key.Text));
        }
        while (cursor != "0");
        Assert.Equal(KeyCount, seen.Count);
        Assert.Equal(KeyCount, seen.Distinct().Count());
    }

    [Fact]
    public void AWalkGoesOnBesideStripesThatAreHeld()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Fill(client, server, stripe: 0, count: 30);
        Fill(client, server, stripe: 9, count: 1);
        StripeLock held = server.Engine.Keyspace.Stripes[9].Lock;
        Assert.True(held.TryEnter());
        RespValue reply = client.Call("SCAN", "0");
        Assert.NotEqual("0", reply.Items[0].Text);
        Assert.True(reply.Items[1].Items.Count >= 10);
        // This step needs the stripes up to the held one.
        client.Send("SCAN", "0", "COUNT", "31");
        server.Run();
        Assert.Equal("", client.Shown());
        held.Exit();
        server.Run();
        Assert.Equal(31, client.Take()[0].Items[1].Items.Count);
    }

    [Fact]
    public void InATransactionAWalkHasAllStripes()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Fill(client, server, stripe: 0, count: 3);
        client.Run("MULTI");
        client.Run("SCAN 0");
        client.Run("RANDOMKEY");
        StripeLock held = server.Engine.Keyspace.Stripes[9].Lock;
        Assert.True(held.TryEnter());
        Assert.Equal("", client.Run("EXEC"));
        held.Exit();
        server.Run();
        RespValue reply = client.Take()[0];
        Assert.Equal("0", reply.Items[0].Items[0].Text);
        Assert.Equal(3, reply.Items[0].Items[1].Items.Count);
        Assert.StartsWith("stripe0:", reply.Items[1].Text, StringComparison.Ordinal);
    }

    // As redis-server since 7.2.4.
    [Fact]
    public void WhileClientsArePausedAnExpiredKeyMayBeTheRandomOne()
    {
        var clock = new ManualClock();
        using var server = new TestServer(clock: clock);
        TestClient client = server.Connect();
        client.Run("SET expired v PX 10");
        client.Run("CLIENT PAUSE 100000 WRITE");
        clock.Advance(20_000_000);
        server.Run();
        Assert.Equal("$expired", client.Run("RANDOMKEY"));
        Assert.Equal("_", client.Run("GET expired"));
        client.Run("CLIENT UNPAUSE");
        server.Run();
        Assert.Equal("_", client.Run("RANDOMKEY"));
    }

    [Fact]
    public void ARandomKeyComesFromAStripeThatHasSome()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Assert.Equal("_", client.Run("RANDOMKEY"));
        Fill(client, server, stripe: 5, count: 1);
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            Assert.True(stripe.Index == 5 || stripe.Lock.TryEnter());
        Assert.StartsWith("$stripe5:", client.Run("RANDOMKEY"), StringComparison.Ordinal);
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
        {
            if (stripe.Index != 5)
                stripe.Lock.Exit();
        }
    }

    [Fact]
    public void WhereAllKeysOfTheStripeAreDeadAnotherIsFound()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 1, clock);
        server.Engine.Keyspace.IsActiveExpiryEnabled = false;
        TestClient client = server.Connect();
        Fill(client, server, stripe: 2, count: 1000, "PX", "1");
        Fill(client, server, stripe: 7, count: 1);
        clock.Advance(2_000);
        for (int round = 0; round < 20; round++)
            Assert.StartsWith("$stripe7:", client.Run("RANDOMKEY"), StringComparison.Ordinal);
        string statistics = client.Call("INFO", "commandstats").Text;
        Assert.Contains("cmdstat_randomkey:calls=20,", statistics, StringComparison.Ordinal);
    }

    private static void Fill(
        TestClient client, TestServer server, int stripe, int count, params string[] options)
    {
        for (int index = 0; count > 0; index++)
        {
            string key = $"stripe{stripe}:{index}";
            ulong hash = server.Engine.Keyspace.Hash(Encoding.ASCII.GetBytes(key));
            if (server.Engine.Keyspace.StripeIndex(hash) != stripe)
                continue;
            client.Call([.. (string[])["SET", key, "v"], .. options]);
            count--;
        }
    }
}
