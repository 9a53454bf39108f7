using System;
using System.Linq;
using System.Text;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Scripts;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Commands;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Journaling;

/// <summary>The replay of recorded commands.</summary>
public sealed class CommandReplayTests
{
    private static readonly string[] s_lines =
    [
        "SET a 1", "SELECT 3", "MULTI", "SET b 2", "INCR b", "EXEC", "SELECT 0", "set c 3",
        "XADD s MAXLEN = 1 LIMIT 10 5-1 f v", "LPUSH l x", "PFADD p e", "PFCOUNT p", "GET a", "PING",
    ];

    [Fact]
    public void CommandsRunInTheirDatabases()
    {
        using var server = new TestServer(loopCount: 2);
        Assert.Equal((true, 0), Replay(server, s_lines));
        TestClient client = server.Connect();
        Assert.Equal("$1", client.Run("GET a"));
        Assert.Equal("$3", client.Run("GET c"));
        Assert.Equal(":1", client.Run("XLEN s"));
        client.Run("SELECT 3");
        Assert.Equal("$3", client.Run("GET b"));
        Assert.Equal("*[$b]", client.Run("KEYS *"));
    }

    [Fact]
    public void AnUnknownCommandIsSaidToBeUnknown()
    {
        using var server = new TestServer();
        Assert.False(Replay(server, "NOSUCH a").IsKnown);
        Assert.False(Replay(server, "XGROUP NOSUCH k g").IsKnown);
    }

    [Theory]
    [InlineData("SADD a x", "WRONGTYPE Operation against a key holding the wrong kind of value")]
    [InlineData("LSET l 0 x", "ERR no such key")]
    [InlineData("SET a", "ERR wrong number of arguments for 'set' command")]
    [InlineData("SELECT 16", "ERR DB index is out of range")]
    public void ErrorsAreCountedAndLogged(string line, string error)
    {
        using var server = new TestServer();
        Assert.Equal((true, 1), Replay(server, "SET a 1", line, "SET b 1"));
        Assert.Single(server.Log.Lines, text => text.Contains("== CRITICAL == This server is sending an "
            + $"error to its AOF-loading-client: '{error}' after processing the command '",
            StringComparison.Ordinal));
        Assert.Equal("$1", server.Connect().Run("GET b"));
    }

    [Fact]
    public void AnErrorEndsTheReplayWhereItIsToPanic()
    {
        using var server = new TestServer(1, clock: null, ("propagation-error-behavior", "panic"));
        Exception fault = Assert.ThrowsAny<Exception>(() => Replay(server, "SET a 1", "SADD a x", "SET b 1"));
        Assert.Contains("panicked sending an error to its AOF-loading-client", fault.Message,
            StringComparison.Ordinal);
        Assert.Equal("_", server.Connect().Run("GET b"));
    }

    [Fact]
    public void NothingExpiresMeanwhile()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock);
        Replay(server, "SET a 1 PXAT 5", "INCR a", "HSET h f 1 g 2", "HPEXPIREAT h 5 FIELDS 1 f",
            "HINCRBY h f 1", "SADD s x", "PEXPIREAT s 9", "SUNIONSTORE t s");
        TestClient client = server.Connect();
        server.Run();
        // Now it does.
        Assert.Equal("*[$h, $t]", $"*[{string.Join(", ", client.Call("KEYS", "*").Items.Order(
            System.Collections.Generic.Comparer<Cinnabar.Tests.Support.Oracle.RespValue>.Create(
                static (left, right) => string.CompareOrdinal(left.Text, right.Text))))}]");
        Assert.Equal("*[$g, $2]", client.Run("HGETALL h"));
    }

    [Fact]
    public void ARenamedCommandIsFoundByBothNames()
    {
        using var server = new TestServer();
        Assert.True(server.Engine.Commands.Rename("set"u8, "mine"u8));
        Assert.Equal((true, 0), Replay(server, "SET a 1", "MINE b 1"));
        Assert.Equal(":2", server.Connect().Run("DBSIZE"));
    }

    [Fact]
    public void AReplayIsNotRecorded()
    {
        using var server = new TestServer();
        RecordingJournal journal = RecordingJournal.Of(server);
        Replay(server, "SET a 1 PXAT 5", "SPOP b", "XADD s * f v");
        Assert.Equal(0, journal.Count);
        server.Run();
        Assert.Equal(["DEL a"], journal.CommandsFrom());
    }

    /// <summary>Files of versions before Redis 7 may have scripts, not what they did.</summary>
    [Fact]
    public void ScriptsOfOldFilesRun()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        const string load = "return{redis.call('incr',KEYS[1]),redis.call('rpush','undeclared',ARGV[1])}";
        string digest = ScriptDigest.Of(Encoding.ASCII.GetBytes(load)).ToString();
        Assert.Equal((true, 0), Replay(server, "EVAL redis.call('set',KEYS[1],ARGV[1]) 1 k v",
            $"SCRIPT LOAD {load}", "SELECT 1", $"EVALSHA {digest} 1 n x",
            "EVAL redis.call('flushdb')redis.call('set','other',1) 0", $"EVALSHA {digest} 1 n y"));
        Assert.Equal("$v", client.Run("GET k"));
        client.Run("SELECT 1");
        Assert.Equal("*[$1, $1]", client.Run("MGET other n"));
        Assert.Equal("*[$y]", client.Run("LRANGE undeclared 0 -1"));
        Assert.Equal((true, 1), Replay(server, "EVAL redis.call('set','a',1)error('x') 0"));
        Assert.Equal("$1", server.Connect().Run("GET a"));
    }

    private static (bool IsKnown, long ErrorCount) Replay(
        TestServer server, params ReadOnlySpan<string> lines)
    {
        using var replay = new CommandReplay(server.Engine);
        bool isKnown = true;
        foreach (string line in lines)
        {
            byte[][] words = [.. line.Split(' ').Select(Encoding.Latin1.GetBytes)];
            using var arguments = new NativeArguments(server.Engine.Keyspace, words);
            isKnown &= replay.TryReplay(arguments.List);
        }

        return (isKnown, replay.ErrorCount);
    }
}
