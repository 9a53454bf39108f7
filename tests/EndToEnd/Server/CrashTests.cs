using System;
using System.Globalization;
using System.IO;
using System.Threading;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>
/// Fatal signals: the native server ends by the signal, with a report in its log, and a fault that managed
/// code may catch stays an exception.
/// </summary>
public sealed class CrashTests
{
    private const string Start = "\n=== CINNABAR BUG REPORT START: Cut & paste starting from here ===\n";
    private const string End =
        "\n=== CINNABAR BUG REPORT END. Make sure to include from START to END. ===\n";

    private const string Line = @"\d+:signal-handler \(\d+\) ";
    // The client has its reply before the loop that sent it goes on.
    private const string Stage = "(waits|receives|delivers messages|sends replies|keeps house)";

    private const int HangMs = 60_000;
    private const int AbortNumber = 6;
    private const int SegmentationFaultNumber = 11;

    [Theory]
    [InlineData("ABRT", AbortNumber, false)]
    [InlineData("SEGV", SegmentationFaultNumber, false)]
    [InlineData("BUS", 7, false)]
    [InlineData("FPE", 8, false)]
    [InlineData("ILL", 4, false)]
    [InlineData("SEGV", SegmentationFaultNumber, true)]
    public void ASignalFromOutsideEndsTheProcessWithAReport(string name, int number, bool isToFile)
    {
        using ServerRun run = StartNative(isToFile);
        using RespClient client = new(run.Port);
        client.Call("SET", "key", "value");
        string id = client.Call("CLIENT", "ID").Text;
        run.Signal(name);
        string report = WaitForReport(run, number, isToFile);
        Assert.Matches($"{Line}Killed by PID: \\d+, UID: \\d+\n", report);
        Assert.DoesNotContain("Accessing address", report, StringComparison.Ordinal);
        for (int loop = 0; loop < 3; loop++)
            Assert.Matches($"{Line}loop {loop}( \\(crashed here\\))?: {Stage}", report);
        Assert.Contains($", last command 'client|id' of client id={id}\n", report, StringComparison.Ordinal);
        Assert.DoesNotContain("lane", report, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ABadPointerInAHandlerIsReported(bool isToFile)
    {
        using ServerRun run = StartNative(isToFile);
        string report = Crash(run, "SEGFAULT", SegmentationFaultNumber, isToFile);
        Assert.Matches($"{Line}Accessing address: 0x100000\n", report);
        Assert.Matches(
            $"{Line}Crashed running the instruction at: 0x[0-9a-f]+ \\(cinnabar-server\\+0x[0-9a-f]+\\)\n",
            report);
        Assert.DoesNotContain("Killed by", report, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AStackOverflowIsReported(bool isToFile)
    {
        using ServerRun run = StartNative(isToFile);
        string report = Crash(run, "STACK-OVERFLOW", SegmentationFaultNumber, isToFile);
        Assert.Matches($"{Line}Stack overflow: the thread has used up its stack\n", report);
    }

    [Theory]
    [InlineData("PANIC", "# Guru Meditation: DEBUG PANIC called at Unix time ")]
    [InlineData("ASSERT", "# ==> DEBUG ASSERT: '1 == 2' is not true\n")]
    public void AnAbortIsReported(string subcommand, string text)
    {
        using ServerRun run = StartNative(isToFile: false);
        Crash(run, subcommand, AbortNumber, isToFile: false);
        int at = run.Output.IndexOf(text, StringComparison.Ordinal);
        Assert.InRange(at, 0, run.Output.IndexOf(Start, StringComparison.Ordinal));
    }

    [Fact]
    public void WhatTheSlowLaneRunsIsReported()
    {
        // A lane's thread may take its time to begin: a server that was ended too early proves nothing.
        for (int waitMs = 50; ; waitMs *= 2)
        {
            using ServerRun run = StartNative(isToFile: false);
            using RespClient client = new(run.Port);
            string id = client.Call("CLIENT", "ID").Text;
            client.Send("DEBUG", "SLEEP", "300");
            Thread.Sleep(waitMs);
            run.Signal("SEGV");
            string report = WaitForReport(run, SegmentationFaultNumber, isToFile: false);
            if (!report.Contains(" lane ", StringComparison.Ordinal) && waitMs < HangMs)
                continue;
            Assert.Matches($"{Line}lane 0: executes 'debug' of client id={id}\n", report);
            return;
        }
    }

    [Fact]
    public void AFaultThatManagedCodeCatchesIsAnException()
    {
        using ServerRun run = StartNative(isToFile: false);
        using RespClient client = new(run.Port);
        for (int count = 0; count < 3; count++)
        {
            Assert.Equal("NullReferenceException", client.Call("DEBUG", "CATCH", "null").Text);
            Assert.Equal("DivideByZeroException", client.Call("DEBUG", "CATCH", "zero").Text);
        }

        Assert.Equal("PONG", client.Call("PING").Text);
        Assert.DoesNotContain("crashed by signal", run.Output, StringComparison.Ordinal);
        Crash(run, "SEGFAULT", SegmentationFaultNumber, isToFile: false);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void WithoutCrashLogTheProcessEndsByTheSignalAlone(bool isSetLater)
    {
        using ServerRun run = StartNative(isToFile: false, "--crash-log-enabled", isSetLater ? "yes" : "no");
        using RespClient client = new(run.Port);
        Assert.Equal("OK", client.Call("CONFIG", "SET", "crash-log-enabled", "no").Text);
        run.Signal("SEGV");
        Assert.Equal(128 + SegmentationFaultNumber, run.WaitForEnd());
        Assert.DoesNotContain("crashed by signal", run.Output, StringComparison.Ordinal);
    }

    private static ServerRun StartNative(bool isToFile, params string[] options)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the handlers are compiled on Linux");
        using (ServerRun asked = ServerRun.Plain("", "--version"))
        {
            Assert.Equal(0, asked.WaitForEnd());
            Assert.SkipUnless(asked.Output.Contains(" native", StringComparison.Ordinal),
                "the managed form has no handlers");
        }

        string[] log = isToFile ? ["--logfile", "server.log"] : [];
        ServerRun run = new(null, ["--io-threads", "3", "--enable-debug-command", "yes", .. log, .. options]);
        if (!isToFile)
            run.WaitUntilReady();
        else
            while (!ReadLog(run).Contains("Ready to accept connections tcp", StringComparison.Ordinal))
                Thread.Sleep(10);
        return run;
    }

    private static string ReadLog(ServerRun run)
    {
        string path = Path.Combine(run.Home, "server.log");
        return File.Exists(path) ? File.ReadAllText(path) : "";
    }

    private static string Crash(ServerRun run, string subcommand, int number, bool isToFile)
    {
        using RespClient client = new(run.Port);
        string id = client.Call("CLIENT", "ID").Text;
        client.Send("DEBUG", subcommand);
        string report = WaitForReport(run, number, isToFile);
        Assert.Matches(
            $"{Line}loop [0-2]( \\(crashed here\\))?: executes 'debug' of client id={id}\n", report);
        Assert.Contains(" (crashed here): ", report, StringComparison.Ordinal);
        return report;
    }

    private static string WaitForReport(ServerRun run, int number, bool isToFile)
    {
        Assert.Equal(128 + number, run.WaitForEnd());
        string log = isToFile ? ReadLog(run) : run.Output;
        int start = log.IndexOf(Start, StringComparison.Ordinal);
        int end = log.IndexOf(End, StringComparison.Ordinal);
        Assert.True(start >= 0 && end > start, $"no report in {log}");
        Assert.Equal(start, log.LastIndexOf(Start, StringComparison.Ordinal));
        string report = log[start..end];
        string id = run.ProcessId.ToString(CultureInfo.InvariantCulture);
        Assert.Matches($@"\n{id}:signal-handler \(\d+\) Cinnabar \S+ \(Redis \S+, commit \w+\) crashed by "
            + $@"signal: {number}, si_code: -?\d+\n", report);
        return report;
    }
}
