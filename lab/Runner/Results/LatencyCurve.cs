using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>Latency by percentile: at each, the rounds' median.</summary>
/// <param name="Station">The station.</param>
/// <param name="Workload">The workload.</param>
/// <param name="LatencyUs">Pairs of percent and microseconds.</param>
internal sealed record LatencyCurve(string Station, string Workload, IReadOnlyList<double[]> LatencyUs)
{
    private const int PointCountMin = 6;

    /// <summary>The curves of every station and workload that measures enough percentiles for one.</summary>
    public static IReadOnlyList<LatencyCurve> All(IEnumerable<Run> runs) =>
    [
        .. runs.Where(run => run.Points.Count == 1 && run.Points[0].LatencyUs.Count >= PointCountMin)
            .GroupBy(run => (run.Station, run.Workload))
            .Select(group => new LatencyCurve(group.Key.Station, group.Key.Workload,
            [
                .. group.SelectMany(run => run.Points[0].LatencyUs).GroupBy(pair => pair[0])
                    .OrderBy(percent => percent.Key)
                    .Select(percent => (double[])
                        [percent.Key, Spread.Of(percent.Select(pair => pair[1]))!.Median]),
            ])),
    ];
}
