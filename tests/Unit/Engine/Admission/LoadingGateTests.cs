using Cinnabar.Engine.Gates;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Admission;

/// <summary>Commands while data are loaded.</summary>
public sealed class LoadingGateTests
{
    private const string Refusal = "-LOADING Redis is loading the dataset in memory";
    private readonly ManualClock _clock = new();

    [Fact]
    public void OnlyCommandsWithTheFlagRun()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        server.Engine.Gates.Set(ServerGates.Loading, true);
        foreach (string refused in (string[])["GET k", "SET k 1", "PING", "DBSIZE", "DEL a b"])
            Assert.Equal(Refusal, client.Run(refused));
        Assert.Equal("+OK", client.Run("SELECT 1"));
        Assert.Equal("+OK", client.Run("CONFIG SET hz 10"));
        Assert.Equal(Refusal, client.Run("CONFIG SET hz 11 repl-diskless-load disabled"));
        Assert.StartsWith("-ERR unknown command", client.Run("NONSENSE"), System.StringComparison.Ordinal);
        server.Engine.Gates.Set(ServerGates.Loading, false);
        Assert.Equal("_", client.Run("GET k"));
    }

    [Fact]
    public void ATransactionIsRefusedByWhatItWouldRun()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        TestClient other = server.Connect();
        Assert.Equal("+OK", client.Run("MULTI"));
        Assert.Equal("+QUEUED", client.Run("SET k 1"));
        server.Engine.Gates.Set(ServerGates.Loading, true);
        Assert.Equal("-EXECABORT Transaction discarded because of: " + Refusal[1..], client.Run("EXEC"));
        Assert.Equal("-ERR EXEC without MULTI", client.Run("EXEC"));
        Assert.Equal("+OK", other.Run("MULTI"));
        Assert.Equal("+QUEUED", other.Run("SELECT 1"));
        Assert.Equal("*[+OK]", other.Run("EXEC"));
        Assert.Equal("+OK", other.Run("MULTI"));
        Assert.Equal(Refusal, other.Run("GET k"));
        Assert.Equal("-EXECABORT Transaction discarded because of previous errors.", other.Run("EXEC"));
    }
}
