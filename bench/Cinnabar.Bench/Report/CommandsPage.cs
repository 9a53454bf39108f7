using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Bench.Servers;

namespace Cinnabar.Bench.Report;

/// <summary>docs/commands.md: the last published run of the suite <c>commands</c>, a row for each command,
/// the lowest ratio first.</summary>
internal static class CommandsPage
{
    /// <summary>The suite.</summary>
    public const string Suite = "commands";

    private const string CpuEnd = " deep, server's CPU";
    private static readonly string[] s_depths = ["16", "1"];

    /// <summary>The page's text.</summary>
    /// <param name="report">A report of the suite with redis and Cinnabar.</param>
    public static string Of(SuiteReport report)
    {
        var rows = report.Measures
            .Where(static measure => measure.Name.EndsWith(CpuEnd, StringComparison.Ordinal))
            .GroupBy(static measure => CommandOf(measure.Name))
            .Select(static group => new Row(group.Key, [.. s_depths.Select(depth =>
                group.FirstOrDefault(measure => measure.Name == $"{group.Key}, {depth}{CpuEnd}"))]))
            .ToList();
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"""
            # Commands beside redis-server

            Written by `./x bench --markdown` from the last `./x bench commands`: {report.Date:yyyy-MM-dd},
            {report.Rounds} rounds of {report.Seconds} s a row; {report.Machine}; redis-server
            {VersionOf(report, KnownServers.Reference)}. Processor time of the server for a request in µs, 50
            clients over a unix socket. The ratio is redis's time divided by Cinnabar's: the median of the
            rounds, the least and the greatest. Of {rows.Count(static row => row.HasReference)} commands that
            redis has, {Count(rows, 0)} are at or above 1.2 at 16 deep, {Count(rows, 1)} at 1 deep;
            docs/performance-pass.md gives the reasons of the others.

            | command | redis, 16 deep | Cinnabar | ratio | redis, 1 deep | Cinnabar | ratio |
            |---|---:|---:|---:|---:|---:|---:|

            """);
        foreach (Row row in rows.OrderBy(static row => row.Ratio(0) ?? double.MaxValue)
            .ThenBy(static row => row.Name, StringComparer.Ordinal))
            text.Append("| ").AppendJoin(" | ", row.Cells()).Append(" |\n");
        return text.ToString();
    }

    private static string CommandOf(string measure) =>
        measure[..measure.LastIndexOf(',', measure.Length - CpuEnd.Length)];

    private static int Count(List<Row> rows, int depth) =>
        rows.Count(row => Math.Round(row.Ratio(depth) ?? 0, 2) >= 1.2);

    private static string VersionOf(SuiteReport report, string server) =>
        report.Versions.TryGetValue(server, out string? version) ? version : "of an unknown version";

    // One command; its measures by depth.
    private sealed record Row(string Name, Measure?[] Depths)
    {
        public bool HasReference => Ratio(0) is not null;

        public double? Ratio(int depth) => Ratios(depth) is { Count: > 0 } ratios
            ? ratios[ratios.Count / 2] : null;

        public IEnumerable<string> Cells()
        {
            yield return Name;
            for (int depth = 0; depth < Depths.Length; depth++)
            {
                yield return Time(Depths[depth], KnownServers.Reference);
                yield return Time(Depths[depth], KnownServers.Own);
                yield return Ratios(depth) is { Count: > 0 } ratios
                    ? string.Create(CultureInfo.InvariantCulture,
                        $"{ratios[ratios.Count / 2]:0.00} [{ratios[0]:0.00}–{ratios[^1]:0.00}]") : "";
            }
        }

        // Round by round, in order.
        private List<double> Ratios(int depth) =>
            Depths[depth] is { } measure
                && measure.Values.TryGetValue(KnownServers.Reference, out List<double>? reference)
                && measure.Values.TryGetValue(KnownServers.Own, out List<double>? own)
                ? [.. reference.Zip(own, static (theirs, ours) => theirs / ours).Order()] : [];

        private static string Time(Measure? measure, string server) =>
            measure?.Median(server) is not { } value ? ""
                : value.ToString(value switch { >= 100 => "N0", >= 10 => "0.0", _ => "0.00" },
                    CultureInfo.InvariantCulture);
    }
}
