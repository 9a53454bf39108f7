using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Lab.Runner.Stations;
using Cinnabar.Tests.Lab.Stations;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Lab.Runner;

/// <summary>The whole lab, briefly: every station runs under every workload that it takes part in, and the
/// page that is made of it is looked at in a browser, wide and narrow.</summary>
public sealed class QuickLabTests : IDisposable
{
    /// <summary>Far more than anything here takes: it only ends a test that hangs.</summary>
    private const int HangMs = 900_000;

    private const string Browser = "/usr/bin/chromium";
    private readonly string _folder = Directory.CreateTempSubdirectory("cinnabar-lab-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void EveryStationRunsAndIsCharted()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        bool canLook = File.Exists(Browser) && Directory.Exists(In("lab/report/node_modules"));
        Assert.SkipUnless(canLook, "no chromium, or no npm ci in lab/report");
        string figures = Path.Combine(_folder, "quick.json");
        (int code, string output) = Run("dotnet", In("lab/Runner/bin/Release/net10.0/cinnabar-lab.dll"),
            "--quick", "--no-build", "--root", Station.Root, "--output", figures);
        LabDocument document = new ResultFile(figures).Load() ?? throw new FileNotFoundException(output);
        Assert.Empty(document.Runs.Where(run => run.Failure is not null)
            .Select(run => $"{run.Station} {run.Workload}: {run.Failure}"));
        Assert.True(code == 0, output);
        AssertEverythingIsMeasured(document);
        AssertLooks(Path.ChangeExtension(figures, ".html"));
        AssertFaultsAreSeen(Path.ChangeExtension(figures, ".html"));
    }

    private static void AssertEverythingIsMeasured(LabDocument document)
    {
        IReadOnlyList<StationEntry> stations = StationEntry.Read(In("lab/stations.json"));
        foreach (StationEntry station in stations)
            foreach (string workload in (string[])["missing", "present", "sweep"])
            {
                bool isIn = workload != "sweep" || station.Line != "redis-clone";
                List<Run> runs = [.. document.Runs.Where(run => run.Station == station.Name
                    && run.Workload == workload)];
                Assert.True(runs.Count == (isIn ? 1 : 0), $"{station.Name} {workload}");
                if (!isIn) continue;
                Assert.Equal(workload == "sweep" ? 12 : 1, runs[0].Points.Count);
                Assert.All(runs[0].Points, AssertIsSound);
                Assert.Equal(workload == "present", runs[0].Memory is { KeyCount: > 0, FilledBytes: > 0 });
                Assert.Equal(station.Collect is not null, runs[0].Garbage is not null);
                if (workload == "present" && station.Name != "sharded-by-connection")
                    Assert.Equal(1, runs[0].Points[0].HitRatio);
            }
        Assert.DoesNotContain(document.Findings, finding => finding.Verdict == "missing");
    }

    private static void AssertIsSound(Point point)
    {
        Assert.True(point is { Operations: > 0, OpsPerSecond: > 0, LatencyUs.Count: > 3 });
        Assert.Equal(point.LatencyUs.Order(Comparer<double[]>.Create((one, other) =>
            one[1].CompareTo(other[1]))), point.LatencyUs);
    }

    private static void AssertLooks(string page)
    {
        (int code, string output) = Run("node", In("lab/report/test/look.mjs"), page);
        Assert.True(code == 0, output);
        Assert.Equal(4, output.Split('\n').Count(line => line.EndsWith(
            "charts, 19 tables, findings throughput mix latency cpu memory garbage method",
            StringComparison.Ordinal)));
    }

    /// <summary>A page that is broken in every way that is looked for is seen to be: the look can
    /// fail.</summary>
    private static void AssertFaultsAreSeen(string page)
    {
        string broken = Path.ChangeExtension(page, ".broken.html");
        const string Intruder =
            "</main><img src='http://127.0.0.1:9/x'><div style='width:3000px'>.</div>";
        string text = File.ReadAllText(page)
            .Replace("128,\"opsPerSecond\"", "128,\"nothing\"", StringComparison.Ordinal)
            .Replace("</main>", Intruder, StringComparison.Ordinal);
        File.WriteAllText(broken, text);
        (int code, string output) = Run("node", In("lab/report/test/look.mjs"), broken, "--width", "390");
        Assert.Equal(1, code);
        string[] faults = ["asks for http://127.0.0.1:9/x", "says error", "px wide", "blank"];
        foreach (string fault in faults)
            Assert.Contains(fault, output, StringComparison.Ordinal);
    }

    private static string In(string path) => Path.Combine(Station.Root, path);

    private static (int Code, string Output) Run(string program, params string[] words)
    {
        var start = new ProcessStartInfo(program, words)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = Station.Root,
        };
        using Process process = Process.Start(start)!;
        var errors = process.StandardError.ReadToEndAsync();
        var output = process.StandardOutput.ReadToEndAsync();
        if (!process.WaitForExit(HangMs)) process.Kill(entireProcessTree: true);
        process.WaitForExit();
        return (process.ExitCode, output.Result + errors.Result);
    }
}
