using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Load;

namespace Cinnabar.Tests.EndToEnd.Soak;

/// <summary>What a soak has seen: rows, a chart of them, and what a page says.</summary>
/// <param name="transport">What the server was served over.</param>
internal sealed class SoakRecord(string transport)
{
    private const double NsOfMs = 1e6;

    private readonly string _transport = transport;
    private readonly List<SoakRow> _rows = [];
    private readonly LatencyHistogram _all = new();

    /// <summary>The rows, in their order.</summary>
    public IReadOnlyList<SoakRow> Rows => _rows;

    /// <summary>Adds a row of waits.</summary>
    /// <param name="elapsed">Time since the start.</param>
    /// <param name="phase">What went on.</param>
    /// <param name="waits">The waits.</param>
    /// <param name="state">The server.</param>
    public void Add(TimeSpan elapsed, string phase, LatencyHistogram waits, ServerState state)
    {
        _all.Add(waits);
        _rows.Add(new SoakRow(elapsed, phase, waits.Count, waits.PercentileNs(0.5) / NsOfMs,
            waits.PercentileNs(0.999) / NsOfMs, waits.MaxNs / NsOfMs, state));
    }

    /// <summary>Adds a row of the server when nothing is in it.</summary>
    public void AddEmpty(TimeSpan elapsed, ServerState state) =>
        _rows.Add(new SoakRow(elapsed, SoakRow.Empty, 0, 0, 0, 0, state));

    /// <summary>The rows as a table of text.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        text.Append("    time  phase       asked    p50 ms  p99.9 ms    max ms");
        text.Append("  used MB  resident  clients\n");
        foreach (SoakRow row in _rows)
        {
            string waits = row.HasWaits ? string.Create(CultureInfo.InvariantCulture,
                $"{row.AskedCount,7}{row.MedianMs,10:0.00}{row.HighMs,10:0.00}{row.MaxMs,10:0.00}") : "";
            text.Append(CultureInfo.InvariantCulture,
                $"{row.Elapsed,8:hh\\:mm\\:ss}  {row.Phase,-10}{waits,-37}"
                + $"{row.UsedMegabytes,9:0.00}{row.ResidentMegabytes,10:0.0}{row.State.ClientCount,9}\n");
        }

        return text.ToString();
    }

    /// <summary>Writes the rows and the chart into a folder, named as the transport.</summary>
    public void Save(string folder, string text)
    {
        File.WriteAllText(Path.Combine(folder, _transport + ".txt"), text);
        if (_rows.Count > 0)
            File.WriteAllText(Path.Combine(folder, _transport + ".svg"), Draw());
    }

    /// <summary>Puts the chart beside a page, and the figures into it, between the transport's
    /// marks.</summary>
    /// <param name="folder">The folder of the page, <c>soak.md</c>.</param>
    /// <param name="commandCount">How many commands clients have sent.</param>
    public void Publish(string folder, long commandCount)
    {
        Directory.CreateDirectory(Path.Combine(folder, "soak"));
        File.WriteAllText(Path.Combine(folder, "soak", _transport + ".svg"), Draw());
        string path = Path.Combine(folder, "soak.md");
        string page = File.ReadAllText(path);
        string begin = $"<!-- {_transport}: begin -->\n";
        int start = page.IndexOf(begin, StringComparison.Ordinal);
        int end = page.IndexOf($"<!-- {_transport}: end -->", StringComparison.Ordinal);
        if (start < 0 || end < start)
            throw new InvalidDataException($"{path} has no marks for {_transport}");
        File.WriteAllText(path, page[..(start + begin.Length)] + Describe(commandCount) + page[end..]);
    }

    private string Describe(long commandCount)
    {
        SoakRow[] empty = [.. _rows.Where(static row => !row.HasWaits)];
        double minutes = _rows[^1].Elapsed.TotalMinutes;
        double most = _rows.Where(static row => row.HasWaits).Max(static row => row.HighMs);
        return string.Create(CultureInfo.InvariantCulture, $"""
            {DateTime.UtcNow:yyyy-MM-dd}, {minutes:0} minutes, {commandCount:N0} commands.

            | the waits of one client | ms |
            |---|---:|
            | half of them at most | {Ms(_all.PercentileNs(0.5) / NsOfMs)} |
            | 99.9 % of them at most | {Ms(_all.PercentileNs(0.999) / NsOfMs)} |
            | the same of the worst {SoakTests.RowSeconds} s | {Ms(most)} |
            | the longest | {Ms(_all.MaxNs / NsOfMs)} |

            | memory with nothing in the server | used, MB | resident, MB |
            |---|---:|---:|
            | after the first turn | {Memory(empty[..1])} |
            | the most after any turn | {Memory(empty)} |
            | at the end | {Memory(empty[^1..])} |

            ![The waits of a client and the server's memory over time](soak/{_transport}.svg)

            """);
    }

    private static string Ms(double value) => value.ToString("0.00", CultureInfo.InvariantCulture);

    private static string Memory(SoakRow[] rows)
    {
        double used = rows.Max(static row => row.UsedMegabytes);
        double resident = rows.Max(static row => row.ResidentMegabytes);
        return string.Create(CultureInfo.InvariantCulture, $"{used:0.00} | {resident:0.0}");
    }

    private string Draw() => SoakChart.Draw($"Cinnabar under all kinds of load, {_transport}", _rows);
}
