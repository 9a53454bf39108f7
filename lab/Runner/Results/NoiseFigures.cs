using System;
using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>How far the rounds of one workload's throughputs lie apart, as parts of their medians: 0.03 is
/// ± 3 %.</summary>
/// <param name="Workload">The workload.</param>
/// <param name="Median">In the middle of all stations and points.</param>
/// <param name="High">At the worst one.</param>
/// <param name="Count">How many points have more than one round.</param>
internal sealed record NoiseFigures(string Workload, double Median, double High, int Count)
{
    /// <summary>For every workload that has more than one round.</summary>
    public static IReadOnlyList<NoiseFigures> All(IEnumerable<SummaryRow> rows) =>
    [
        .. rows.Where(row => row is { Measure: "opsPerSecond", Count: > 1, Median: > 0 })
            .GroupBy(row => row.Workload, row => (row.High - row.Low) / 2 / row.Median)
            .Select(group => (group.Key, Spread: Spread.Of(group)!))
            .Select(noise => new NoiseFigures(noise.Key, Math.Round(noise.Spread.Median, 4),
                Math.Round(noise.Spread.High, 4), noise.Spread.Count)),
    ];
}
