using Cinnabar.Load;
using Cinnabar.Load.Waits;

namespace Cinnabar.Bench.Report;

/// <summary>Adds a probe's results to a report: the waits of scheduled questions, those of a client that asks
/// only after its last answer, and how long the probe itself did not run.</summary>
internal sealed class WaitRows(SuiteReport report, string server)
{
    private const double HeadlineShare = 0.999;

    /// <summary>Adds a stretch in which something happened, and one before in which it did not.</summary>
    /// <param name="name">What happened.</param>
    /// <param name="before">The stretch without it.</param>
    /// <param name="during">The stretch with it.</param>
    public void Add(string name, WaitFigures before, WaitFigures during)
    {
        Add($"{name}, asked in turn", during.InTurn, isHeadline: true);
        Add($"{name}, on a schedule", during.Waits);
        AddShare($"{name}, asked in turn, before it", before.InTurn, HeadlineShare);
        report.Add($"{name}, probe did not run", "%", server,
            during.Gaps.MeanNs * during.Gaps.Count / 1e9 / during.Seconds * 100);
    }

    private void Add(string name, LatencyHistogram histogram, bool isHeadline = false)
    {
        AddShare(name, histogram, 0.99);
        AddShare(name, histogram, HeadlineShare, isHeadline);
        report.Add($"{name}, maximum", "µs", server, histogram.MaxNs / 1e3);
    }

    private void AddShare(string name, LatencyHistogram histogram, double share, bool isHeadline = false) =>
        report.Add($"{name}, p{share * 100:0.##}", "µs", server, histogram.PercentileNs(share) / 1e3,
            isHeadline);
}
