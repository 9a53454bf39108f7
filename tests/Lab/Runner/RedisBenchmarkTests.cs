using System;
using System.IO;
using System.Linq;
using Cinnabar.Lab.Runner;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Lab.Runner.Stations;
using Cinnabar.Lab.Runner.Workloads;
using Cinnabar.Tests.Lab.Stations;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Lab.Runner;

/// <summary>What redis-benchmark says is understood, also where its clock saw no time pass.</summary>
public sealed class RedisBenchmarkTests
{
    [Fact]
    public void ARateOverNoTimeIsInfinite() => Assert.Equal([double.PositiveInfinity, 0.031, 0.5],
        RedisBenchmark.Cells("\"SET\",\"inf\",\"0.031\",\"0.5\""));

    [Theory]
    [InlineData("nan")]
    [InlineData("-nan")]
    public void NoRequestsInNoTimeHaveNoRate(string cell) =>
        Assert.Equal([double.NaN], RedisBenchmark.Cells($"\"SET\",\"{cell}\""));

    [Fact]
    public void ATextThatIsNotANumberIsReported()
    {
        var fault = Assert.Throws<LabException>(() => RedisBenchmark.Cells("\"SET\",\"many\""));
        Assert.Contains("many", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void TooFewRequestsForItsClockAreSentAgainWithMore()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-benchmark is not installed");
        StationEntry entry = StationEntry.Read(Path.Combine(Station.Root, "lab/stations.json"))
            .First(station => station.Name == "redis-server");
        LabPlan plan = LabPlan.Of("quick") with { ServerCore = null, LoadCore = null };
        using RunningStation station = RunningStation.Start(entry, Station.Root, core: null,
            TimeSpan.FromMinutes(5));
        Point point = RedisBenchmark.Measure(station, "ping_mbulk", clients: 1, count: 1, plan);
        Assert.True(double.IsFinite(point.OpsPerSecond) && point.Seconds > 0, $"{point.OpsPerSecond}");
    }
}
