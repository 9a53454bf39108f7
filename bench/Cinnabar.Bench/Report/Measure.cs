using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Bench.Report;

/// <summary>One row of a report: a measure, its unit, and the values of every round for each
/// server.</summary>
internal sealed record Measure(string Name, string Unit)
{
    /// <summary>Whether docs/performance.md shows it; the others are in the JSON file only.</summary>
    public bool IsHeadline { get; init; }

    /// <summary>The rounds' values by the server's name.</summary>
    public Dictionary<string, List<double>> Values { get; init; } = [];

    /// <summary>The median of a server's rounds; null where nothing was measured.</summary>
    public double? Median(string server)
    {
        if (!Values.TryGetValue(server, out List<double>? values) || values.Count == 0) return null;
        var sorted = values.Order().ToList();
        int middle = sorted.Count / 2;
        return sorted.Count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /// <summary>The least and the greatest of a server's rounds; null where there were fewer than
    /// two.</summary>
    public (double Least, double Greatest)? Spread(string server) =>
        Values.TryGetValue(server, out List<double>? values) && values.Count > 1
            ? (values.Min(), values.Max()) : null;
}
