using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>busy-reply-threshold: no command waits for ever for keys that a slow command holds.</summary>
public sealed class BusyReplyTests
{
    private const string Busy = "BUSY Redis is busy running a module command.";
    private const long ThresholdUs = 5_000_000;
    private readonly ManualClock _clock = new();

    [Fact]
    public void AWaitingCommandIsRefusedAfterTheThreshold()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient slow = HoldAllKeys(server);
        TestClient reader = server.Connect(1);
        TestClient transaction = server.Connect(0);
        transaction.Run("MULTI");
        transaction.Run("SET k 2");
        Assert.Equal("", reader.Run("GET k"));
        Assert.Equal("", transaction.Run("EXEC"));
        _clock.Advance(ThresholdUs - 1_000_000);
        server.Run();
        Assert.Equal("", reader.Shown() + transaction.Shown());
        _clock.Advance(2_000_000);
        server.Run();
        Assert.Equal($"-{Busy}", reader.Shown());
        Assert.Equal($"-EXECABORT Transaction discarded because of: {Busy}", transaction.Shown());
        End(server, slow);
        Assert.Equal("$1", reader.Run("GET k"));
        Assert.Equal("-ERR EXEC without MULTI", transaction.Run("EXEC"));
    }

    [Fact]
    public void LaterCommandsAreRefusedAtOnceUnlessTheyNeedNoKey()
    {
        using var server = new TestServer(loopCount: 2, _clock);
        TestClient slow = HoldAllKeys(server);
        _clock.Advance(ThresholdUs);
        server.Run();
        TestClient other = server.Connect(1);
        Assert.Equal($"-{Busy}", other.Run("GET k"));
        Assert.Equal($"-{Busy}", other.Run("MGET k l"));
        Assert.Equal("+PONG", other.Run("PING"));
        other.Send("CLIENT", "REPLY", "SKIP");
        other.Send("GET", "k");
        other.Send("PING");
        server.Run();
        Assert.Equal("+PONG", other.Shown());
        string statistics = other.Call("INFO", "commandstats").Text;
        Assert.Contains("cmdstat_get:calls=0,usec=0,usec_per_call=0.00,rejected_calls=2,", statistics,
            System.StringComparison.Ordinal);
        End(server, slow);
        Assert.Equal("$1", other.Run("GET k"));
    }

    [Fact]
    public void WithAThresholdOfZeroAllCommandsWait()
    {
        using var server = new TestServer(loopCount: 1, _clock);
        Assert.Null(server.Configuration.Set([new("busy-reply-threshold", "0")], isLocalClient: true));
        TestClient slow = HoldAllKeys(server);
        TestClient reader = server.Connect();
        Assert.Equal("", reader.Run("GET k"));
        _clock.Advance(100 * ThresholdUs);
        server.Run();
        Assert.Equal("", reader.Shown());
        End(server, slow);
        Assert.Equal("$1", reader.Shown());
    }

    [Fact]
    public void AClientThatVanishesWhileItWaitsIsForgotten()
    {
        using var server = new TestServer(loopCount: 1, _clock);
        TestClient slow = HoldAllKeys(server);
        TestClient reader = server.Connect();
        Assert.Equal("", reader.Run("GET k"));
        reader.Disconnect();
        _clock.Advance(ThresholdUs);
        server.Run();
        End(server, slow);
    }

    // A transaction with KEYS runs in the slow lane, with all stripes.
    private static TestClient HoldAllKeys(TestServer server)
    {
        TestClient slow = server.Connect();
        slow.Run("SET k 1");
        slow.Run("MULTI");
        slow.Run("KEYS *");
        server.IsSlowLaneHeld = true;
        Assert.Equal("", slow.Run("EXEC"));
        return slow;
    }

    private static void End(TestServer server, TestClient slow)
    {
        server.IsSlowLaneHeld = false;
        server.Run();
        Assert.Equal("*[*[$k]]", slow.Shown());
    }
}
