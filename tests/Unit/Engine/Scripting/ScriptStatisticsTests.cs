using System;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Scripting;

/// <summary>INFO scriptstats, and what scripts add to the counts of their clients.</summary>
public sealed class ScriptStatisticsTests
{
    [Fact]
    public void CommandsOfScriptsCountAsTheirClients()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Run("SET k v");
        client.Call("EVAL", "redis.call('GET', KEYS[1]) redis.pcall('LPUSH', KEYS[1], '1')", "1", "k");
        Assert.Contains(" tot-cmds=4\n", server.Connect().Run($"CLIENT LIST ID {client.Session!.Id}"),
            StringComparison.Ordinal);
    }

    [Fact]
    public void RunsAreCountedByScriptAndFunction()
    {
        using TestServer server = TestServer.Rerunning(0, loopCount: 2);
        TestClient client = server.Connect();
        TestClient other = server.Connect(1);
        string script = client.Call("SCRIPT", "LOAD",
            "return redis.call('INCRBY', KEYS[1], #string.rep('x', 100000))").Text;
        Assert.Empty(Lines(client));
        foreach (TestClient one in (TestClient[])[client, other, client])
            one.Call("EVALSHA", script, "1", "key");
        client.Call("FUNCTION", "LOAD", """
            #!lua name=lib
            redis.register_function('count', function(keys) return redis.call('INCR', keys[1]) end)
            """);
        client.Call("FCALL", "count", "1", "key");
        string line = Assert.Single(Lines(client), line => line.StartsWith($"script_{script}:calls=3,usec=",
            StringComparison.Ordinal));
        Assert.Contains(",reruns=0,", line, StringComparison.Ordinal);
        Assert.InRange(Field(line, "peak_memory"), 100_000, 400_000);
        Assert.InRange(Field(line, "longest_usec"), 0, Field(line, "usec"));
        Assert.Single(Lines(client), line => line.StartsWith("function_count:calls=1,usec=",
            StringComparison.Ordinal));
        client.Call("CONFIG", "RESETSTAT");
        Assert.Empty(Lines(client));
        client.Call("FCALL", "count", "1", "key");
        Assert.StartsWith("function_count:calls=1,", Assert.Single(Lines(other)), StringComparison.Ordinal);
    }

    /// <summary>What monitors see of a run that can be taken back is kept until its end: with much of it, the
    /// script runs again where they see it at once.</summary>
    [Fact]
    public void MuchThatIsShownMakesAScriptRunAgain()
    {
        using TestServer server = TestServer.Rerunning(0, loopCount: 2);
        TestClient client = server.Connect();
        TestClient monitor = server.Connect(1);
        monitor.Run("MONITOR");
        client.Call("EVAL", "for i = 1, 1000 do redis.call('EXISTS', i, ARGV[1]) end", "0",
            new string('x', 10_000));
        string[] lines = [.. monitor.Take().Select(static reply => reply.ToString())];
        Assert.Equal(1001, lines.Length);
        Assert.Contains("\"EVAL\"", lines[0], StringComparison.Ordinal);
        for (int number = 1; number <= 1000; number++)
            Assert.Contains($"\"EXISTS\" \"{number}\" ", lines[number], StringComparison.Ordinal);
        Assert.NotEqual(0, Field(Assert.Single(Lines(client)), "reruns"));
    }

    /// <summary>What the first run has done leaves no trace: changes, messages and lines of the slow log are
    /// those of the last.</summary>
    [Fact]
    public void ARunThatShowsMuchIsTakenBackBeforeItRunsAgain()
    {
        using TestServer server = TestServer.Rerunning(0, loopCount: 2);
        TestClient client = server.Connect();
        TestClient subscriber = server.Connect(1);
        client.Run("CONFIG SET slowlog-log-slower-than 0 slowlog-max-len 5000");
        subscriber.Run("SUBSCRIBE c");
        client.Call("EVAL", "for i = 1, 1000 do redis.call('INCR', KEYS[1]) redis.call('PUBLISH', 'c', "
            + "i .. ARGV[1]) end", "1", "n", new string('x', 10_000));
        Assert.Equal("$1000", client.Run("GET n"));
        string[] messages = [.. subscriber.Take().Select(static reply => reply.ToString())];
        Assert.Equal(1000, messages.Length);
        for (int number = 1; number <= 1000; number++)
            Assert.Contains($"{number}xxx", messages[number - 1], StringComparison.Ordinal);
        string log = client.Run("SLOWLOG GET -1");
        Assert.Equal(1000, log.Split("$INCR").Length - 1 + log.Split("$\"INCR\"").Length - 1);
        Assert.NotEqual(0, Field(Assert.Single(Lines(client)), "reruns"));
    }

    /// <summary>What a script makes up for a code cannot break the lines of INFO.</summary>
    [Theory]
    [InlineData("X\r\nB c", "errorstat_X:count=1")]
    [InlineData("X\nfoo: bar", "errorstat_X:count=1")]
    [InlineData("A:B,=#c x", "errorstat_A_B,=_c:count=1")]
    public void CodesOfErrorsArePlain(string error, string line)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Call("EVAL", "return redis.error_reply(ARGV[1])", "0", error);
        Assert.Equal($"# Errorstats\r\n{line}\r\n", client.Call("INFO", "errorstats").Text);
    }

    /// <summary>The run that is taken back is no call, but a rerun.</summary>
    [Fact]
    public void RerunsWithAllStripesAreCounted()
    {
        using TestServer server = TestServer.Rerunning(0, loopCount: 2);
        TestClient client = server.Connect();
        const string script = "for i = 1, 20 do redis.call('SET', 'key' .. i, i) end";
        client.Call("EVAL", script, "1", "key1");
        string line = Assert.Single(Lines(client));
        Assert.Equal(1, Field(line, "calls"));
        Assert.Equal(1, Field(line, "reruns"));
        client.Call("EVAL", script, "1", "key1");
        line = Assert.Single(Lines(client));
        Assert.Equal(2, Field(line, "calls"));
        Assert.Equal(1, Field(line, "reruns"));
    }

    [Fact]
    public void LinesAreAHundredAndOnlyForThoseWhoAsk()
    {
        using TestServer server = TestServer.Rerunning(0);
        TestClient client = server.Connect();
        for (int number = 0; number < 120; number++)
            client.Call("EVAL", $"return {number}", "0");
        Assert.Equal(100, Lines(client).Length);
        Assert.DoesNotContain("script_", client.Call("INFO", "all").Text, StringComparison.Ordinal);
        Assert.DoesNotContain("script_", client.Call("INFO").Text, StringComparison.Ordinal);
        Assert.Contains("script_", client.Call("INFO", "everything").Text, StringComparison.Ordinal);
        long[] times = [.. Lines(client).Select(static line => Field(line, "usec"))];
        Assert.Equal(times.OrderDescending(), times);
    }

    private static string[] Lines(TestClient client)
    {
        string[] lines = client.Call("INFO", "scriptstats").Text.Split("\r\n",
            StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal("# Scriptstats", lines[0]);
        return lines[1..];
    }

    private static long Field(string line, string name) => long.Parse(
        line.Split(':')[1].Split(',').Single(field => field.StartsWith(name + "=", StringComparison.Ordinal))
            [(name.Length + 1)..], System.Globalization.CultureInfo.InvariantCulture);
}
