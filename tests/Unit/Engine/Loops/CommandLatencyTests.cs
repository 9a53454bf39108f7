using System;
using System.Collections.Generic;
using Cinnabar.Engine.Statistics;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

/// <summary>Histograms of commands' run times.</summary>
public sealed class CommandLatencyTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(5000)]
    public void PercentilesAreThoseOfTheSortedDurations(int count)
    {
        var random = new Random(count);
        var histogram = new LatencyHistogram();
        var other = new LatencyHistogram();
        List<long> sorted = [];
        for (int index = 0; index < count; index++)
        {
            long durationNs = (long)Math.Exp(random.NextDouble() * 30);
            (index % 2 == 0 ? histogram : other).Record(durationNs);
            sorted.Add(durationNs);
        }

        sorted.Sort();
        var sum = new LatencyHistogram();
        sum.Record(7, 3);
        sum.CopyFrom(histogram);
        sum.Add(other);
        Assert.Equal(count, sum.TotalCount);
        foreach (double percentile in (double[])[0, 0.1, 1, 25, 50, 75, 99, 99.9, 99.99, 100])
        {
            int rank = Math.Max(1, (int)Math.Ceiling(count * percentile / 100)) - 1;
            long wanted = count == 0
                ? 0 : LatencyHistogram.UpperBoundNs(LatencyHistogram.BucketOf(sorted[rank]));
            Assert.Equal(wanted, sum.PercentileNs(percentile, count));
        }
    }

    [Fact]
    public void AnEarlierStateIsTakenOff()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(100, 5);
        var earlier = new LatencyHistogram();
        earlier.CopyFrom(histogram);
        histogram.Record(3_000, 2);
        histogram.Subtract(earlier);
        Assert.Equal(2, histogram.TotalCount);
        Assert.InRange(histogram.PercentileNs(1, 2), 3_000, 3_200);
    }
}
