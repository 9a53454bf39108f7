using System;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Scripting;

/// <summary>Scripts in the slow lane, and what their commands leave in the logs.</summary>
public sealed class ScriptLaneTests
{
    /// <summary>SCRIPT KILL and FUNCTION KILL also find what waits for a thread of the lane, each its
    /// own.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AScriptIsKilledBeforeItBegins(bool isFunction)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        TestClient other = server.Connect();
        const string script = "redis.call('FLUSHALL') redis.call('SET', 'a', 1) return 1";
        client.Call("FUNCTION", "LOAD",
            $"#!lua name=l\nredis.register_function('f', function() {script} end)");
        string[] call = isFunction ? ["FCALL", "f", "0"] : ["EVAL", script, "0"];
        string[] kills = ["SCRIPT KILL", "FUNCTION KILL"];
        const string notBusy = "-NOTBUSY No scripts in execution right now.";
        Assert.Equal(":1", client.Call(call).ToString());
        client.Run("DEL a");
        server.IsSlowLaneHeld = true;
        // It is known now to belong there.
        client.Send(call);
        server.Turn();
        Assert.Equal(notBusy, other.Run(kills[isFunction ? 0 : 1]));
        Assert.Equal("+OK", other.Run(kills[isFunction ? 1 : 0]));
        server.IsSlowLaneHeld = false;
        server.Run();
        Assert.StartsWith("-ERR Script killed by user with SCRIPT KILL... script: ", client.Shown(),
            StringComparison.Ordinal);
        Assert.Equal("_", other.Run("GET a"));
        Assert.Equal(notBusy, other.Run(kills[isFunction ? 1 : 0]));
        Assert.Equal(":1", client.Call(call).ToString());
    }

    /// <summary>The commands of a run that could have been taken back are in the slow log, once.</summary>
    [Theory]
    [InlineData("0")]
    [InlineData("3")]
    public void NestedCommandsAreLogged(string thresholdUs)
    {
        using TestServer server = TestServer.Rerunning(interval: 2);
        TestClient client = server.Connect();
        client.Run($"CONFIG SET slowlog-log-slower-than {(thresholdUs == "0" ? 0 : -1)}");
        client.Run($"CONFIG SET commandlog-reply-larger-than {thresholdUs}");
        client.Run("SLOWLOG RESET");
        client.Run("COMMANDLOG RESET large-reply");
        const string script = "redis.call('SET', 'k', ARGV[1]) return redis.call('GET', 'k')";
        client.Call("EVAL", script, "1", "k", "value");
        string log = client.Run(thresholdUs == "0" ? "SLOWLOG GET" : "COMMANDLOG GET -1 large-reply");
        Assert.Equal(1, Count(log, "*[$SET, $k, $value]"));
        Assert.Equal(1, Count(log, "*[$GET, $k]"));
        Assert.Contains("*[$EVAL, ", log, StringComparison.Ordinal);
    }

    private static int Count(string text, string part) => text.Split(part).Length - 1;
}
