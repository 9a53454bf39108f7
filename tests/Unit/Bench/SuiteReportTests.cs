using System.Linq;
using Cinnabar.Bench.Report;
using Cinnabar.Load;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class SuiteReportTests
{
    [Fact]
    public void ATableHasMediansSpreadAndRatios()
    {
        var report = new SuiteReport("suite", "title");
        foreach (double value in new[] { 3, 1, 2.5, 2 }) report.Add("rate", "ops/s", "a", value);
        foreach (double value in new[] { 4000, 5000, 4500 }) report.Add("rate", "ops/s", "redis", value);
        report.Add("only", "ms", "a", 7);
        Assert.Equal(
        [
            ["measure", "unit", "a", "redis"],
            ["rate", "ops/s", "2.25 [1–3] 0.00 ×", "4,500 [4,000–5,000]"],
            ["only", "ms", "7", ""],
        ], report.Cells());
        string[] row = (report with { Reference = "a" }).Cells().ElementAt(1);
        Assert.Equal("4,500 [4,000–5,000] 2000.00 ×", row[3]);
    }

    [Fact]
    public void TheDocumentShowsTwoRowsOfAHeadline()
    {
        var report = new SuiteReport("suite", "title");
        foreach (string server in new[] { "floor", "redis", "cinnabar", "cinnabar-uring", "old" })
        {
            report.Add("rate", "ops/s", server, server == "cinnabar" ? 3 : 2, isHeadline: true);
            report.Add("detail", "µs", server, 1);
        }
        report.Add("rate", "ops/s", "cinnabar", 5);
        Assert.Equal(
        [
            ["measure", "unit", "server", "median [least–greatest]", "ratio"],
            ["rate", "ops/s", "redis", "2", ""],
            ["rate", "ops/s", "cinnabar", "4 [3–5]", "2.00"],
        ], report.HeadlineRows());
    }

    [Fact]
    public void ACurveRisesFromTheLeastToTheGreatest()
    {
        var latency = new LatencyHistogram();
        for (int index = 1; index <= 10_000; index++) latency.Record(index * 1000L);
        CurvePoint[] curve = [.. CurvePoint.Of(latency)];
        Assert.Equal((0, 100), (curve[0].Percent, curve[^1].Percent));
        Assert.Equal(10_000, curve[^1].Microseconds);
        Assert.Equal(curve.Select(point => point.Percent).Order(), curve.Select(point => point.Percent));
        foreach (CurvePoint point in curve.Skip(1))
            Assert.InRange(point.Microseconds, point.Percent * 100 * 0.999, point.Percent * 100 * 1.001 + 1);
        Assert.Contains(curve, point => point.Percent is > 99.95 and < 100);
    }
}
