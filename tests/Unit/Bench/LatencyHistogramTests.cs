using System;
using System.Linq;
using Cinnabar.Bench.Load;
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
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(255)]
    [InlineData(256)]
    [InlineData(257)]
    [InlineData(1_000_003)]
    [InlineData(60_000_000_000)]
    [InlineData((1L << 43) - 1)]
    public void AValueComesBackWithinOnePartIn128(long value)
    {
        var histogram = new LatencyHistogram();
        histogram.Record(value);
        histogram.Record(long.MaxValue);
        Assert.InRange(histogram.PercentileNs(0.5), value, value + value / 128);
    }

    [Fact]
    public void TheMaximumIsExactAndNoPercentileIsPastIt()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(1_000_003, 5);
        Assert.Equal(1_000_003, histogram.MaxNs);
        Assert.Equal(1_000_003, histogram.PercentileNs(1));
        Assert.Equal(5, histogram.Count);
    }

    [Fact]
    public void WhatIsTooLongOrNegativeIsStillCounted()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(long.MaxValue);
        histogram.Record(-5);
        Assert.Equal(2, histogram.Count);
        Assert.Equal(0, histogram.PercentileNs(0.5));
        Assert.Equal(long.MaxValue, histogram.MaxNs);
    }

    [Theory]
    [InlineData(0.5)]
    [InlineData(0.99)]
    [InlineData(0.9999)]
    [InlineData(1)]
    public void PercentilesAgreeWithSorting(double share)
    {
        var random = new Random(7);
        long[] values = [.. Enumerable.Range(0, 50_000)
            .Select(_ => (long)Math.Exp(random.NextDouble() * 25))];
        var odd = new LatencyHistogram();
        var all = new LatencyHistogram();
        for (int index = 0; index < values.Length; index++)
            (index % 2 == 0 ? all : odd).Record(values[index]);
        all.Add(odd);
        Array.Sort(values);
        long wanted = values[(int)Math.Ceiling(share * values.Length) - 1];
        Assert.InRange(all.PercentileNs(share), wanted, wanted + wanted / 128);
        Assert.Equal(values.Length, all.Count);
    }
}
