using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Bench.Servers;

namespace Cinnabar.Bench.Report;

/// <summary>All that one suite measured in one run, and on what.</summary>
internal sealed record SuiteReport(string Suite, string Title)
{
    /// <summary>When the run began, in coordinated universal time.</summary>
    public DateTime Date { get; init; } = DateTime.UtcNow;

    /// <summary>The machine in words.</summary>
    public string Machine { get; init; } = MachineText.Describe();

    /// <summary>How often each server was measured, in turn with the others.</summary>
    public int Rounds { get; init; }

    /// <summary>How long one measurement took, in seconds, where the suite measures for a time.</summary>
    public double Seconds { get; init; }

    /// <summary>The servers' own words for their versions, by name.</summary>
    public Dictionary<string, string> Versions { get; init; } = [];

    /// <summary>The rows.</summary>
    public List<Measure> Measures { get; init; } = [];

    /// <summary>Adds what one round found.</summary>
    public void Add(string measure, string unit, ServerSpec server, double value)
    {
        Measure? row = Measures.FirstOrDefault(row => row.Name == measure && row.Unit == unit);
        if (row is null) Measures.Add(row = new Measure(measure, unit));
        if (!row.Values.TryGetValue(server.Name, out List<double>? values))
            row.Values[server.Name] = values = [];
        values.Add(value);
    }

    /// <summary>The report as a table's cells, headings first: a column for each server, medians, and behind
    /// each its ratio to the reference where that was measured too.</summary>
    public IEnumerable<string[]> Cells()
    {
        var servers = Measures.SelectMany(measure => measure.Values.Keys).Distinct().ToList();
        yield return ["measure", "unit", .. servers];
        foreach (Measure measure in Measures)
            yield return [measure.Name, measure.Unit, .. servers.Select(server => Cell(measure, server))];
    }

    private static string Cell(Measure measure, string server)
    {
        if (measure.Median(server) is not { } value) return "";
        string format = Math.Abs(value) switch { >= 1000 => "N0", >= 10 => "0.#", _ => "0.###" };
        string text = value.ToString(format, CultureInfo.InvariantCulture);
        bool hasRatio = server != ServerSpec.Reference && measure.Median(ServerSpec.Reference) is > 0;
        return hasRatio ? $"{text} ({Ratio(value / measure.Median(ServerSpec.Reference)!.Value)} ×)" : text;
    }

    private static string Ratio(double ratio) => ratio.ToString("0.00", CultureInfo.InvariantCulture);
}
