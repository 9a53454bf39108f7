using System;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>CONFIG SET appendonly at run time.</summary>
public sealed class AppendOnlySwitchTests : IDisposable
{
    private const string InTransaction =
        "AOF was enabled during a transaction. An AOF background was scheduled to start when possible.";

    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();
    private readonly TestServer _server;
    private readonly TestClient _client;

    public AppendOnlySwitchTests()
    {
        _server = TestServer.On(_files, _clock, ("appendonly", "no"));
        _server.Engine.Loading.Prepare();
        _server.Engine.Loading.Begin(Assert.Null);
        _client = _server.Connect();
    }

    public void Dispose() => _server.Dispose();

    /// <summary>The base has a transaction as a whole: it begins behind it.</summary>
    [Fact]
    public void ATransactionThatSwitchesOnIsInTheFileAsAWhole()
    {
        _client.Run("MULTI");
        _client.Run("SET before 1");
        _client.Run("CONFIG SET appendonly yes");
        _client.Run("SET behind 2");
        _client.Run("EXEC");
        Assert.Equal(1, CountOf(InTransaction));
        Settle();
        Assert.Contains(_files.Paths, static path => path.EndsWith(".base.rdb", StringComparison.Ordinal));
        using TestServer other =
            TestServer.On(_files.AfterKill(), new ManualClock(), ("appendonly", "yes"));
        other.Engine.Loading.Prepare();
        other.Engine.Loading.Begin(Assert.Null);
        Assert.Equal("*[$1, $2]", other.Connect().Run("MGET before behind"));
    }

    [Fact]
    public void OnlyATransactionThatSwitchesOnSaysSo()
    {
        _client.Run("MULTI");
        _client.Run("CONFIG SET maxmemory 0");
        _client.Run("CONFIG SET appendonly no");
        _client.Run("EXEC");
        _client.Run("CONFIG SET appendonly yes");
        Settle();
        _client.Run("MULTI");
        _client.Run("CONFIG SET appendonly yes");
        _client.Run("EXEC");
        Assert.Equal(0, CountOf(InTransaction));
    }

    [Fact]
    public void ASaveUnderWayComesFirst()
    {
        _server.IsSaverHeld = true;
        _client.Run("SET key 1");
        _client.Run("BGSAVE");
        _client.Run("CONFIG SET appendonly yes");
        Assert.Equal(1, CountOf("AOF was enabled but there is already another background operation. An AOF "
            + "background was scheduled to start when possible."));
        _server.IsSaverHeld = false;
        Settle();
        Assert.Contains(_files.Paths, static path => path.EndsWith(".base.rdb", StringComparison.Ordinal));
    }

    private int CountOf(string text) =>
        _server.Log.Lines.Count(line => line.Contains(text, StringComparison.Ordinal));

    private void Settle()
    {
        for (int step = 0; step < 10; step++)
        {
            _clock.Advance(microseconds: 200_000);
            _server.Engine.Data.Journal.Step();
            _server.Run();
        }
    }
}
