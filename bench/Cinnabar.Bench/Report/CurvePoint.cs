using System.Collections.Generic;
using Cinnabar.Load;

namespace Cinnabar.Bench.Report;

/// <summary>A point of a latency curve: so many per cent of all requests took at most so many
/// microseconds.</summary>
internal sealed record CurvePoint(double Percent, double Microseconds)
{
    private const double RestMin = 1e-6;

    /// <summary>The curve of a histogram: five points for each halving of what is left to 100 %, as far as
    /// there are requests for it, then the maximum.</summary>
    public static IEnumerable<CurvePoint> Of(LatencyHistogram latency)
    {
        const int pointCount = 5;
        for (double rest = 1; rest > RestMin && rest * latency.Count > 1; rest /= 2)
            for (int point = 0; point < pointCount; point++)
            {
                double share = 1 - rest + rest / 2 * point / pointCount;
                yield return new(share * 100, latency.PercentileNs(share) / 1e3);
            }
        yield return new(100, latency.MaxNs / 1e3);
    }
}
