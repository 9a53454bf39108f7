// A chart of a soak as SVG, without a library: two panels above one axis of time.
//
//   waits    of one client, on a scale of powers of ten: p99.9 of each stretch as a line, the maximum as dots
//   memory   in use and resident, as lines; dots where nothing is in the server: they must lie on a level

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Cinnabar.Tests.EndToEnd.Soak;

/// <summary>Draws a soak.</summary>
internal static class SoakChart
{
    private const int Width = 900;
    private const int Left = 70;
    private const int Right = 880;
    private const int PanelHeight = 200;
    private const int WaitsTop = 60;
    private const int MemoryTop = 330;
    private const int TimesTop = MemoryTop + PanelHeight + 22;
    private const int Height = 580;
    private const int TickCount = 6;
    private const double LeastMs = 0.1;
    private const int DecadeCount = 5;
    private const string HighColor = "#0b6e99";
    private const string MaxColor = "#c4432b";
    private const string UsedColor = "#3f7d20";
    private const string ResidentColor = "#7a5195";

    /// <summary>The chart.</summary>
    /// <param name="title">What stands above it.</param>
    /// <param name="rows">At least one row.</param>
    public static string Draw(string title, IReadOnlyList<SoakRow> rows)
    {
        double seconds = Math.Max(rows[^1].Elapsed.TotalSeconds, 1);
        SoakRow[] waits = [.. rows.Where(static row => row.HasWaits)];
        SoakRow[] empty = [.. rows.Where(static row => !row.HasWaits)];
        double megabytes = RoundUp(
            rows.Max(static row => Math.Max(row.ResidentMegabytes, row.UsedMegabytes)));
        double X(SoakRow row) => Left + (row.Elapsed.TotalSeconds / seconds * (Right - Left));
        double Memory(double value) => MemoryTop + (PanelHeight * (1 - (value / megabytes)));
        var text = new StringBuilder();
        Add(text, $"""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {Width} {Height}"
             width="{Width}" height="{Height}" font-family="sans-serif" font-size="12">
            <title>{title}</title>
            <rect width="{Width}" height="{Height}" fill="#fff"/>
            <text x="{Left}" y="24" font-size="16" font-weight="bold">{title}</text>

            """);
        AddAxis(text, WaitsTop, "waits of a client, ms", Decades());
        AddAxis(text, MemoryTop, "memory, MB", Steps(megabytes));
        AddTimes(text, seconds);
        AddLine(text, HighColor, waits.Select(row => (X(row), Wait(row.HighMs))));
        AddDots(text, MaxColor, waits.Select(row => (X(row), Wait(row.MaxMs))));
        AddLine(text, ResidentColor, rows.Select(row => (X(row), Memory(row.ResidentMegabytes))));
        AddLine(text, UsedColor, rows.Select(row => (X(row), Memory(row.UsedMegabytes))));
        AddDots(text, ResidentColor, empty.Select(row => (X(row), Memory(row.ResidentMegabytes))));
        AddDots(text, UsedColor, empty.Select(row => (X(row), Memory(row.UsedMegabytes))));
        AddLegend(text, WaitsTop, (HighColor, "99.9th percentile"), (MaxColor, "maximum (dots)"));
        AddLegend(text, MemoryTop, (ResidentColor, "resident"),
            (UsedColor, "in use; dots: nothing is in the server"));
        text.Append("</svg>\n");
        return text.ToString();
    }

    private static double Wait(double ms) => WaitsTop + (PanelHeight
        * (1 - (Math.Clamp(Math.Log10(Math.Max(ms, LeastMs) / LeastMs), 0, DecadeCount) / DecadeCount)));

    private static IEnumerable<(double Y, string Label)> Decades() => Enumerable.Range(0, DecadeCount + 1)
        .Select(static decade => LeastMs * Math.Pow(10, decade)).Select(static ms => (Wait(ms), Number(ms)));

    private static IEnumerable<(double Y, string Label)> Steps(double most) => Enumerable.Range(0, 5)
        .Select(step => (MemoryTop + (PanelHeight * (1 - (step / 4.0))), Number(most * step / 4)));

    // 1, 2 or 4 times a power of ten.
    private static double RoundUp(double value)
    {
        double power = Math.Pow(10, Math.Floor(Math.Log10(Math.Max(value, 1))));
        return new[] { 1.0, 2, 4, 10 }.Select(times => times * power).First(one => one >= value);
    }

    private static void AddAxis(
        StringBuilder text, int top, string label, IEnumerable<(double Y, string Label)> ticks)
    {
        Add(text, $"<text x=\"{Left}\" y=\"{top - 10}\" fill=\"#555\">{label}</text>\n");
        foreach ((double y, string number) in ticks)
        {
            Add(text, $"<path d=\"M{Left} {y:0.#}H{Right}\" stroke=\"#ddd\"/>\n");
            Add(text, $"<text x=\"{Left - 8}\" y=\"{y + 4:0.#}\" text-anchor=\"end\">{number}</text>\n");
        }
    }

    private static void AddTimes(StringBuilder text, double seconds)
    {
        for (int tick = 0; tick <= TickCount; tick++)
        {
            double x = Left + ((Right - Left) * tick / (double)TickCount);
            var time = TimeSpan.FromSeconds(seconds * tick / TickCount);
            string label = string.Create(
                CultureInfo.InvariantCulture, $"{(int)time.TotalMinutes:00}:{time.Seconds:00}");
            Add(text, $"<text x=\"{x:0.#}\" y=\"{TimesTop}\" text-anchor=\"middle\">{label}</text>\n");
        }

        Add(text, $"<text x=\"{Right}\" y=\"{Height - 8}\" text-anchor=\"end\">minutes and seconds</text>\n");
    }

    private static void AddLine(StringBuilder text, string color, IEnumerable<(double X, double Y)> points)
    {
        string path = string.Join('L', points.Select(static point => Pair(point.X, point.Y)));
        if (path.Length > 0)
            Add(text, $"<path d=\"M{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"/>\n");
    }

    private static void AddDots(StringBuilder text, string color, IEnumerable<(double X, double Y)> points)
    {
        foreach ((double x, double y) in points)
            Add(text, $"<circle cx=\"{x:0.#}\" cy=\"{y:0.#}\" r=\"2.5\" fill=\"{color}\"/>\n");
    }

    private static void AddLegend(StringBuilder text, int top, params (string Color, string Label)[] all)
    {
        int x = Left + 200;
        foreach ((string color, string label) in all)
        {
            Add(text, $"<rect x=\"{x}\" y=\"{top - 19}\" width=\"10\" height=\"10\" fill=\"{color}\"/>\n");
            Add(text, $"<text x=\"{x + 16}\" y=\"{top - 10}\">{label}</text>\n");
            x += 150;
        }
    }

    private static string Pair(double x, double y) =>
        string.Create(CultureInfo.InvariantCulture, $"{x:0.#} {y:0.#}");

    private static string Number(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);

    private static void Add(StringBuilder text, FormattableString part) =>
        text.Append(FormattableString.Invariant(part));
}
