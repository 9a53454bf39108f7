// Ertl's improved raw estimator (O. Ertl, 2017, section 2.5, algorithm 6). With m registers of up to q + 1,
// of which C[k] have the value k,
//
//      estimate = alpha * m^2 / ( m sigma(C[0] / m)  +  sum of C[k] 2^-k  +  m 2^-q tau(1 - C[q+1] / m) )
//
// where alpha is 1 / (2 ln 2). Sigma and tau correct for the registers that are still 0 and those that can go
// no further; both are series that are added up until another term changes nothing. The sum is formed from
// the highest value down, halving at each step: as in Redis, so that the last bit is the same.

namespace Cinnabar.Structures.HyperLogLogs;

/// <summary>From how often each register value occurs to the number of elements.</summary>
internal static class HyperLogLogEstimate
{
    private const int Q = 64 - HyperLogLog.RegisterBits;
    private const double Alpha = 0.721347520444481703680;

    // The reply of redis-server where the estimate has more than 63 bits: for registers that no set has.
    private const double EstimateMax = 1UL << 63;

    /// <summary>The estimate, rounded.</summary>
    /// <param name="histogram">How many registers have each value; together all registers.</param>
    internal static ulong FromHistogram(ReadOnlySpan<int> histogram)
    {
        double m = HyperLogLog.RegisterCount;
        double sum = m * Tau((m - histogram[Q + 1]) / m);
        for (int value = Q; value >= 1; value--) sum = (sum + histogram[value]) * 0.5;
        sum += m * Sigma(histogram[0] / m);
        double estimate = Math.Round(Alpha * m * m / sum, MidpointRounding.AwayFromZero);
        return (ulong)Math.Min(estimate, EstimateMax);
    }

    // x + the sum of x^(2^k) 2^(k-1) for k = 1, 2, ...
    private static double Sigma(double x)
    {
        if (x == 1) return double.PositiveInfinity;
        double sum = x;
        double before;
        double factor = 1;
        do
        {
            x *= x;
            before = sum;
            sum += x * factor;
            factor += factor;
        }
        while (sum != before);
        return sum;
    }

    // A third of: 1 - x - the sum of (1 - x^(2^-k))^2 2^-k for k = 1, 2, ...
    private static double Tau(double x)
    {
        if (x is 0 or 1) return 0;
        double sum = 1 - x;
        double before;
        double factor = 1;
        do
        {
            x = Math.Sqrt(x);
            before = sum;
            factor *= 0.5;
            sum -= (1 - x) * (1 - x) * factor;
        }
        while (sum != before);
        return sum / 3;
    }
}
