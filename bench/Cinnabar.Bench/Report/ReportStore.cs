using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using Spectre.Console;

namespace Cinnabar.Bench.Report;

/// <summary>Where results go: a table on the terminal, one JSON file a suite (its last run), and on request
/// docs/performance.json, which holds the last published run of every suite, with docs/performance.md, its
/// headline rows, and docs/commands.md.</summary>
internal sealed class ReportStore(string root)
{
    private static readonly JsonSerializerOptions s_json = new() { WriteIndented = true };
    private readonly string _folder = Path.Combine(root, "artifacts", "bench");
    private readonly string _docs = Path.Combine(root, "docs");

    /// <summary>Prints a report and keeps it.</summary>
    /// <param name="report">The report.</param>
    /// <param name="isLast">Whether it becomes its suite's last one.</param>
    public void Keep(SuiteReport report, bool isLast = true)
    {
        Print(report);
        if (isLast) Write(Path.Combine(_folder, report.Suite + ".json"), report);
    }

    /// <summary>Writes reports to a file.</summary>
    public static void Copy(IReadOnlyList<SuiteReport> reports, string path) => Write(path, reports);

    /// <summary>Publishes the last report of every suite that was run here; other suites keep their published
    /// report.</summary>
    public void Publish()
    {
        var reports = new SortedDictionary<string, SuiteReport>(StringComparer.Ordinal);
        string published = Path.Combine(_docs, "performance.json");
        if (File.Exists(published))
            foreach (SuiteReport report in Read<List<SuiteReport>>(published)) reports[report.Suite] = report;
        if (Directory.Exists(_folder))
            foreach (string path in Directory.EnumerateFiles(_folder, "*.json"))
                if (Path.GetFileNameWithoutExtension(path) != "load") // Of no suite.
                {
                    SuiteReport report = Read<SuiteReport>(path);
                    reports[report.Suite] = report;
                }
        // A thousand measures, each in its own page's row: no headline, and not twice.
        if (reports.Remove(CommandsPage.Suite, out SuiteReport? commands))
            WriteText(Path.Combine(_docs, "commands.md"), CommandsPage.Of(commands));
        Write(published, reports.Values);
        WriteMarkdown(reports.Values);
    }

    private static void Print(SuiteReport report)
    {
        var table = new Table().Title(Markup.Escape(report.Title));
        var cells = report.Cells().ToList();
        foreach (string heading in cells[0]) table.AddColumn(Markup.Escape(heading));
        for (int column = 2; column < cells[0].Length; column++) table.Columns[column].RightAligned();
        foreach (string[] row in cells.Skip(1)) table.AddRow(row.Select(Markup.Escape).ToArray());
        AnsiConsole.Write(table);
        foreach (string note in report.Notes) AnsiConsole.MarkupLineInterpolated($"[yellow]{note}[/]");
    }

    private static T Read<T>(string path) => JsonSerializer.Deserialize<T>(File.ReadAllText(path))
        ?? throw new InvalidDataException($"{path} holds no report");

    private static void Write<T>(string path, T content) =>
        WriteText(path, JsonSerializer.Serialize(content, s_json) + "\n");

    private static void WriteText(string path, string text)
    {
        if (Path.GetDirectoryName(path) is { Length: > 0 } folder) Directory.CreateDirectory(folder);
        File.WriteAllText(path, text);
        AnsiConsole.MarkupLineInterpolated($"[grey]{path}[/]");
    }

    private void WriteMarkdown(IEnumerable<SuiteReport> reports)
    {
        var text = new StringBuilder();
        text.Append("""
            # Performance

            Measured by `./x bench` and written by `./x bench --markdown`. The server runs on one core, the
            load on another, and rounds alternate between the servers. A figure is the median of its rounds;
            the ratio is to redis in the same run. docs/performance.json has every round, every other
            measure and the other servers that ran (floor is the null server, -uring one over io_uring, f6
            Cinnabar's commit f6dcf57), docs/commands.md every command; docs/bench.md says what the suites
            ask.

            """);
        foreach (SuiteReport report in reports) Append(text, report);
        WriteText(Path.Combine(_docs, "performance.md"), text.ToString());
    }

    private static void Append(StringBuilder text, SuiteReport report)
    {
        var cells = report.HeadlineRows().ToList();
        var shown = cells.Skip(1).Select(row => row[2]).ToHashSet();
        string date = report.Date.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);
        string versions = string.Join(", ", report.Versions.Where(pair => shown.Contains(pair.Key))
            .Select(pair => $"{pair.Key} {pair.Value}"));
        text.Append($"\n## {report.Title}\n\n`{report.Suite}`, {date}, {report.Rounds} rounds");
        if (report.Seconds > 0) text.Append(CultureInfo.InvariantCulture, $" of {report.Seconds} s");
        text.Append($"; {report.Machine}; {versions}.\n\n");
        AppendRow(text, cells[0]);
        AppendRow(text, cells[0].Select((_, column) => column < 3 ? "---" : "---:"));
        foreach (string[] row in cells.Skip(1)) AppendRow(text, row);
        var notes = report.Notes.Where(
            note => shown.Contains(ServerOf(note)) || !report.Versions.ContainsKey(ServerOf(note))).ToList();
        if (notes.Count > 0) text.Append('\n');
        foreach (string note in notes) text.Append($"* {note}\n");
    }

    // A note of one server begins with its name.
    private static string ServerOf(string note) => note.Split(':', ',')[0];

    private static void AppendRow(StringBuilder text, IEnumerable<string> cells) =>
        text.Append("| ").AppendJoin(" | ", cells).Append(" |\n");
}
