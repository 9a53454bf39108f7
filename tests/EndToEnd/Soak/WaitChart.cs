using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Cinnabar.Load;

namespace Cinnabar.Tests.EndToEnd.Soak;

/// <summary>The waits of a client and the server's memory over time, a row for each stretch. A wait is drawn
/// on a scale of powers of ten from 0.1 ms: '#' to the 99.9th percentile, '.' to the maximum.</summary>
internal sealed class WaitChart
{
    private const double LeastMs = 0.1;
    private const int ColumnsOfTen = 8;
    private const int WaitsWidth = 37;
    private const int DecadeCount = 5;
    private const double NsOfMs = 1e6;
    private const long BytesOfMegabyte = 1 << 20;
    private readonly List<string> _rows = [];

    /// <summary>The whole chart.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        text.Append("    time  phase       asked    p50 ms  p99.9 ms    max ms  used MB  resident  "
            + "clients  ");
        double ms = LeastMs;
        for (int decade = 0; decade <= DecadeCount; decade++, ms *= 10)
        {
            string number = ms.ToString("0.#", CultureInfo.InvariantCulture);
            text.Append('|').Append(number.PadRight(ColumnsOfTen - 1));
        }

        text.Append('\n');
        foreach (string row in _rows)
            text.Append(row).Append('\n');
        return text.ToString();
    }

    /// <summary>Adds a row of waits.</summary>
    /// <param name="elapsed">Time since the start.</param>
    /// <param name="phase">What went on.</param>
    /// <param name="waits">The waits.</param>
    /// <param name="state">The server.</param>
    public void Add(TimeSpan elapsed, string phase, LatencyHistogram waits, ServerState state)
    {
        double high = waits.PercentileNs(0.999) / NsOfMs;
        double most = waits.MaxNs / NsOfMs;
        string bar = new string('#', Columns(high)).PadRight(Columns(most), '.');
        Add(elapsed, phase, string.Create(CultureInfo.InvariantCulture,
            $"{waits.Count,7}{waits.PercentileNs(0.5) / NsOfMs,10:0.00}{high,10:0.00}{most,10:0.00}"),
            state, bar);
    }

    /// <summary>Adds a row of the server when nothing is in it.</summary>
    public void AddEmpty(TimeSpan elapsed, ServerState state) =>
        Add(elapsed, "empty", new string(' ', WaitsWidth), state, "");

    private void Add(TimeSpan elapsed, string phase, string waits, ServerState state, string bar)
    {
        double used = (double)state.UsedBytes / BytesOfMegabyte;
        double resident = (double)state.ResidentBytes / BytesOfMegabyte;
        _rows.Add(string.Create(CultureInfo.InvariantCulture, $"{elapsed,8:hh\\:mm\\:ss}  {phase,-10}{waits}"
            + $"{used,9:0.00}{resident,10:0.0}{state.ClientCount,9}  {bar}").TrimEnd());
    }

    private static int Columns(double ms) =>
        ms <= LeastMs ? 0 : Math.Min((int)Math.Ceiling(Math.Log10(ms / LeastMs) * ColumnsOfTen),
            DecadeCount * ColumnsOfTen);
}
