// How long executions took, for LATENCY HISTOGRAM and INFO latencystats: counts in buckets of relative width
// 1/16, from 1 ns to about 18 minutes. A value v falls into bucket (exponent, next four bits): 16 buckets a
// power of two, so that a percentile is off by 3 % at most. 640 buckets of 8 bytes, made with a command's
// first execution.

using System.Runtime.Intrinsics;

namespace Cinnabar.Engine.Statistics;

/// <summary>A log-linear histogram of durations in nanoseconds. One writer.</summary>
internal sealed class LatencyHistogram
{
    private const int FractionBits = 4;
    private const int ExponentCount = 40;

    private readonly long[] _counts = new long[ExponentCount << FractionBits];

    /// <summary>The counts by bucket.</summary>
    public ReadOnlySpan<long> Counts => _counts;

    /// <summary>How many durations were noted.</summary>
    public long TotalCount
    {
        get
        {
            long count = 0;
            for (int exponent = 0; exponent < ExponentCount; exponent++)
                count += CountOf(exponent);
            return count;
        }
    }

    /// <summary>Notes durations.</summary>
    public void Record(long durationNs, long count = 1) => _counts[BucketOf(durationNs)] += count;

    /// <summary>Copies the counts of another histogram.</summary>
    public void CopyFrom(LatencyHistogram other) => other._counts.CopyTo(_counts, 0);

    /// <summary>Adds the counts of another histogram.</summary>
    public void Add(LatencyHistogram other)
    {
        for (int bucket = 0; bucket < _counts.Length; bucket++)
            _counts[bucket] += other._counts[bucket];
    }

    /// <summary>Subtracts the counts of an earlier state of the same histogram.</summary>
    public void Subtract(LatencyHistogram earlier)
    {
        for (int bucket = 0; bucket < _counts.Length; bucket++)
            _counts[bucket] -= earlier._counts[bucket];
    }

    /// <summary>The duration in nanoseconds that a percentage of all do not exceed; 0 where there are
    /// none.</summary>
    /// <param name="percentile">0 to 100.</param>
    /// <param name="totalCount"><see cref="TotalCount"/>.</param>
    public long PercentileNs(double percentile, long totalCount)
    {
        long wanted = Math.Max(1, (long)Math.Ceiling(totalCount * Math.Min(percentile, 100) / 100));
        long seen = 0;
        for (int exponent = 0; exponent < ExponentCount; exponent++)
        {
            long count = CountOf(exponent);
            if (seen + count < wanted)
            {
                seen += count;
                continue;
            }

            int bucket = exponent << FractionBits;
            for (seen += _counts[bucket]; seen < wanted; seen += _counts[bucket])
                bucket++;
            return UpperBoundNs(bucket);
        }

        return 0;
    }

    public static int BucketOf(long durationNs)
    {
        ulong value = (ulong)Math.Max(durationNs, 1);
        int exponent = BitOperations.Log2(value);
        int fraction = (int)(exponent >= FractionBits
            ? (value >> (exponent - FractionBits)) & 15
            : (value << (FractionBits - exponent)) & 15);
        return Math.Min((exponent << FractionBits) + fraction, (ExponentCount << FractionBits) - 1);
    }

    /// <summary>The greatest duration of a bucket, in nanoseconds.</summary>
    public static long UpperBoundNs(int bucket)
    {
        int exponent = bucket >> FractionBits;
        long next = (long)((16UL + (ulong)(bucket & 15) + 1) << exponent >> FractionBits);
        return Math.Max(next - 1, 1);
    }

    // The durations of a power of two.
    private long CountOf(int exponent)
    {
        ReadOnlySpan<long> counts = _counts.AsSpan(exponent << FractionBits, 1 << FractionBits);
        Vector512<long> sum = Vector512.Create(counts) + Vector512.Create(counts[Vector512<long>.Count..]);
        return Vector512.Sum(sum);
    }
}
