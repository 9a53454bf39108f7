using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Text.RegularExpressions;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>The command line of the executable: what it prints, what it reads, what it refuses.</summary>
public sealed class CommandLineTests
{
    /// <summary>Directives that would be dangerous if they were ignored, with the reason that is
    /// given.</summary>
    public static IEnumerable<TheoryDataRow<string, string>> Refused =>
    [
        new("cluster-enabled yes", "cluster mode is not built yet"),
        new("rdma-port 7000", "RDMA is not supported"),
        new("loadmodule module.so", "modules"),
    ];

    [Theory]
    [InlineData("-v")]
    [InlineData("--version")]
    public void TheVersionIsPrinted(string option)
    {
        using ServerRun run = ServerRun.Plain("", option);
        Assert.Equal(0, run.WaitForEnd());
        Assert.Matches(
            @"\ACinnabar server v=8\.0\.0 sha=[0-9a-f]{8}:0 malloc=\S+ bits=64 build=\w+ cinnabar=\S+ "
                + @"(native|managed)\n\z",
            run.Output);
        Assert.Equal("", run.Error);
    }

    [Theory]
    [InlineData("-h")]
    [InlineData("--help")]
    public void TheHelpNamesEveryWayToStart(string option)
    {
        using ServerRun run = ServerRun.Plain("", option);
        Assert.Equal(1, run.WaitForEnd());
        Assert.Equal("", run.Output);
        Assert.StartsWith("Usage: cinnabar-server [/path/to/redis.conf] [options] [-]\n", run.Error,
            StringComparison.Ordinal);
        foreach (string way in new[] { "cinnabar-server -\u0020", "-v or --version", "-h or --help" })
            Assert.Contains(way, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void TheConfigurationComesFromStandardInput()
    {
        const string Text = "# of a person\nport {port}\nbind 127.0.0.1\ntimeout 77\nhz 20\n";
        using ServerRun run = ServerRun.Plain(Text, "-", "--hz", "30");
        run.WaitUntilReady();
        using RespClient client = new(run.Port);
        Assert.Equal("77", client.Call("CONFIG", "GET", "timeout").Items[1].Text);
        Assert.Equal("30", client.Call("CONFIG", "GET", "hz").Items[1].Text);
        Assert.Equal("ERR The server is running without a config file",
            client.Call("CONFIG", "REWRITE").Text);
        run.Signal("TERM");
        Assert.Equal(0, run.WaitForEnd());
    }

    [Fact]
    public void AFaultyLineOfStandardInputIsNamed()
    {
        using ServerRun run = ServerRun.Plain("port {port}\n\nno-such-thing 1 'two words'\n", "-");
        Assert.Equal(1, run.WaitForEnd());
        Assert.Equal(
            "\n*** FATAL CONFIG FILE ERROR (Redis 8.0.0) ***\nReading the configuration file, at line 3\n"
                + ">>> 'no-such-thing 1 'two words''\nBad directive or wrong number of arguments\n",
            run.Error);
    }

    // Each line is given to both servers; what they print before they end must agree but for the version.
    [Theory]
    [InlineData("no-such-thing yes")]
    [InlineData("port")]
    [InlineData("port abc")]
    [InlineData("port 65536")]
    [InlineData("timeout 1 2")]
    [InlineData("maxmemory 1xb")]
    [InlineData("appendfsync never")]
    [InlineData("requirepass \"open")]
    [InlineData("rename-command NOSUCH other")]
    [InlineData("save 10")]
    [InlineData("client-output-buffer-limit normal 1 2")]
    [InlineData("dir /nonexistent")]
    [InlineData("sentinel monitor x")]
    public void ErrorsAreReportedAsByRedis(string line)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        string text = $"\n# second line\n{line}\n";
        using ServerRun run = ServerRun.Plain(text, "-");
        Assert.Equal(1, run.WaitForEnd());
        Assert.Equal(FatalErrorOfRedis(text), Versionless(run.Error));
        Assert.DoesNotContain("Ready to accept", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Refused))]
    public void WhatWouldBeDangerousToIgnoreIsRefused(string line, string reason)
    {
        using ServerRun run = ServerRun.Plain($"port {{port}}\n{line}\n", "-");
        Assert.Equal(1, run.WaitForEnd());
        Assert.StartsWith(
            "\n*** FATAL CONFIG FILE ERROR (Redis 8.0.0) ***\nReading the configuration file, at line 2\n"
                + $">>> '{line}'\n",
            run.Error, StringComparison.Ordinal);
        Assert.Contains(reason, run.Error, StringComparison.Ordinal);
        Assert.Contains(", just started\n", run.Output, StringComparison.Ordinal);
        Assert.Contains("This configuration is refused: ", run.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("Ready to accept", run.Output, StringComparison.Ordinal);
    }

    private static string FatalErrorOfRedis(string text)
    {
        ProcessStartInfo start = new("redis-server", ["-"])
        {
            RedirectStandardInput = true,
            RedirectStandardError = true,
            RedirectStandardOutput = true,
        };
        using Process process = Process.Start(start)!;
        process.OutputDataReceived += static (_, _) => { };
        process.BeginOutputReadLine();
        process.StandardInput.Write(text);
        process.StandardInput.Close();
        string error = process.StandardError.ReadToEnd();
        process.WaitForExit();
        Assert.Equal(1, process.ExitCode);
        return Versionless(error);
    }

    private static string Versionless(string error) => Regex.Replace(error, @"\(Redis [\d.]+\)", "(Redis)");
}
