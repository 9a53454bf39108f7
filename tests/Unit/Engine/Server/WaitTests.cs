using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>WAIT and WAITAOF of a server that no replica can join, and timeouts of a paused server.</summary>
public sealed class WaitTests
{
    private readonly ManualClock _clock = new();

    [Fact]
    public void WaitForNoReplicaIsAnsweredAtOnce()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        Assert.Equal(":0", client.Run("WAIT 0 1000"));
        Assert.Equal(":0", client.Run("WAIT -1 0"));
        Assert.Equal("*[:0, :0]", client.Run("WAITAOF 0 0 0"));
        client.Run("MULTI");
        client.Run("WAIT 3 0");
        Assert.Equal("*[:0]", client.Run("EXEC"));
    }

    [Fact]
    public void WaitForOneReplicaLastsUntilTheTimeout()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        TestClient aof = server.Connect(protocol: 3);
        client.Send("WAIT", "1", "1000");
        client.Send("PING");
        Assert.Equal("", client.Run("ECHO x"));
        Assert.Equal("", aof.Run("WAITAOF 0 1 2000"));
        Assert.Contains(" flags=b ", server.Connect().Run($"CLIENT LIST ID {client.Session!.Id}"),
            System.StringComparison.Ordinal);
        _clock.Advance(999_000);
        server.Run();
        Assert.Equal("", client.Shown());
        _clock.Advance(1_000);
        server.Run();
        Assert.Equal(":0 +PONG $x", client.Shown());
        Assert.Equal("", aof.Shown());
        _clock.Advance(1_000_000);
        server.Run();
        Assert.Equal("*[:0, :0]", aof.Shown());
    }

    /// <summary>What is asked of the server's own file waits for its flush.</summary>
    [Fact]
    public void WaitForTheOwnFileLastsUntilItIsFlushed()
    {
        using TestServer server = TestServer.On(new SimulatedFileSystem(), _clock, ("appendonly", "yes"));
        server.Engine.Loading.Prepare();
        TestClient client = server.Connect();
        TestClient other = server.Connect();
        client.Run("SET a 1");
        Assert.Equal("", client.Run("WAITAOF 1 0 0"));
        Assert.Equal("", other.Run("WAITAOF 1 0 500"));
        _clock.Advance(500_000);
        server.Run();
        Assert.Equal("*[:0, :0]", other.Shown());
        Assert.Equal("", client.Shown());
        _clock.Advance(500_000);
        server.Engine.Data.Journal.Step();
        server.Run();
        Assert.Equal("*[:1, :0]", client.Shown());
        Assert.Equal("*[:1, :0]", other.Run("WAITAOF 1 0 0"));
    }

    [Fact]
    public void WithoutATimeoutOnlyTheClientEndsIt()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        Assert.Equal("", client.Run("WAIT 1 0"));
        _clock.Advance(1_000_000_000_000);
        server.Run();
        Assert.Equal("", client.Shown());
        client.Disconnect();
        server.Run();
        Assert.True(client.IsClosed);
    }

    [Fact]
    public void AMutedWaitIsMuted()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Send("CLIENT", "REPLY", "SKIP");
        client.Send("WAIT", "1", "10");
        client.Send("PING");
        server.Run();
        _clock.Advance(10_000);
        server.Run();
        Assert.Equal("+PONG", client.Shown());
    }

    [Theory]
    [InlineData("WRITE")]
    [InlineData("ALL")]
    public void APauseOnlyMasksKeysPastTheirDeadline(string mode)
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Run("SET k v PX 500");
        client.Run($"CLIENT PAUSE 1000 {mode}");
        _clock.Advance(600_000);
        server.Run();
        Assert.Equal(1, server.Engine.Keyspace.Count(0));
        if (mode == "WRITE")
            Assert.Equal("_", client.Run("GET k"));
        _clock.Advance(500_000);
        server.Run();
        Assert.Equal(0, server.Engine.Keyspace.Count(0));
        Assert.Contains("expired_keys:1\r\n", client.Call("INFO", "stats").Text,
            System.StringComparison.Ordinal);
    }
}
