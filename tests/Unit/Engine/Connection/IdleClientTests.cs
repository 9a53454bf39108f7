using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

/// <summary>Which clients are idle in the sense of <c>timeout</c> and CLIENT LIST.</summary>
public sealed class IdleClientTests
{
    private const long SecondUs = 1_000_000;

    [Fact]
    public void AClientAnsweredAfterALongWaitIsNotIdle()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock, ("timeout", "10"));
        TestClient worker = server.Connect();
        Assert.Equal("", worker.Run("BLPOP queue 60"));
        Wait(server, clock, 30);
        server.Connect().Run("RPUSH queue a");
        Assert.Equal("*[$queue, $a]", worker.Shown());
        Wait(server, clock, 9);
        Assert.False(worker.IsClosed);
        Assert.Equal("", worker.Run("BLPOP queue 20"));
        Wait(server, clock, 21);
        Assert.Equal("_", worker.Shown());
        Wait(server, clock, 9);
        Assert.False(worker.IsClosed);
        Wait(server, clock, 3);
        Assert.True(worker.IsClosed);
    }

    [Fact]
    public void AClientThatReadsABigReplySlowlyIsNotIdle()
    {
        const int Length = 40_000;
        var clock = new ManualClock();
        using var server = new TestServer(1, clock, ("timeout", "10"));
        TestClient reader = server.Connect();
        reader.Run("SETRANGE k " + (Length - 1) + " x");
        reader.OutputRoom = 0;
        reader.Send("GET", "k");
        server.Run();
        for (int second = 0; second < 40; second++)
        {
            Assert.False(reader.IsClosed);
            reader.OutputRoom = 1_000;
            server.Engine.Loops[0].Writable(reader.Session!);
            Wait(server, clock, 1);
        }

        reader.Drain();
        Assert.Equal("$40000\r\n".Length + Length + 2, reader.TakeRaw().Length);
        reader.OutputRoom = 0;
        reader.Send("GET", "k");
        server.Run();
        Wait(server, clock, 13);
        Assert.True(reader.IsClosed);
    }

    [Fact]
    public void WhatCameWhileTheProcessStoodStillIsNotOld()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock, ("timeout", "10"));
        TestClient whole = server.Connect();
        TestClient half = server.Connect();
        TestClient idle = server.Connect();
        TestClient big = server.Connect();
        big.SendRaw("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100000\r\nx");
        Wait(server, clock, 1);
        clock.Advance(20 * SecondUs);
        half.SendRaw("*1\r\n$4\r\nPI");
        big.SendRaw("xx");
        Assert.Equal("+PONG", whole.Run("PING"));
        Wait(server, clock, 9);
        Assert.False(whole.IsClosed);
        Assert.False(half.IsClosed);
        Assert.False(big.IsClosed);
        Assert.True(idle.IsClosed);
        half.SendRaw("NG\r\n");
        server.Run();
        Assert.Equal("+PONG", half.Shown());
    }

    [Fact]
    public void ASubscriberThatGetsMessagesIsNotIdleInTheList()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock);
        TestClient subscriber = server.Connect();
        TestClient other = server.Connect();
        subscriber.Run("SUBSCRIBE news");
        Wait(server, clock, 30);
        other.Run("PUBLISH news hello");
        Wait(server, clock, 2);
        Assert.Contains(" idle=2 ", other.Run("CLIENT LIST TYPE pubsub"));
    }

    private static void Wait(TestServer server, ManualClock clock, int seconds)
    {
        for (int second = 0; second < seconds; second++)
        {
            clock.Advance(SecondUs);
            server.Run();
        }
    }
}
