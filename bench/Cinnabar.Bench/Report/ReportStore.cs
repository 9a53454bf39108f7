using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using Spectre.Console;

namespace Cinnabar.Bench.Report;

/// <summary>Where results go: a table on the terminal, one JSON file a suite (the last run's), and from these
/// files, when asked, docs/performance.md.</summary>
internal sealed class ReportStore(string root)
{
    private static readonly JsonSerializerOptions s_json = new() { WriteIndented = true };
    private readonly string _folder = Path.Combine(root, "artifacts", "bench");

    /// <summary>Prints a report and keeps it.</summary>
    /// <param name="report">The report.</param>
    /// <param name="copyPath">Where a copy of it goes; null: nowhere.</param>
    /// <param name="isLast">Whether it is from now on its suite's last one.</param>
    public void Keep(SuiteReport report, string? copyPath, bool isLast = true)
    {
        Print(report);
        string text = JsonSerializer.Serialize(report, s_json) + "\n";
        if (copyPath is not null) Write(copyPath, text);
        if (isLast) Write(Path.Combine(_folder, report.Suite + ".json"), text);
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

    private static void Write(string path, string text)
    {
        if (Path.GetDirectoryName(path) is { Length: > 0 } folder) Directory.CreateDirectory(folder);
        File.WriteAllText(path, text);
        AnsiConsole.MarkupLineInterpolated($"[grey]{path}[/]");
    }

    /// <summary>Writes docs/performance.md from the last report of every suite.</summary>
    public void WriteMarkdown()
    {
        var text = new StringBuilder();
        text.Append("""
            # Performance

            Written by `./x bench --markdown` from measurements, each suite's last. The server has a core of
            its own and the load generator another; the servers' rounds are interleaved; a figure is the
            median of its rounds, in brackets the least and the greatest of them, then its ratio to
            redis in the same run.

            """);
        foreach (string path in Directory.EnumerateFiles(_folder, "*.json").Order(StringComparer.Ordinal))
        {
            if (Path.GetFileNameWithoutExtension(path) == "load") continue; // Whatever somebody tried.
            SuiteReport report = JsonSerializer.Deserialize<SuiteReport>(File.ReadAllText(path))
                ?? throw new InvalidDataException($"{path} holds no report");
            Append(text, report);
        }
        string target = Path.Combine(root, "docs", "performance.md");
        Directory.CreateDirectory(Path.GetDirectoryName(target)!);
        File.WriteAllText(target, text.ToString());
        AnsiConsole.MarkupLineInterpolated($"[grey]{target}[/]");
    }

    private static void Append(StringBuilder text, SuiteReport report)
    {
        string date = report.Date.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);
        string versions = string.Join(", ", report.Versions.Select(pair => $"{pair.Key} {pair.Value}"));
        text.Append($"\n## {report.Title}\n\n`{report.Suite}`, {date}, {report.Rounds} rounds");
        if (report.Seconds > 0) text.Append(CultureInfo.InvariantCulture, $" of {report.Seconds} s");
        text.Append($"; {report.Machine}; {versions}.\n\n");
        var cells = report.Cells().ToList();
        AppendRow(text, cells[0]);
        AppendRow(text, cells[0].Select((_, column) => column < 2 ? "---" : "---:"));
        foreach (string[] row in cells.Skip(1)) AppendRow(text, row);
        if (report.Notes.Count > 0) text.Append('\n');
        foreach (string note in report.Notes) text.Append($"* {note}\n");
    }

    private static void AppendRow(StringBuilder text, IEnumerable<string> cells) =>
        text.Append("| ").AppendJoin(" | ", cells).Append(" |\n");
}
