using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Scripting;

/// <summary>The debugger of scripts: what it says, line for line, and what stays of a session.</summary>
public sealed partial class DebuggerTests
{
    private const string Writer =
        "redis.call('set','a','1')\nredis.call('set','b','2')\nredis.call('set','c','3')\nreturn 1";

    /// <summary>Each session's lines are those of redis-server.</summary>
    [Theory]
    [InlineData("yes")]
    [InlineData("sync")]
    public void SessionsAreThoseOfRedis(string mode)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using var server = new OwnServer(2);
        foreach (DebuggerSession session in DebuggerSessions.All)
        {
            using RespClient redis = oracle.Connect();
            using RespClient ours = server.Connect();
            List<string> expected = Transcript(redis, mode, session);
            List<string> found = Transcript(ours, mode, session);
            Assert.Equal(string.Join('\n', expected), string.Join('\n', found));
        }

        using RespClient redisAfter = oracle.Connect();
        foreach (string command in new[] { "MGET a b k cnt x", "SORT s ALPHA", "HGETALL h" })
            Assert.Equal(redisAfter.Run(command), server.Connect().Run(command));
    }

    /// <summary>What redis-cli shows of a session is the same, restart and quit included.</summary>
    [Theory]
    [InlineData("--ldb")]
    [InlineData("--ldb-sync-mode")]
    public void RedisCliShowsTheSame(string mode)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        string script = Path.Combine(Path.GetTempPath(), $"cinnabar-ldb-{Guid.NewGuid():N}.lua");
        File.WriteAllText(script, "local a = KEYS[1]\nredis.call('set', a, ARGV[1])\nreturn a\n");
        using OracleServer oracle = OracleServer.Start();
        using OracleServer server = OracleServer.StartOwn();
        string[] outputs = [.. new[] { oracle, server }.Select(each => Cli(each.Port, mode, script))];
        File.Delete(script);
        Assert.Contains("Stopped at 2", outputs[0], StringComparison.Ordinal);
        Assert.Equal(outputs[0], outputs[1]);
    }

    /// <summary>A client that goes away: a script of mode SYNC runs to its end, all else is taken
    /// back.</summary>
    [Theory]
    [InlineData("yes", "*[_, _, _]")]
    [InlineData("sync", "*[$1, $2, $3]")]
    public async Task AClientGoesAway(string mode, string left)
    {
        using var server = new OwnServer(2);
        using (RespClient client = server.Connect())
        {
            Begin(client, mode, Writer);
            Assert.Contains("Stopped at 2", client.Run("step"), StringComparison.Ordinal);
        }

        RespClient other = server.Connect();
        Assert.Equal(left, await Task.Run(
            () => other.Run("MGET a b c"), TestContext.Current.CancellationToken));
    }

    /// <summary>A client that goes away with unread lines leaves no trace: others that wait get their
    /// replies.</summary>
    [Theory]
    [InlineData("yes")]
    [InlineData("sync")]
    public async Task OthersAreServedWhenAClientGoesAwayUnread(string mode)
    {
        using var server = new OwnServer(1);
        RespClient other = server.Connect();
        for (int round = 0; round < 5; round++)
        {
            using (RespClient client = server.Connect())
            {
                client.Call("SCRIPT", "DEBUG", mode);
                client.Send("EVAL", Writer, "0");
                other.Send("GET", "none");
                Assert.Equal("+PONG", server.Connect().Run("PING"));
            }

            Assert.Equal("_", await Task.Run(
                () => other.Read().ToString(), TestContext.Current.CancellationToken));
        }
    }

    /// <summary>While the debugger waits, clients without keys are served, others are told; SCRIPT KILL ends
    /// the session though it has written.</summary>
    [Fact]
    public void OthersAreServedAndTheScriptIsKilled()
    {
        using var server = new OwnServer(2, ("busy-reply-threshold", "1"));
        RespClient client = server.Connect();
        RespClient other = server.Connect();
        Begin(client, "yes", Writer);
        client.Run("step");
        Assert.Equal("+PONG", other.Run("PING"));
        Assert.Equal(
            "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
            other.Run("GET a"));
        Assert.Equal("+OK", other.Run("SCRIPT KILL"));
        Assert.Equal("*[+<endsession>]", client.Read().ToString());
        Assert.StartsWith(
            "-ERR Script killed by user with SCRIPT KILL...", client.Read().ToString(),
            StringComparison.Ordinal);
        Assert.Throws<EndOfStreamException>(() => client.Read());
        Assert.Equal("_", other.Run("GET a"));
        Assert.Equal("-NOTBUSY No scripts in execution right now.", other.Run("SCRIPT KILL"));
    }

    /// <summary>A server that ends, and CLIENT KILL, end a waiting session.</summary>
    [Theory]
    [InlineData("SHUTDOWN NOSAVE")]
    [InlineData("CLIENT KILL TYPE normal SKIPME yes")]
    public void TheServerEndsASession(string command)
    {
        using var server = new OwnServer(2);
        using RespClient client = server.Connect();
        Begin(client, "sync", Writer);
        client.Run("step");
        using RespClient other = server.Connect();
        other.Send(command.Split(' '));
        Assert.Throws<EndOfStreamException>(() => client.Read());
    }

    /// <summary>What cannot be taken back is refused in mode YES.</summary>
    [Theory]
    [InlineData("flushall")]
    [InlineData("swapdb 0 1")]
    [InlineData("move a 1")]
    [InlineData("copy a b db 1")]
    public void WhatCannotBeTakenBackIsRefused(string command)
    {
        using var server = new OwnServer(2);
        RespClient client = server.Connect();
        client.Run("SET a x");
        Begin(client, "yes", Writer);
        string[] words = command.Split(' ');
        string name = words[0];
        Assert.Equal(
            $"*[+<redis> {command}, "
                + $"+<error> {name} can't be taken back: debug the script with SCRIPT DEBUG SYNC]",
            client.Call(["redis", .. words]).ToString());
        client.Run("abort");
        Assert.Equal("$x", server.Connect().Run("GET a"));
    }

    [GeneratedRegex("@0x[0-9a-f]+")]
    private static partial Regex Address { get; }

    private static void Begin(RespClient client, string mode, string script)
    {
        Assert.Equal("+OK", client.Call("SCRIPT", "DEBUG", mode).ToString());
        Assert.Contains(
            "Stopped at 1", client.Call("EVAL", script, "0").ToString(), StringComparison.Ordinal);
    }

    // Everything that the client sees until the session ends.
    private static List<string> Transcript(RespClient client, string mode, DebuggerSession session)
    {
        List<string> lines = [client.Call("SCRIPT", "DEBUG", mode).ToString()];
        string[] arguments = ["EVAL", session.Script, "2", "k1", "k2", "a1", "a2 b"];
        string reply = client.Call(arguments).ToString();
        // When the client has nothing more to say, the script goes on to its end.
        for (int next = 0; !reply.Contains("<endsession>", StringComparison.Ordinal); next++)
        {
            string[] command = next < session.Commands.Length ? session.Commands[next] : ["continue"];
            lines.Add(Address.Replace(reply, "@"));
            lines.Add(string.Join(' ', command));
            reply = client.Call(command).ToString();
        }

        lines.Add(Address.Replace(reply, "@"));
        lines.Add(client.Read().ToString());
        Assert.Throws<EndOfStreamException>(() => client.Read());
        return lines;
    }

    private static string Cli(int port, string mode, string script)
    {
        var start = new ProcessStartInfo("redis-cli")
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        string[] arguments = ["-p", $"{port}", mode, "--eval", script, "key", ",", "value"];
        foreach (string argument in arguments)
            start.ArgumentList.Add(argument);
        using Process cli = Process.Start(start)!;
        cli.StandardInput.Write("step\nprint\nrestart\nb 3\nc\nredis get key\nc\nquit\n");
        cli.StandardInput.Close();
        string output = cli.StandardOutput.ReadToEnd();
        cli.WaitForExit();
        return output;
    }
}
