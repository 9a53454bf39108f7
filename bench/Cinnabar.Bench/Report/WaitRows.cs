using Cinnabar.Load;
using Cinnabar.Load.Waits;

namespace Cinnabar.Bench.Report;

/// <summary>Adds what a probe saw of a server to a report: each wait as it was, less what the probe stood
/// still, and what the server can have had to do with it.</summary>
internal sealed class WaitRows(SuiteReport report, string server)
{
    /// <summary>Adds a stretch in which something happened, and one before in which it did not.</summary>
    /// <param name="name">What happened.</param>
    /// <param name="before">The stretch without it.</param>
    /// <param name="during">The stretch with it.</param>
    /// <param name="shares">The percentiles, as shares of 1.</param>
    public void Add(string name, WaitFigures before, WaitFigures during, params double[] shares)
    {
        Add($"{name}, without it", before.Waits, shares);
        Add($"{name}, without it, less the probe's gaps", before.Heard, shares);
        Add($"{name}, without it, asked in turn", before.InTurn, shares);
        Add($"{name}, without it, asked in turn, less the probe's gaps", before.InTurnHeard, shares);
        Add(name, during.Waits, shares);
        Add($"{name}, asked in turn", during.InTurn, shares);
        Add($"{name}, asked in turn, less the probe's gaps", during.InTurnHeard, shares);
        Add($"{name}, less the probe's gaps", during.Heard, shares);
        if (during.Served.Count > 0) Add($"{name}, server's processor time in it", during.Served, shares);
        report.Add($"{name}, probe stood still", "%", server,
            during.Gaps.MeanNs * during.Gaps.Count / 1e9 / during.Seconds * 100);
    }

    private void Add(string name, LatencyHistogram histogram, double[] shares)
    {
        foreach (double share in shares)
            report.Add($"{name}, p{share * 100:0.##}", "µs", server, histogram.PercentileNs(share) / 1e3);
        report.Add($"{name}, maximum", "µs", server, histogram.MaxNs / 1e3);
    }
}
