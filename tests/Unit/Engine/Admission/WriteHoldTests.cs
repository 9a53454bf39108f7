using Cinnabar.Engine.Admission;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Admission;

/// <summary>Writes that wait for a disk.</summary>
public sealed class WriteHoldTests
{
    private readonly ManualClock _clock = new();

    [Fact]
    public void WritesWaitAndReadsGoOn()
    {
        using var server = new TestServer(loopCount: 2, clock: _clock);
        TestClient writer = server.Connect();
        TestClient other = server.Connect(loop: 1);
        server.Engine.WriteHold.Begin(WriteHoldReason.Snapshot);
        writer.Send("SET", "k", "1");
        writer.Send("INCR", "k");
        server.Run();
        Assert.Equal("", writer.Shown());
        Assert.Equal("_", other.Run("GET k"));
        server.Engine.WriteHold.End(WriteHoldReason.Snapshot);
        server.Run();
        Assert.Equal("+OK :2", writer.Shown());
        Assert.Equal("$2", other.Run("GET k"));
    }

    [Fact]
    public void TheLastReasonEndsIt()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        WriteHold hold = server.Engine.WriteHold;
        hold.Begin(WriteHoldReason.Snapshot);
        hold.Begin(WriteHoldReason.Journal);
        hold.Begin(WriteHoldReason.Journal);
        Assert.Equal("", client.Run("SET k 1"));
        hold.End(WriteHoldReason.Journal);
        server.Run();
        Assert.Equal("", client.Shown());
        hold.End(WriteHoldReason.Journal);
        hold.End(WriteHoldReason.Snapshot);
        server.Run();
        Assert.Equal("+OK", client.Shown());
    }

    [Fact]
    public void ATransactionWaitsAtItsEnd()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        server.Engine.WriteHold.Begin(WriteHoldReason.Journal);
        Assert.Equal("+OK", client.Run("MULTI"));
        Assert.Equal("+QUEUED", client.Run("SET k 1"));
        Assert.Equal("", client.Run("EXEC"));
        server.Engine.WriteHold.End(WriteHoldReason.Journal);
        server.Run();
        Assert.Equal("*[+OK]", client.Shown());
        server.Engine.WriteHold.Begin(WriteHoldReason.Journal);
        client.Run("MULTI");
        client.Run("GET k");
        Assert.Equal("*[$1]", client.Run("EXEC"));
        server.Engine.WriteHold.End(WriteHoldReason.Journal);
    }

    [Fact]
    public void AClientThatLeftIsServed()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        server.Engine.WriteHold.Begin(WriteHoldReason.Journal);
        client.Send("SET", "k", "1");
        client.Send("INCR", "k");
        server.Run();
        client.Loop.PeerGone(client.Session!);
        server.Run();
        Assert.False(client.IsClosed);
        server.Engine.WriteHold.End(WriteHoldReason.Journal);
        server.Run();
        Assert.Equal("$2", server.Connect().Run("GET k"));
    }

    [Fact]
    public void AClientThatIsKilledIsForgotten()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        server.Engine.WriteHold.Begin(WriteHoldReason.Journal);
        client.Run("SET k 1");
        Assert.Equal(":1", server.Connect().Run($"CLIENT KILL ID {client.Session!.Id}"));
        Assert.True(client.IsClosed);
        server.Engine.WriteHold.End(WriteHoldReason.Journal);
        server.Run();
        Assert.Equal("_", server.Connect().Run("GET k"));
    }

    [Fact]
    public void NothingExpiresMeanwhile()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Run("SET k v PX 500");
        server.Engine.WriteHold.Begin(WriteHoldReason.Snapshot);
        _clock.Advance(600_000);
        server.Run();
        Assert.Equal(1, server.Engine.Keyspace.Count(0));
        Assert.Equal("_", client.Run("GET k"));
        server.Engine.WriteHold.End(WriteHoldReason.Snapshot);
        server.Run();
        Assert.Equal(0, server.Engine.Keyspace.Count(0));
    }

    [Fact]
    public void AResultOfTheSlowLaneIsStoredAfterwards()
    {
        using var server = new TestServer(loopCostNsMax: 0, loopCount: 1, _clock);
        TestClient client = server.Connect();
        client.Run("RPUSH l 3 1 2");
        server.IsSlowLaneHeld = true;
        client.Send("SORT", "l", "STORE", "sorted");
        server.Run();
        server.Engine.WriteHold.Begin(WriteHoldReason.Snapshot);
        server.IsSlowLaneHeld = false;
        server.Run();
        Assert.Equal("", client.Shown());
        Assert.Equal(":0", server.Connect().Run("EXISTS sorted"));
        server.Engine.WriteHold.End(WriteHoldReason.Snapshot);
        server.Run();
        Assert.Equal(":3", client.Shown());
    }
}
