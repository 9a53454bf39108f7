using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>A server whose limit of open files is lowered while it runs.</summary>
public sealed class DescriptorLimitTests
{
    private const int HangMs = 300_000;
    private const int QuietMs = 1_500;
    private const string Refusal = "# Accepting client connection: accept: Too many open files\n";

    /// <summary>Far below what it has open: nobody new comes in, those who are in are served, and once the
    /// limit is what it was, those who waited come in, too.</summary>
    [Fact]
    public void WhoIsConnectedIsServedWhereNothingCanBeOpened()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no prlimit");
        using ServerRun run = new(configurationPath: null);
        run.WaitUntilReady();
        using var client = new RespClient(run.Port);
        // What the program consists of has been loaded by then.
        WaitUntilWarm(run);
        // After a second without anything compiled, what is compiled next has its compiler looked for.
        Thread.Sleep(QuietMs);
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

    /// <summary>Clients do not get the last descriptors: the runtime may need them.</summary>
    [Fact]
    public void TheLastDescriptorsAreNotForClients()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no prlimit");
        using ServerRun run = new(configurationPath: null);
        run.WaitUntilReady();
        using var client = new RespClient(run.Port);
        WaitUntilWarm(run);
        Assert.Equal("PONG", client.Call("PING").Text);
        int openCount = Directory.GetFiles($"/proc/{run.ProcessId}/fd").Length;
        string limit = SetLimit(run.ProcessId, (openCount + 6).ToString(CultureInfo.InvariantCulture));
        using var waiting = new RespClient(run.Port);
        run.WaitFor(Refusal);
        Assert.Equal("PONG", client.Call("PING").Text);
        SetLimit(run.ProcessId, limit);
        Assert.Equal("PONG", waiting.Call("PING").Text);
    }

    private static void WaitUntilWarm(ServerRun run)
    {
        for (long start = Environment.TickCount64; IsWarmingUp(run.ProcessId); Thread.Sleep(20))
            Assert.True(Environment.TickCount64 - start < HangMs, "the warm-up does not end");
    }

    private static bool IsWarmingUp(int processId) => Directory.GetDirectories($"/proc/{processId}/task")
        .Any(static task => ReadName(task) == "warm-up\n");

    private static string ReadName(string task)
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "comm"));
        }
        catch (IOException)
        {
            // The thread has ended.
            return "";
        }
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
