using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Bench.Servers;
using Cinnabar.Load;

namespace Cinnabar.Bench.Report;

/// <summary>The results of one run of a suite or load, and the machine.</summary>
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

    /// <summary>The reference of ratios; null: redis if it is there, else the first server.</summary>
    public string? Reference { get; init; }

    /// <summary>The servers' own words for their versions, by name.</summary>
    public Dictionary<string, string> Versions { get; init; } = [];

    /// <summary>The rows.</summary>
    public List<Measure> Measures { get; init; } = [];

    /// <summary>The doubts about figures.</summary>
    public List<string> Notes { get; init; } = [];

    /// <summary>Latency curves over all rounds by server, where a load was measured.</summary>
    public Dictionary<string, List<CurvePoint>> Curves { get; init; } = [];

    /// <summary>Adds a value of one round.</summary>
    /// <param name="measure">The row's name.</param>
    /// <param name="unit">Its unit.</param>
    /// <param name="server">The server.</param>
    /// <param name="value">The value.</param>
    /// <param name="isHeadline">Whether docs/performance.md shows the row.</param>
    public void Add(string measure, string unit, string server, double value, bool isHeadline = false)
    {
        Measure? row = Measures.FirstOrDefault(row => row.Name == measure && row.Unit == unit);
        if (row is null) Measures.Add(row = new Measure(measure, unit) { IsHeadline = isHeadline });
        if (!row.Values.TryGetValue(server, out List<double>? values))
            row.Values[server] = values = [];
        values.Add(value);
    }

    /// <summary>Adds a note, unless it is there already.</summary>
    public void Note(string text)
    {
        if (!Notes.Contains(text)) Notes.Add(text);
    }

    /// <summary>The rows of docs/performance.md: two for each headline measure, the reference's and that of
    /// this server's first form.</summary>
    public IEnumerable<string[]> HeadlineRows()
    {
        yield return ["measure", "unit", "server", "median [least–greatest]", "ratio"];
        foreach (Measure measure in Measures.Where(measure => measure.IsHeadline))
        {
            string? own = measure.Values.Keys.FirstOrDefault(IsOwn);
            foreach (string server in measure.Values.Keys.Where(
                server => server == KnownServers.Reference || server == own))
            {
                double? reference = measure.Median(KnownServers.Reference);
                string ratio = server != KnownServers.Reference && reference > 0
                    ? FineRatio(measure.Median(server)!.Value / reference.Value) : "";
                yield return [measure.Name, measure.Unit, server, MedianAndSpread(measure, server), ratio];
            }
        }
    }

    /// <summary>The report as a table's cells, headings first: a column for each server; its median, the
    /// least and the greatest of its rounds, and its ratio to the reference where that was measured
    /// too.</summary>
    public IEnumerable<string[]> Cells()
    {
        var servers = Measures.SelectMany(measure => measure.Values.Keys).Distinct().ToList();
        string? reference = Reference
            ?? (servers.Contains(KnownServers.Reference) ? KnownServers.Reference : servers.FirstOrDefault());
        yield return ["measure", "unit", .. servers];
        foreach (Measure measure in Measures)
            yield return [measure.Name, measure.Unit,
                .. servers.Select(server => Cell(measure, server, reference))];
    }

    private static string Cell(Measure measure, string server, string? reference)
    {
        if (measure.Median(server) is not { } value) return "";
        string text = MedianAndSpread(measure, server);
        bool hasRatio = server != reference && reference is not null && measure.Median(reference) is > 0;
        return hasRatio ? $"{text} {Ratio(value / measure.Median(reference!)!.Value)} ×" : text;
    }

    private static bool IsOwn(string server) =>
        server.StartsWith(KnownServers.Own, StringComparison.Ordinal);

    private static string MedianAndSpread(Measure measure, string server)
    {
        string text = Text(measure.Median(server)!.Value);
        return measure.Spread(server) is var (least, greatest)
            ? $"{text} [{Text(least)}–{Text(greatest)}]" : text;
    }

    private static string Text(double value)
    {
        string format = Math.Abs(value) switch { >= 1000 => "N0", >= 10 => "0.#", _ => "0.###" };
        return value.ToString(format, CultureInfo.InvariantCulture);
    }

    // Waits may be a thousandth of the reference's.
    private static string FineRatio(double ratio) =>
        ratio < 0.1 ? ratio.ToString("G2", CultureInfo.InvariantCulture) : Ratio(ratio);

    private static string Ratio(double ratio) => ratio.ToString("0.00", CultureInfo.InvariantCulture);
}
