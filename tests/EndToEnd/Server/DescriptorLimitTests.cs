using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>A server whose limit of open files is lowered while it runs.</summary>
public sealed class DescriptorLimitTests
{
    private const string Refusal = "# Accepting client connection: accept: Too many open files\n";

    /// <summary>Far below what it has open: new clients wait, connected ones are served, and once the limit
    /// is what it was, the waiting ones are accepted.</summary>
    [Theory]
    [InlineData("epoll")]
    [InlineData("io_uring")]
    public void ConnectedClientsAreServedWhenNothingCanBeOpened(string transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no prlimit");
        Assert.SkipUnless(ServerProgram.IsNative, "the managed form opens assemblies at any time");
        using ServerRun run = new(null, "--transport", transport);
        run.WaitUntilReady();
        using var client = new RespClient(run.Port);
        string limit = SetLimit(run.ProcessId, "10");
        using var waiting = new RespClient(run.Port);
        run.WaitFor(Refusal);
        Assert.Contains("\r\nos:Linux ", client.Call("INFO").Text, StringComparison.Ordinal);
        Assert.Equal("OK", client.Call("SET", "key", "value").Text);
        Assert.Equal("value", client.Call("GET", "key").Text);
        Assert.Contains("cmd=client|list", client.Call("CLIENT", "LIST").Text, StringComparison.Ordinal);
        SetLimit(run.ProcessId, limit);
        Assert.Equal("PONG", waiting.Call("PING").Text);
        run.Signal("TERM");
        Assert.Equal(0, run.WaitForEnd());
    }

    /// <summary>Clients do not get the last descriptors: the process may need them.</summary>
    [Theory]
    [InlineData("epoll")]
    [InlineData("io_uring")]
    public void TheLastDescriptorsAreNotForClients(string transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no prlimit");
        Assert.SkipUnless(ServerProgram.IsNative, "the managed form opens assemblies at any time");
        using ServerRun run = new(null, "--transport", transport);
        run.WaitUntilReady();
        using var client = new RespClient(run.Port);
        Assert.Equal("PONG", client.Call("PING").Text);
        int openCount = Directory.GetFiles($"/proc/{run.ProcessId}/fd").Length;
        string limit = SetLimit(run.ProcessId, (openCount + 6).ToString(CultureInfo.InvariantCulture));
        using var waiting = new RespClient(run.Port);
        run.WaitFor(Refusal);
        Assert.Equal("PONG", client.Call("PING").Text);
        SetLimit(run.ProcessId, limit);
        Assert.Equal("PONG", waiting.Call("PING").Text);
    }

    // The soft limit: an ordinary user may raise it again. The answer is what it was.
    private static string SetLimit(int processId, string count)
    {
        string id = processId.ToString(CultureInfo.InvariantCulture);
        string before = Prlimit("--pid", id, "--nofile", "--noheadings", "--raw", "--output", "SOFT").Trim();
        Prlimit("--pid", id, $"--nofile={count}:");
        return before;
    }

    private static string Prlimit(params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo("prlimit", arguments)
        {
            RedirectStandardOutput = true,
        })!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.Equal(0, process.ExitCode);
        return output;
    }
}
