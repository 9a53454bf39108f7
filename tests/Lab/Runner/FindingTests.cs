using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Lab.Runner.Stations;
using Cinnabar.Tests.Lab.Stations;
using Xunit;

namespace Cinnabar.Tests.Lab.Runner;

/// <summary>What is called confirmed, and what is not.</summary>
public sealed class FindingTests
{
    private static readonly string[] s_workloads = ["missing", "present", "sweep"];

    private static readonly Finding s_finding = new()
    {
        Id = "f", Statement = "", Source = "fredis", Station = "new", Over = "old", Workload = "sweep",
    };

    [Theory]
    [InlineData("above", 110, 120, 130, "confirmed")]
    [InlineData("above", 99, 120, 130, "noise")]
    [InlineData("above", 80, 90, 70, "refuted")]
    [InlineData("below", 80, 90, 70, "confirmed")]
    [InlineData("below", 80, 90, 101, "noise")]
    [InlineData("below", 110, 120, 130, "refuted")]
    [InlineData("equal", 103, 104, 102, "confirmed")]
    [InlineData("equal", 90, 80, 111, "confirmed")]
    [InlineData("equal", 120, 121, 122, "refuted")]
    public void EveryRoundMustSaySo(string expect, double first, double second, double third, string verdict)
    {
        double[] rates = [first, second, third];
        List<Run> runs = [.. rates.SelectMany((rate, round) => (Run[])
            [Runs.Of(round + 1, "old", (1, 100)), Runs.Of(round + 1, "new", (1, rate))])];
        FindingResult result = FindingResult.Of(s_finding with { Expect = expect }, runs);
        Assert.Equal(verdict, result.Verdict);
        Assert.Equal(rates.Order().ElementAt(1) / 100, result.Ratio!.Median, 9);
        Assert.Equal(3, result.Ratio.Count);
    }

    /// <summary>A slow moment of the machine that meets both stations of a round leaves the ratio.</summary>
    [Fact]
    public void RatiosAreTakenWithinARound()
    {
        Run[] runs = [Runs.Of(1, "old", (1, 100)), Runs.Of(1, "new", (1, 150)), Runs.Of(2, "old", (1, 10)),
            Runs.Of(2, "new", (1, 15))];
        Assert.Equal(new Spread(1.5, 1.5, 1.5, 2), FindingResult.Of(s_finding, runs).Ratio);
    }

    [Fact]
    public void OverSeveralPointsTheMeanIsGeometric()
    {
        Run[] runs = [Runs.Of(1, "old", (1, 100), (2, 100)), Runs.Of(1, "new", (1, 50), (2, 200), (4, 1))];
        Assert.Equal(1, FindingResult.Of(s_finding, runs).Ratio!.Median, 9);
    }

    [Fact]
    public void AMissingStationIsReported()
    {
        FindingResult result = FindingResult.Of(s_finding, [Runs.Of(1, "old", (1, 100))]);
        Assert.Equal("missing", result.Verdict);
        Assert.Null(result.Ratio);
    }

    [Theory]
    [InlineData(120, "confirmed", 0)]
    [InlineData(90, "refuted", 1)]
    public void AgainstAllOthersTheLowestPointCounts(double atFour, string verdict, int behindCount)
    {
        Run[] runs =
        [
            Runs.Of(1, "old", (1, 100), (4, 50)), Runs.Of(1, "other", (1, 20), (4, 100)),
            Runs.Of(1, "new", (1, 200), (4, atFour)),
        ];
        FindingResult result = FindingResult.Of(s_finding with { Over = Finding.Best }, runs);
        Assert.Equal(verdict, result.Verdict);
        Assert.Equal(4, result.At);
        Assert.Equal("other", result.Rival);
        Assert.Equal(behindCount, result.BehindCount);
        Assert.Equal(atFour / 100, result.Ratio!.Median, 9);
    }

    /// <summary>Who is as fast as each of two others is not behind because one of them was lucky each
    /// time.</summary>
    [Fact]
    public void AgainstAllOthersEachIsComparedByItself()
    {
        Run[] runs =
        [
            Runs.Of(1, "old", (1, 110)), Runs.Of(1, "other", (1, 90)), Runs.Of(1, "new", (1, 100)),
            Runs.Of(2, "old", (1, 90)), Runs.Of(2, "other", (1, 110)), Runs.Of(2, "new", (1, 100)),
        ];
        FindingResult result = FindingResult.Of(s_finding with { Over = Finding.Best }, runs);
        Assert.Equal("confirmed", result.Verdict);
        Assert.Equal(0, result.BehindCount);
    }

    [Theory]
    [InlineData(96, "noise", 0)]
    [InlineData(94, "refuted", 1)]
    public void AgainstAllOthersALittleLessIsNoise(double rate, string verdict, int behindCount)
    {
        Run[] runs = [Runs.Of(1, "old", (1, 100)), Runs.Of(1, "new", (1, rate))];
        FindingResult result = FindingResult.Of(s_finding with { Over = Finding.Best }, runs, noise: 0.05);
        Assert.Equal(verdict, result.Verdict);
        Assert.Equal(behindCount, result.BehindCount);
    }

    [Fact]
    public void AnotherStationOfTheSameServerIsNotCompared()
    {
        Run[] runs = [Runs.Of(1, "new", (4, 100)), Runs.Of(1, "twin", (4, 200)), Runs.Of(1, "old", (4, 50))];
        Finding finding = s_finding with { Over = Finding.Best };
        Assert.Equal("refuted", FindingResult.Of(finding, runs).Verdict);
        FindingResult result = FindingResult.Of(finding with { Except = ["twin"] }, runs);
        Assert.Equal("confirmed", result.Verdict);
        Assert.Equal(2, result.Ratio!.Median, 9);
    }

    /// <summary>The list of findings and the list of stations fit each other.</summary>
    [Fact]
    public void TheListNamesStationsThatExist()
    {
        HashSet<string> stations = [.. StationEntry.Read(Path.Combine(Station.Root, "lab/stations.json"))
            .Select(station => station.Name), Finding.Best];
        IReadOnlyList<Finding> findings = Finding.Read(Path.Combine(Station.Root, "lab/findings.json"));
        Assert.Equal(findings.Count, findings.DistinctBy(finding => finding.Id).Count());
        Assert.All(findings, finding =>
        {
            Assert.Contains(finding.Station, stations);
            Assert.Contains(finding.Over, stations);
            Assert.Contains(finding.Workload, s_workloads);
        });
    }
}
