using System;
using System.Linq;
using Cinnabar.Keyspace;
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
        Assert.Equal("*[$1, $2]", Reloaded("MGET before behind"));
    }

    /// <summary>As in Redis: where the manifest is lost, what there was is not.</summary>
    [Fact]
    public void AFileThatNoManifestNamesKeepsItsBytes()
    {
        var files = new SimulatedFileSystem();
        using (TestServer first = TestServer.On(files, _clock, [("appendonly", "yes")]))
            Assert.Null(first.Load());
        string path = files.Paths.Single(static one => one.EndsWith(".incr.aof", StringComparison.Ordinal));
        foreach (string other in files.Paths.Where(one => one != path).ToArray())
            files.Delete(other);
        files.Put(path, "*1\r\n$8\r\nFLUSHALL\r\n"u8);

        using TestServer server = TestServer.On(files, _clock, [("appendonly", "yes")]);
        Assert.Null(server.Load());

        Assert.True(files.Read(path).AsSpan().StartsWith("*1\r\n$8\r\nFLUSHALL\r\n"u8));
    }

    /// <summary>Switched off before it had a base, and on again before that took effect: it still needs the
    /// first base.</summary>
    [Fact]
    public void SwitchedOnAgainItBeginsAnew()
    {
        _client.Run("SET key 1");
        _server.IsSaverHeld = true;
        _client.Run("CONFIG SET appendonly yes");
        Settle();
        Stripe stripe = _server.Engine.Keyspace.Stripes[0];
        Assert.True(stripe.Lock.TryEnter());
        _client.Run("CONFIG SET appendonly no");
        _server.IsSaverHeld = false;
        Settle();
        stripe.Lock.Exit();
        _client.Send("BGREWRITEAOF");
        _client.Send("CONFIG", "SET", "appendonly", "yes");
        _client.Send("SET", "key", "2");
        Settle();
        Settle();
        _client.Run("SET key 3");
        Settle();
        Assert.Equal("$3", Reloaded("GET key"));
        _client.Run("BGREWRITEAOF");
        Settle();
        _client.Run("SET key 4");
        Settle();
        Assert.Equal("$4", Reloaded("GET key"));
    }

    /// <summary>Switched off while the next increment is being opened, it does not wait for that.</summary>
    [Fact]
    public void SwitchedOffItWaitsForNoIncrement()
    {
        _client.Run("CONFIG SET appendonly yes");
        Settle();
        _server.IsSaverHeld = true;
        Assert.StartsWith("+Background", _client.Run("BGREWRITEAOF"), StringComparison.Ordinal);
        _client.Run("CONFIG SET appendonly no");
        _server.IsSaverHeld = false;
        _server.Run();
        _clock.Advance(microseconds: 200_000);
        _server.Run();
        Assert.Contains("aof_rewrite_in_progress:0", _client.Run("INFO persistence"),
            StringComparison.Ordinal);
        _client.Run("SET key 1");
        _client.Run("CONFIG SET appendonly yes");
        Settle();
        Assert.Equal("$1", Reloaded("GET key"));
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

    private string Reloaded(string command)
    {
        using TestServer other =
            TestServer.On(_files.AfterKill(), new ManualClock(), ("appendonly", "yes"));
        other.Engine.Loading.Prepare();
        other.Engine.Loading.Begin(Assert.Null);
        return other.Connect().Run(command);
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
