using System;
using System.Linq;
using Cinnabar.Load;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class LatencyHistogramTests
{
    [Fact]
    public void AnEmptyOneAnswersZero()
    {
        var histogram = new LatencyHistogram();
        Assert.Equal(0, histogram.Count);
        Assert.Equal(0, histogram.PercentileNs(0.5));
        Assert.Equal(0, histogram.MaxNs);
        Assert.Equal(0, histogram.MeanNs);
        Assert.Empty(histogram.Buckets());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(1023)]
    [InlineData(1024)]
    [InlineData(2047)]
    [InlineData(2048)]
    [InlineData(2049)]
    [InlineData(1_000_003)]
    [InlineData(3_600_000_000_000)]
    [InlineData((1L << 43) - 1)]
    public void AValueComesBackWithThreeDigits(long value)
    {
        var histogram = new LatencyHistogram();
        histogram.Record(value);
        histogram.Record(long.MaxValue);
        Assert.InRange(histogram.PercentileNs(0.5), value, value + value / 1024);
    }

    [Fact]
    public void TheMaximumIsExactAndNoPercentileIsPastIt()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(1_000_003, 5);
        Assert.Equal(1_000_003, histogram.MaxNs);
        Assert.Equal(1_000_003, histogram.PercentileNs(1));
        Assert.Equal(5, histogram.Count);
        Assert.Equal((1_000_003, 5), Assert.Single(histogram.Buckets()));
    }

    [Fact]
    public void TooLongAndNegativeDurationsAreCounted()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(long.MaxValue);
        histogram.Record(-5);
        Assert.Equal(2, histogram.Count);
        Assert.Equal(0, histogram.PercentileNs(0.5));
        Assert.Equal(long.MaxValue, histogram.MaxNs);
        Assert.Equal(1, histogram.CountFrom((1L << 43) - 1));
    }

    [Theory]
    [InlineData(1, 0.5)]
    [InlineData(2, 0.9)]
    [InlineData(3, 0.99)]
    [InlineData(4, 0.9999)]
    [InlineData(5, 1)]
    public void AgreesWithSortingAlsoWhenMerged(int seed, double share)
    {
        var random = new Random(seed);
        long[] values = [.. Enumerable.Range(0, 50_000)
            .Select(_ => (long)Math.Exp(random.NextDouble() * 25))];
        var parts = new[] { new LatencyHistogram(), new LatencyHistogram(), new LatencyHistogram() };
        for (int index = 0; index < values.Length; index++) parts[index % 3].Record(values[index]);
        LatencyHistogram all = parts[0];
        all.Add(parts[1]);
        all.Add(parts[2]);
        Array.Sort(values);
        long wanted = values[(int)Math.Ceiling(share * values.Length) - 1];
        Assert.InRange(all.PercentileNs(share), wanted, wanted + wanted / 1024);
        Assert.Equal(values.Length, all.Count);
        Assert.Equal(values[^1], all.MaxNs);
        Assert.Equal(values.Average(), all.MeanNs, values.Average() * 1e-9);
        Assert.Equal(values.Length, all.Buckets().Sum(bucket => bucket.Times));
        long border = values[values.Length / 2];
        int above = values.Count(value => value >= border);
        Assert.InRange(all.CountFrom(border), above, above + values.Count(value =>
            value < border && value > border - border / 512));
    }
}
