using System;
using System.Diagnostics;
using System.Linq;
using Cinnabar.Lab.Runner.Results;
using Spectre.Console;

namespace Cinnabar.Lab.Runner;

/// <summary>One line a step, and on a terminal a bar below with the time left. It is drawn only between
/// steps, because drawing takes time from the load.</summary>
internal sealed class LabDisplay : ILabDisplay
{
    private const int BarCells = 24;
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly bool _isTerminal = AnsiConsole.Profile.Capabilities.Interactive
        && AnsiConsole.Profile.Capabilities.Ansi;
    private int _count;
    private int _doneCount;
    private int _ownCount;

    /// <inheritdoc/>
    public void Plan(int count, int doneCount) => (_count, _doneCount) = (count, doneCount);

    /// <inheritdoc/>
    public void Begin(Step step)
    {
        if (!_isTerminal) return;
        int filled = BarCells * _doneCount / Math.Max(1, _count);
        string bar = $"[red]{new string('━', filled)}[/][grey]{new string('━', BarCells - filled)}[/]";
        double seconds = Stopwatch.GetElapsedTime(_start).TotalSeconds;
        string left = _ownCount == 0 ? ""
            : $"about {TimeSpan.FromSeconds(seconds / _ownCount * (_count - _doneCount)):m\\:ss} left";
        AnsiConsole.Markup($"\r{bar} {_doneCount}/{_count} {Markup.Escape(Name(step))} [grey]{left}[/]   ");
    }

    /// <inheritdoc/>
    public void End(Step step, Run run)
    {
        _doneCount++;
        _ownCount++;
        if (_isTerminal) AnsiConsole.Write("\r\u001b[2K");
        string line = Markup.Escape($"{Name(step),-44} {Outcome(run)}");
        AnsiConsole.MarkupLine(run.Failure is null ? line : $"[red]{line}[/]");
    }

    /// <summary>The medians in short, and what failed.</summary>
    public static void Close(LabDocument document, string file)
    {
        var table = new Table().RoundedBorder();
        table.AddColumns("workload", "station", "ops/s", "CPU µs/op", "p99 µs", "bytes/key");
        foreach (int column in Enumerable.Range(2, 4)) table.Columns[column].RightAligned();
        foreach (var group in document.Runs.GroupBy(run => (run.Workload, run.Station)))
        {
            (string workload, string station) = group.Key;
            table.AddRow(workload, station, Middle("opsPerSecond", "N0"), Middle("serverCpuUsPerOp", "F2"),
                Middle("p99Us", "N0"), Middle("loadedBytesPerKey", "N0"));

            string Middle(string measure, string format) => Spread.Of(document.Summary
                .Where(row => row.Workload == workload && row.Station == station && row.Measure == measure)
                .Select(row => row.Median))?.Median.ToString(format) ?? "";
        }
        AnsiConsole.Write(table);
        int failures = document.Runs.Count(run => run.Failure is not null);
        if (failures > 0) AnsiConsole.MarkupLine($"[red]{failures} of {document.Runs.Count} runs failed[/]");
        Console.WriteLine(file);
    }

    private static string Name(Step step) =>
        $"round {step.Round} {step.Workload.Name,-8} {step.Station.Name}";

    private static string Outcome(Run run) => run.Failure is { } failure ? $"FAILED: {failure}"
        : run.Points.Count == 0 ? "nothing to measure"
        : $"{Spread.Of(run.Points.Select(point => point.OpsPerSecond))!.Median,12:N0} ops/s"
            + $"{run.Seconds,8:F1} s";
}
