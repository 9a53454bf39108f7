using System;
using System.Collections.Generic;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Cinnabar.Load;

/// <summary>
/// Counts durations in buckets whose width grows with the value, so that a nanosecond and an hour both have a
/// place and every percentile is right to within 1 part in 1,024: three significant digits.
///
///   value          0 … 1023   1024 … 2047   2048 … 4095   4096 … 8191 …
///   bucket width          1             1             2             4
///
/// Below 1,024 a bucket is a value; above, each doubling has 1,024 buckets, found by the position of the
/// highest bit and the ten bits after it. No sorting, no allocation after the start, histograms can be added.
/// The idea is Gil Tene's HdrHistogram. Values from 2^43 ns (146 minutes) on are counted in the last bucket;
/// the maximum is exact all the same.
/// </summary>
public sealed class LatencyHistogram
{
    private const int SubBits = 10;
    private const int SubCount = 1 << SubBits;
    private const int HighestBit = 42;
    private readonly long[] _counts = new long[(HighestBit - SubBits + 2) * SubCount];
    private double _sumNs;

    /// <summary>How many durations were counted.</summary>
    public long Count { get; private set; }

    /// <summary>The longest duration, exact, in nanoseconds.</summary>
    public long MaxNs { get; private set; }

    /// <summary>The mean in nanoseconds; 0 when nothing was counted.</summary>
    public double MeanNs => Count == 0 ? 0 : _sumNs / Count;

    /// <summary>Counts a duration <paramref name="times"/> times; a negative one counts as 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Record(long ns, long times = 1)
    {
        ns = Math.Max(ns, 0);
        _counts[BucketOf(ns)] += times;
        Count += times;
        _sumNs += (double)ns * times;
        if (ns > MaxNs) MaxNs = ns;
    }

    /// <summary>Adds all that another histogram counted.</summary>
    public void Add(LatencyHistogram other)
    {
        for (int bucket = 0; bucket < _counts.Length; bucket++) _counts[bucket] += other._counts[bucket];
        Count += other.Count;
        _sumNs += other._sumNs;
        MaxNs = Math.Max(MaxNs, other.MaxNs);
    }

    /// <summary>The duration in nanoseconds that the given share (0 … 1) of all durations does not exceed,
    /// rounded up to its bucket's last value but never past the maximum; 0 when nothing was
    /// counted.</summary>
    public long PercentileNs(double share)
    {
        long wanted = Math.Max(1, (long)Math.Ceiling(share * Count));
        long seen = 0;
        for (int bucket = 0; bucket < _counts.Length; bucket++)
        {
            seen += _counts[bucket];
            if (seen >= wanted) return Math.Min(LastValueOf(bucket), MaxNs);
        }
        return MaxNs;
    }

    /// <summary>How many durations were at least as long, to a bucket's precision: buckets that begin below
    /// <paramref name="ns"/> are left out.</summary>
    public long CountFrom(long ns)
    {
        long count = 0;
        foreach ((long lastNs, long times) in Buckets())
            if (lastNs >= ns) count += times;
        return count;
    }

    /// <summary>The buckets that counted anything, ascending: a bucket's last value in nanoseconds (the last
    /// one's: the maximum), and how many durations fell into it.</summary>
    public IEnumerable<(long LastNs, long Times)> Buckets()
    {
        for (int bucket = 0; bucket < _counts.Length; bucket++)
            if (_counts[bucket] > 0)
                yield return (Math.Min(LastValueOf(bucket), MaxNs), _counts[bucket]);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int BucketOf(long value)
    {
        int bit = Math.Max(BitOperations.Log2((ulong)value), SubBits - 1);
        if (bit > HighestBit) return (HighestBit - SubBits + 2) * SubCount - 1;
        int shift = Math.Max(bit - SubBits, 0);
        int group = bit < SubBits ? 0 : bit - SubBits + 1;
        return group * SubCount + (int)((value >> shift) & (SubCount - 1));
    }

    private static long LastValueOf(int bucket)
    {
        int group = bucket / SubCount;
        long sub = bucket % SubCount;
        return group == 0 ? sub : ((sub + SubCount + 1) << (group - 1)) - 1;
    }
}
