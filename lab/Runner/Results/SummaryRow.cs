using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>One number over all rounds.</summary>
internal sealed record SummaryRow
{
    /// <summary>The station.</summary>
    public required string Station { get; init; }

    /// <summary>The workload.</summary>
    public required string Workload { get; init; }

    /// <summary>The command; empty where the number belongs to the whole run.</summary>
    public required string Command { get; init; }

    /// <summary>The number of connections, or 0.</summary>
    public required int Clients { get; init; }

    /// <summary>The number's name, which ends with its unit.</summary>
    public required string Measure { get; init; }

    /// <summary>The rounds' median.</summary>
    public required double Median { get; init; }

    /// <summary>The rounds' lowest.</summary>
    public required double Low { get; init; }

    /// <summary>The rounds' highest.</summary>
    public required double High { get; init; }

    /// <summary>How many rounds have it.</summary>
    public required int Count { get; init; }

    /// <summary>Every number that any run has.</summary>
    public static IReadOnlyList<SummaryRow> All(IEnumerable<Run> runs)
    {
        var groups = runs.SelectMany(run => Figure.Of(run).Select(figure => (run, figure)))
            .GroupBy(pair => (pair.run.Workload, pair.run.Station, pair.figure.Command, pair.figure.Clients,
                pair.figure.Measure), pair => pair.figure.Value);
        var rows = new List<SummaryRow>();
        foreach (var group in groups)
            if (Spread.Of(group) is { } spread)
                rows.Add(new SummaryRow
                {
                    Station = group.Key.Station,
                    Workload = group.Key.Workload,
                    Command = group.Key.Command,
                    Clients = group.Key.Clients,
                    Measure = group.Key.Measure,
                    Median = spread.Median,
                    Low = spread.Low,
                    High = spread.High,
                    Count = spread.Count,
                });
        return rows;
    }
}
