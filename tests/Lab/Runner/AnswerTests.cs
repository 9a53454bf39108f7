using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Tests.Lab.Stations;
using Xunit;

namespace Cinnabar.Tests.Lab.Runner;

/// <summary>The sentence that answers the lab's question says no more than the rounds do.</summary>
public sealed class AnswerTests
{
    private const string Ahead = "confirmed";
    private const string Noise = "noise";
    private const string Behind = "refuted";

    [Fact]
    public void WhatIsWithinTheNoiseIsNoLead()
    {
        string sentence = Answer((3.76, 3.29, 3.99, Ahead), (4.1, 3, 4.31, Ahead), (1.08, 0.91, 1.09, Noise));
        Assert.StartsWith("A managed language passes the performance of C", sentence);
        Assert.Contains("3.76 × (3.29 – 3.99) the commands a second of Redis over epoll", sentence);
        Assert.EndsWith("; which of the two is faster is within the noise: io_uring against epoll "
            + "1.08 × (0.91 – 1.09).", sentence);
    }

    [Fact]
    public void ALeadOfEveryRoundIsOne()
    {
        string sentence = Answer((1.2, 0.9, 1.3, Noise), (1.4, 1.1, 1.5, Ahead), (1.1, 1.05, 1.2, Ahead));
        Assert.StartsWith("A managed language passes the performance of C", sentence);
        Assert.EndsWith(", which is 1.10 × (1.05 – 1.20) epoll.", sentence);
    }

    [Fact]
    public void WhatTheRoundsDoNotAgreeOnIsReachedAndNotPassed()
    {
        string sentence = Answer((1.2, 0.9, 1.3, Noise), (0.8, 0.7, 0.9, Behind), (0.7, 0.6, 0.8, Behind));
        Assert.StartsWith("A managed language reaches the performance of C", sentence);
        Assert.EndsWith(", which is not ahead: io_uring against epoll 0.70 × (0.60 – 0.80).", sentence);
        sentence = Answer((0.6, 0.4, 1.01, Noise), (0.8, 0.7, 0.9, Behind), (1, 0.9, 1.1, Noise));
        Assert.StartsWith("A managed language does not reach the performance of C", sentence);
        sentence = Answer((0.8, 0.7, 0.9, Behind), (0.8, 0.7, 0.9, Behind), (1, 0.9, 1.1, Noise));
        Assert.StartsWith("A managed language does not reach the performance of C", sentence);
    }

    private static string Answer(
        params (double Median, double Low, double High, string Verdict)[] found)
    {
        string[] ids = ["cinnabar-redis", "ring-redis", "ring-epoll"];
        string findings = string.Join(',', ids.Zip(found).Select(static pair => string.Create(
            CultureInfo.InvariantCulture, $$$"""
            {"finding": {"id": "{{{pair.First}}}"}, "verdict": "{{{pair.Second.Verdict}}}", "ratio":
            {"median": {{{pair.Second.Median}}}, "low": {{{pair.Second.Low}}},
            "high": {{{pair.Second.High}}}, "count": 3}}
            """)));
        string script = Path.Combine(Station.Root, "lab/report/test/sentence.mjs");
        var start = new ProcessStartInfo("node", [script, $"[{findings}]"]) { RedirectStandardOutput = true };
        using Process process = StartNode(start);
        string sentence = process.StandardOutput.ReadToEnd().Trim().Replace('\u00a0', ' ');
        process.WaitForExit();
        Assert.Equal(0, process.ExitCode);
        return sentence;
    }

    private static Process StartNode(ProcessStartInfo start)
    {
        try
        {
            return Process.Start(start)!;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            Assert.Skip("node is not installed");
            throw;
        }
    }
}
