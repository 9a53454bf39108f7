using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
using Cinnabar.Lab.Runner;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Lab.Runner.Stations;
using Cinnabar.Lab.Runner.Workloads;
using Cinnabar.Tests.Lab.Stations;
using Xunit;

namespace Cinnabar.Tests.Lab.Runner;

/// <summary>The lab goes on, whatever a station does, and loses nothing that it has measured.</summary>
public sealed class LabTests : IDisposable
{
    private static readonly StationEntry s_good = StationEntry
        .Read(Path.Combine(Station.Root, "lab/stations.json")).First(station => station.Name == "naive");

    /// <summary>Far more than anything here takes: it only ends a test that hangs.</summary>
    private const int HangMs = 300_000;

    private readonly string _folder = Directory.CreateTempSubdirectory("cinnabar-lab-").FullName;
    private readonly LabPlan _plan = LabPlan.Of("quick") with
    {
        ServerCore = null, LoadCore = null, StartSecondsMax = 60, Rounds = 1,
    };

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void TheOrderOfStationsChangesFromRoundToRound()
    {
        StationEntry[] stations = [Named("a"), Named("b"), Named("c"), Named("d") with { Line = "none" }];
        Assert.Equal("1a 1b 1c 2b 2c 2a 3c 3a 3b", string.Join(' ', Step.All(3, [new ProbeWorkload(_ => { })],
            stations).Select(step => $"{step.Round}{step.Station.Name}")));
    }

    [Fact]
    public void AStationThatDoesNotStartIsReportedAndTheOthersAreMeasured()
    {
        StationEntry[] stations =
        [
            Named("no-program", "no-such-program-anywhere"),
            Named("ends", "sh", "-c", "echo out of luck >&2; exit 3"),
            s_good with { Name = "good" },
        ];
        LabDocument document = Take(stations, new ProbeWorkload(_ => { }));
        Assert.Equal(3, document.Runs.Count);
        Assert.Contains("no-such-program-anywhere", document.Runs[0].Failure, StringComparison.Ordinal);
        Assert.Contains("exit code 3; it said: out of luck", document.Runs[1].Failure,
            StringComparison.Ordinal);
        Assert.Null(document.Runs[2].Failure);
        Assert.Single(document.Runs[2].Points);
        Assert.NotNull(document.EndedAt);
    }

    [Fact]
    public void AStationThatNeverAnswersIsGivenUp()
    {
        LabDocument document = Take([Named("silent", "sleep", "600")], new ProbeWorkload(_ => { }),
            _plan with { StartSecondsMax = 0.2 });
        Assert.Contains("does not start; it is running", document.Runs[0].Failure, StringComparison.Ordinal);
    }

    [Fact]
    public void AStationThatCrashesUnderLoadIsReported()
    {
        LabDocument document = Take([s_good], new ProbeWorkload(station =>
        {
            station.Kill();
            while (true) StationClient.Ask(station.Port, "PING");
        }));
        Assert.Contains("ended with exit code 137", document.Runs[0].Failure, StringComparison.Ordinal);
    }

    /// <summary>A command may be a shell's, whose end is not that of the server that it has
    /// started.</summary>
    [Fact]
    public void ProcessesThatAStationLeavesAreEnded()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "elsewhere there are no groups to end");
        string line = string.Join(' ', s_good.Command) + " & sleep 600";
        int port = 0;
        LabDocument document = Take([Named("shell", "sh", "-c", line)],
            new ProbeWorkload(station => port = station.Port));
        Assert.Null(document.Runs[0].Failure);
        Assert.True(SpinWait.SpinUntil(() => IsRefused(port), HangMs), "what was left behind still listens");
    }

    [Fact]
    public void AStationThatHangsUnderLoadIsEnded()
    {
        LabDocument document = Take([s_good], new ProbeWorkload(station =>
        {
            while (true) StationClient.Ask(station.Port, "PING");
        }) { Limit = TimeSpan.FromSeconds(0.2) });
        Assert.StartsWith("not done after", document.Runs[0].Failure, StringComparison.Ordinal);
    }

    [Fact]
    public void AResumedRunKeepsWhatWasMeasured()
    {
        var file = new ResultFile(Path.Combine(_folder, "ended.json"));
        StationEntry[] stations = [s_good with { Name = "first" }, s_good with { Name = "second" }];
        Cinnabar.Lab.Runner.Lab? lab = null;
        int begun = 0;
        var display = new QuietDisplay { OnBegin = () => { if (++begun == 2) lab!.End(); } };
        lab = new Cinnabar.Lab.Runner.Lab(_plan, Station.Root, file);
        List<Step> steps = [.. Step.All(1, [new ProbeWorkload(_ => { })], stations)];
        Assert.Throws<OperationCanceledException>(() => lab.Run(Empty(_plan), steps, [], display));
        LabDocument kept = file.Load()!;
        Assert.Equal("first", Assert.Single(kept.Runs).Station);
        Assert.Null(kept.EndedAt);

        var again = new QuietDisplay();
        LabDocument whole = new Cinnabar.Lab.Runner.Lab(_plan, Station.Root, file)
            .Run(kept, steps, [], again);
        Assert.Equal(["1 second"], again.Begun);
        Assert.Equal(["first", "second"], whole.Runs.Select(run => run.Station));
        Assert.Equal(2, file.Load()!.Runs.Count);
    }

    [Fact]
    public void AManagedStationSaysWhatItCollected()
    {
        GarbageFigures? garbage = null;
        LabDocument document = Take([s_good], new ProbeWorkload(station => garbage = station.Collect()));
        Assert.Null(document.Runs[0].Failure);
        Assert.True(garbage!.HeapBytes > 0 && garbage.CollectedHeapBytes > 0);
    }

    [Theory]
    [InlineData("gc gen0=1 gen1=2")]
    [InlineData("gc gen0=x gen1=2 gen2=3 pauseMs=1 heapBytes=1 collectedHeapBytes=1")]
    public void ALineOfGarbageFiguresIsWhole(string line) =>
        Assert.Throws<LabException>(() => GarbageFigures.Parse(line));

    [Theory]
    [InlineData("[]")]
    [InlineData("{\"stations\": 5}")]
    [InlineData("{\"stations\": [{\"name\": \"a\"}]}")]
    [InlineData("{\"stations\": [{\"name\": \"a\", \"command\": []}]}")]
    [InlineData("{\"stations\": [{\"command\": [\"a\"]}]}")]
    [InlineData("{\"stations\": [{\"name\": \"a\", \"command\": [\"a\"]}, "
        + "{\"name\": \"a\", \"command\": [\"b\"]}]}")]
    public void WhatIsNoListOfStationsIsSaid(string text)
    {
        string file = Path.Combine(_folder, "stations.json");
        File.WriteAllText(file, text);
        Assert.Contains(file, Assert.Throws<LabException>(() => StationEntry.Read(file)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void AnotherServerIsALineOfNameCommandAndPort()
    {
        string file = Path.Combine(_folder, "stations.json");
        File.WriteAllText(file, "{\"stations\": [{\"name\": \"mine\", "
            + "\"command\": [\"my-server\", \"-p\", \"7001\"], \"port\": 7001}]}");
        StationEntry mine = Assert.Single(StationEntry.Read(file));
        Assert.Equal(7001, mine.Port);
        Assert.Equal(["my-server", "-p", "7001"], mine.Words(1));
        Assert.True(new SweepWorkload(_plan).Takes(mine));
        Assert.True(new MixWorkload(_plan, isPresent: true).Takes(mine));
    }

    // A process that was killed closes its descriptors one after the other.
    private static bool IsRefused(int port)
    {
        try
        {
            StationClient.Ask(port, "PING");
            return false;
        }
        catch (IOException)
        {
            return false;
        }
        catch (SocketException refusal) when (refusal.SocketErrorCode == SocketError.ConnectionRefused)
        {
            return true;
        }
    }

    private static StationEntry Named(string name, params string[] command) =>
        new() { Name = name, Command = command };

    private static LabDocument Empty(LabPlan plan) => new() { Plan = plan, Machine = MachineFacts.Read() };

    private LabDocument Take(StationEntry[] stations, ProbeWorkload workload, LabPlan? plan = null)
    {
        plan ??= _plan;
        var file = new ResultFile(Path.Combine(_folder, "figures.json"));
        var lab = new Cinnabar.Lab.Runner.Lab(plan, Station.Root, file);
        lab.Run(Empty(plan), [.. Step.All(1, [workload], stations)], [], new QuietDisplay());
        return file.Load()!;
    }
}
