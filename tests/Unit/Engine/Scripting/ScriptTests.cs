using System;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Scripting;

/// <summary>Scripts in the engine: where they run, what is taken back, what others see.</summary>
public sealed class ScriptTests
{
    private const string Endless = "while true do\n    local t = {}\nend";
    private const string Busy =
        "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";

    [Fact]
    public void TimeStandsStillInAScript()
    {
        var clock = new SteppingClock();
        using var server = new TestServer(1, clock);
        TestClient client = server.Connect();
        const string script = "return {redis.call('TIME'), redis.call('TIME')}";
        RespValue first = client.Call("EVAL", script, "0");
        Assert.Equal(first.Items[0].ToString(), first.Items[1].ToString());
        Assert.NotEqual(first.Items[0].ToString(), client.Call("EVAL", script, "0").Items[0].ToString());
    }

    /// <summary>As since Redis 7.2: they run and do not wait.</summary>
    [Fact]
    public void StreamsAreReadWithoutWaiting()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        const string read = "return redis.call('XREAD', 'BLOCK', 0, 'STREAMS', KEYS[1], '0')";
        Assert.Equal("_", client.Call("EVAL", read, "1", "s").ToString());
        client.Run("XADD s 1-1 a b");
        Assert.Contains("$1-1", client.Call("EVAL", read, "1", "s").ToString());
        client.Run("XGROUP CREATE s g $");
        Assert.Equal("_", client.Call("EVAL", "return redis.call('XREADGROUP', 'GROUP', 'g', 'c', 'BLOCK', "
            + "0, 'STREAMS', KEYS[1], '>')", "1", "s").ToString());
    }

    /// <summary>A script that touches keys that it does not declare runs again with all stripes, and only
    /// what the last run did is seen.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    public void UndeclaredKeysAreWelcome(int interval)
    {
        using TestServer server = TestServer.Rerunning(interval, loopCount: 2);
        TestClient client = server.Connect();
        TestClient listener = server.Connect(1);
        listener.Call("SUBSCRIBE", "news");
        const string script = """
            local sum = 0
            for i = 1, 20 do
              sum = sum + redis.call('INCR', 'key' .. i)
              redis.call('PUBLISH', 'news', i)
              redis.log(redis.LOG_WARNING, 'line ' .. i)
            end
            return sum
            """;
        Assert.Equal(":20", client.Call("EVAL", script, "1", "key1").ToString());
        Assert.Equal(20, listener.Take().Count);
        Assert.Equal(20, server.Log.Lines.Count(
            static line => line.Contains("line ", StringComparison.Ordinal)));
        Assert.Equal(":40", client.Call("EVAL", script, "1", "key1").ToString());
        Assert.Contains("cmdstat_incr:calls=40,", client.Call("INFO", "commandstats").Text,
            StringComparison.Ordinal);
        Assert.Contains("cmdstat_eval:calls=2,", client.Call("INFO", "commandstats").Text,
            StringComparison.Ordinal);
        Assert.Equal(40 + (2 * 0), server.Engine.Statistics.ChangeCount);
        Assert.Null(server.Fault);
    }

    /// <summary>An error commits what was done before.</summary>
    [Fact]
    public void AnErrorKeepsWhatWasDone()
    {
        using TestServer server = TestServer.Rerunning(interval: 1);
        TestClient client = server.Connect();
        Assert.StartsWith("-ERR user_script:1: x script: ", client.Call(
            "EVAL", "redis.call('SET', 'a', 1) redis.call('SET', 'b', 2) error('x')", "0").ToString(),
            StringComparison.Ordinal);
        Assert.Equal("*[$1, $2]", client.Run("MGET a b"));
    }

    /// <summary>What cannot be taken back is done once.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void FlushesAndSwapsWork(int interval)
    {
        using TestServer server = TestServer.Rerunning(interval, loopCount: 2);
        TestClient client = server.Connect();
        client.Run("SET a 1");
        Assert.Equal(":2", client.Call("EVAL",
            "redis.call('SET', 'b', 1) redis.call('SWAPDB', 0, 1) redis.call('SELECT', 1) "
                + "local count = redis.call('DBSIZE') redis.call('FLUSHALL') return count", "0").ToString());
        Assert.Equal(":0", client.Run("DBSIZE"));
        Assert.Null(server.Fault);
    }

    /// <summary>SELECT in a script ends with it.</summary>
    [Fact]
    public void ADatabaseIsSelectedForTheScript()
    {
        using TestServer server = TestServer.Rerunning(interval: 1);
        TestClient client = server.Connect();
        client.Call("EVAL", "redis.call('SELECT', 4) redis.call('SET', 'k', 'four')", "1", "k");
        Assert.Equal("_", client.Run("GET k"));
        client.Run("SELECT 4");
        Assert.Equal("$four", client.Run("GET k"));
    }

    /// <summary>A script in a transaction sees and does what its place there says.</summary>
    [Fact]
    public void ScriptsRunInTransactions()
    {
        using TestServer server = TestServer.Rerunning(interval: 1, loopCount: 2);
        TestClient client = server.Connect();
        client.Run("MULTI");
        client.Run("SET a 1");
        client.Call("EVAL", "return redis.call('INCRBY', 'a', 5) + redis.call('INCR', 'other')", "0");
        client.Run("INCR a");
        Assert.Equal("*[+OK, :7, :7]", client.Run("EXEC"));
        Assert.Equal("$1", client.Run("GET other"));
    }

    /// <summary>A client that waits for a key gets what a script has pushed, when the script has
    /// ended.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void WaitingClientsAreServed(int interval)
    {
        using TestServer server = TestServer.Rerunning(interval, loopCount: 2);
        TestClient waiter = server.Connect(1);
        TestClient mover = server.Connect(1);
        TestClient client = server.Connect();
        Assert.Equal("", waiter.Run("BLPOP queue 0"));
        Assert.Equal("", mover.Run("BLMOVE source target LEFT LEFT 0"));
        Assert.Equal(":2", client.Call("EVAL",
            "redis.call('RPUSH', 'queue', 'a') redis.call('RPUSH', 'source', 'm') "
                + "return redis.call('RPUSH', 'queue', 'b')", "0").ToString());
        Assert.Equal("*[$queue, $a]", waiter.Shown());
        Assert.Equal("$m", mover.Shown());
        Assert.Equal("*[*[$b], *[$m], *[]]", "*[" + string.Join(", ",
            client.Run("LRANGE queue 0 -1"), client.Run("LRANGE target 0 -1"), "*[]") + "]");
        Assert.Null(server.Fault);
    }

    /// <summary>WATCH sees what a script changes.</summary>
    [Fact]
    public void AWatchSeesScripts()
    {
        using TestServer server = TestServer.Rerunning(interval: 1);
        TestClient client = server.Connect();
        TestClient other = server.Connect();
        client.Run("WATCH k");
        other.Call("EVAL", "return redis.call('SET', 'k', 1)", "0");
        client.Run("MULTI");
        client.Run("PING");
        Assert.Equal("_", client.Run("EXEC"));
    }

    /// <summary>The most recently used scripts that came by EVAL stay; those of SCRIPT LOAD always.</summary>
    [Fact]
    public void TheCacheHasALimit()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        string pinned = client.Call("SCRIPT", "LOAD", "return 'pinned'").Text;
        client.Call("EVAL", "return 'first'", "0");
        client.Call("EVAL", "return 'then pinned'", "0");
        string later = client.Call("SCRIPT", "LOAD", "return 'then pinned'").Text;
        for (int number = 0; number < 600; number++)
            Assert.Equal($":{number}", client.Call("EVAL", $"return {number}", "0").ToString());
        Assert.Equal("$pinned", client.Call("EVALSHA", pinned, "0").ToString());
        Assert.Equal("$then pinned", client.Call("EVALSHA", later, "0").ToString());
        Assert.Equal("$return 'pinned'", client.Call("SCRIPT", "SHOW", pinned).ToString());
        string info = client.Call("INFO").Text;
        Assert.Contains("number_of_cached_scripts:502", info, StringComparison.Ordinal);
        Assert.Contains("evicted_scripts:101", info, StringComparison.Ordinal);
        client.Run("SCRIPT FLUSH");
        Assert.Equal("-NOSCRIPT No matching script. Please use EVAL.",
            client.Call("EVALSHA", pinned, "0").ToString());
    }

    [Fact]
    public void ASlowScriptIsLoggedOnce()
    {
        using var server = new TestServer(loopCount: 1, clock: null, ("busy-reply-threshold", "1"));
        TestClient client = server.Connect();
        Assert.Equal(":7", $"{client.Call("EVAL", "for i = 1, 3000000 do end return 7", "0")}");
        string line = Assert.Single(server.Log.Lines,
            static line => line.Contains("Slow script detected", StringComparison.Ordinal));
        Assert.Matches("still in execution after [0-9]+ milliseconds. You can try killing the script using "
            + "the SCRIPT KILL command. Script name is: [a-f_0-9]+.$", line);
    }

    /// <summary>A long script leaves its loop; others get BUSY where they need its keys; SCRIPT KILL ends
    /// it.</summary>
    [Theory]
    [InlineData("keys", "$1")]
    [InlineData("server", Busy)]
    public async Task LongScriptsAreKilled(string scope, string elsewhere)
    {
        using var server = new TestServer(loopCount: 1, clock: null, ("busy-reply-threshold", "1"),
            ("busy-reply-scope", scope), ("hz", "500"));
        TestClient slow = server.Connect();
        TestClient other = server.Connect();
        string far = Enumerable.Range(0, 100).Select(static number => $"k{number}").First(
            name => server.Engine.Keyspace.StripeIndex(HashOf(server, name))
                != server.Engine.Keyspace.StripeIndex(HashOf(server, "k")));
        other.Call("SET", far, "1");
        server.IsSlowLaneHeld = true;
        slow.Send("EVAL", "local x = 1\npcall(function()\n" + Endless + " end)", "1", "k");
        server.Turn();
        var lane = Task.Run(() => server.StepSlowLane(), TestContext.Current.CancellationToken);
        string refusal = other.Run("GET k");
        while (refusal.Length == 0)
        {
            server.Run();
            refusal = other.Shown();
        }

        string reply = other.Run($"GET {far}");
        Assert.Equal(Busy, other.Run("SHUTDOWN"));
        Assert.Equal(Busy, other.Run("SHUTDOWN SAVE"));
        string killed = other.Run("SCRIPT KILL");
        // Its thread may not have begun.
        while (killed.StartsWith("-NOTBUSY", StringComparison.Ordinal))
            killed = other.Run("SCRIPT KILL");
        server.Engine.ScriptMachines.Running.Abandon();
        await lane;
        Assert.Equal((Busy, elsewhere, "+OK"), (refusal, reply, killed));
        server.IsSlowLaneHeld = false;
        server.Run();
        string error = slow.Shown();
        Assert.StartsWith("-ERR Script killed by user with SCRIPT KILL...", error, StringComparison.Ordinal);
        // It may have been ended before it came to its loop.
        Assert.Matches(", on @user_script:[124]\\.$", error);
        Assert.Equal("-NOTBUSY No scripts in execution right now.", other.Run("SCRIPT KILL"));
        Assert.Equal("_", other.Run("GET k"));
    }

    /// <summary>What a script may hold is limited.</summary>
    [Fact]
    public void MemoryIsLimited()
    {
        using var server = new TestServer(clock: new ManualClock());
        TestClient client = server.Connect();
        client.Run("CONFIG SET script-memory-limit 1mb");
        Assert.StartsWith("-ERR not enough memory script: ", client.Call("EVAL",
            "local t = {} pcall(function() while true do t[#t + 1] = string.rep('x', 1000) .. #t end end) "
                + "return #t", "0").ToString(), StringComparison.Ordinal);
        Assert.Equal(":3", client.Call("EVAL", "return #{1, 2, 3}", "0").ToString());
    }

    /// <summary>A run that was measured while it had its strings, and ended with little more than them,
    /// leaves nothing that counts.</summary>
    [Fact]
    public void MeasuredStringsAreReleased()
    {
        using var server = new TestServer(clock: new ManualClock());
        TestClient client = server.Connect();
        client.Run("CONFIG SET script-memory-limit 4mb");
        client.Call("EVAL", "return 1", "0");
        long bytes = server.Engine.ScriptMachines.MemoryBytes;
        Assert.StartsWith("-ERR not enough memory script: ", client.Call("EVAL",
            "local s = ('x'):rep(5e5) return #table.concat({s, s, s, s, s, s, s}, s)", "0").ToString(),
            StringComparison.Ordinal);
        Assert.InRange(server.Engine.ScriptMachines.MemoryBytes, 1, bytes + (bytes / 2));
    }

    /// <summary>Effects are recorded as commands, none of a run that was taken back.</summary>
    [Fact]
    public void EffectsAreRecordedOnce()
    {
        using TestServer server = TestServer.Rerunning(interval: 1);
        TestClient client = server.Connect();
        RecordingJournal journal = RecordingJournal.Of(server);
        client.Call("EVAL", "redis.call('SET', 'a', 1) redis.call('GET', 'a') "
            + "redis.set_repl(redis.REPL_NONE) redis.call('SET', 'b', 1) redis.set_repl(redis.REPL_ALL) "
            + "redis.call('SADD', 's', 'x')", "1", "a");
        server.Engine.Keyspace.Recording.Journal = null;
        string[] words = [.. Encoding.Latin1.GetString(journal.TextFrom())
            .Split("\r\n", StringSplitOptions.RemoveEmptyEntries)
            .Where(static line => line[0] is not ('*' or '$'))];
        Assert.Equal(["SELECT", "0", "MULTI", "SET", "a", "1", "SADD", "s", "x", "EXEC"], words);
        Assert.Equal(1, journal.Count);
    }

    private static ulong HashOf(TestServer server, string name) =>
        server.Engine.Keyspace.Hash(Encoding.ASCII.GetBytes(name));

    /// <summary>Each reading is a microsecond later.</summary>
    private sealed class SteppingClock : Clock
    {
        private long _us = 1_750_000_000_000_000;

        public override long UnixMicroseconds => Interlocked.Increment(ref _us);

        public override long MonotonicNanoseconds => UnixMicroseconds * 1000;
    }
}
