using System;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine;

/// <summary>DEBUG LOADAOF.</summary>
public sealed class DebugLoadAofTests
{
    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();

    /// <summary>What the base and the increment hold makes the data that there were.</summary>
    [Fact]
    public void RecordedDataComeBack()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        Fill(client, "before");
        Assert.StartsWith("+Background", client.Run("BGREWRITEAOF"), StringComparison.Ordinal);
        Settle(server);
        Fill(client, "after");
        string digest = client.Run("DEBUG DIGEST");
        long changeCount = server.Engine.Statistics.ChangeCount;
        Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
        Assert.Equal(digest, client.Run("DEBUG DIGEST"));
        Assert.Equal(changeCount, server.Engine.Statistics.ChangeCount);
        Assert.Contains(server.Log.Lines,
            line => line.Contains("Append Only File loaded by DEBUG LOADAOF", StringComparison.Ordinal));
        client.Run("SET later 1");
        Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
        Assert.Equal("$1", client.Run("GET later"));
        Assert.NotEqual(digest, client.Run("DEBUG DIGEST"));
    }

    /// <summary>A rewrite that is under way goes on after the load, and its files are complete.</summary>
    [Fact]
    public void ARewriteGoesOnAfterTheLoad()
    {
        using (TestServer server = Start())
        {
            TestClient client = server.Connect();
            Fill(client, "before");
            server.IsSaverHeld = true;
            Assert.StartsWith("+Background", client.Run("BGREWRITEAOF"), StringComparison.Ordinal);
            Settle(server);
            Fill(client, "meanwhile");
            string digest = client.Run("DEBUG DIGEST");
            Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
            Assert.Equal(digest, client.Run("DEBUG DIGEST"));
            Fill(client, "after");
            server.IsSaverHeld = false;
            Settle(server);
            Assert.Contains("aof_rewrites:1", client.Run("INFO persistence"), StringComparison.Ordinal);
            digest = client.Run("DEBUG DIGEST");
            Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
            Assert.Equal(digest, client.Run("DEBUG DIGEST"));
        }
    }

    /// <summary>Where nothing can be loaded, the keys stay and the reply is an error.</summary>
    [Fact]
    public void WithoutAFileNothingIsLost()
    {
        using var server = new TestServer(
            loopCount: 1, clock: null, ("enable-debug-command", "yes"));
        TestClient client = server.Connect();
        client.Run("SET a 1");
        Assert.StartsWith("-ERR Error trying to load the AOF files", client.Run("DEBUG LOADAOF"),
            StringComparison.Ordinal);
        Assert.Equal("$1", client.Run("GET a"));
    }

    /// <summary>A key past its deadline is there until its end is recorded, also behind DEBUG RELOAD: what is
    /// loaded must not have the old value before the new one.</summary>
    [Fact]
    public void AKeyThatAReloadFindsExpiredEndsInTheFile()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("DEBUG SET-ACTIVE-EXPIRE 0");
        client.Run("SET key old PX 5");
        client.Run("HSET hash old 1");
        client.Run("HPEXPIRE hash 5 FIELDS 1 old");
        _clock.Advance(microseconds: 10_000);
        Assert.Equal("+OK", client.Run("DEBUG RELOAD"));
        client.Run("APPEND key new");
        client.Run("HSET hash new 1");
        for (int round = 0; round < 2; round++)
        {
            Assert.Equal("$new", client.Run("GET key"));
            Assert.Equal(":-1", client.Run("TTL key"));
            Assert.Equal("*[$new, $1]", client.Run("HGETALL hash"));
            Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
        }
    }

    private static void Fill(TestClient client, string name)
    {
        foreach (string line in (string[])
        [
            $"SET {name}:text hello", $"SET {name}:far 1 PXAT 9999999999999", $"RPUSH {name}:list a b c",
            $"SADD {name}:set a b 1", $"ZADD {name}:zset 1.5 a -inf b", $"HSET {name}:hash a 1 b 2",
            $"XADD {name}:stream 1-1 a 1", $"XGROUP CREATE {name}:stream group 0", "SELECT 3",
            $"SET {name}:other 1", "SELECT 0",
        ])
            Assert.DoesNotContain("ERR", client.Run(line), StringComparison.Ordinal);
    }

    private void Settle(TestServer server)
    {
        for (int step = 0; step < 10; step++)
        {
            _clock.Advance(microseconds: 1_000_000);
            server.Engine.Data.Journal.Step();
            server.Run();
        }
    }

    private TestServer Start()
    {
        TestServer server = TestServer.On(
            _files, _clock, ("appendonly", "yes"), ("enable-debug-command", "yes"));
        Assert.Null(server.Load());
        return server;
    }
}
