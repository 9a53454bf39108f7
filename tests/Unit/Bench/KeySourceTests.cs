using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Load.Requests;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

/// <summary>What the patterns draw, with fixed seeds.</summary>
public sealed class KeySourceTests
{
    private const int DrawCount = 100_000;

    [Fact]
    public void RandomKeysCoverTheRangeEvenly()
    {
        long[] keys = Draw(new KeySpace { Minimum = 10, Maximum = 19 }, KeyPattern.Random);
        Assert.Equal((10, 19), (keys.Min(), keys.Max()));
        foreach (IGrouping<long, long> key in keys.GroupBy(key => key))
            Assert.InRange(key.Count(), DrawCount / 10 * 0.95, DrawCount / 10 * 1.05);
    }

    [Fact]
    public void SequentialKeysGoRoundForEachClient()
    {
        var space = new KeySpace { Minimum = 5, Maximum = 8 };
        foreach (int client in new[] { 0, 1 })
        {
            var source = new KeySource(space, KeyPattern.Sequential, client, 2);
            Assert.Equal([5, 6, 7, 8, 5, 6], Take(ref source, 6));
        }
    }

    [Theory]
    [InlineData(10, 3)]
    [InlineData(1000, 7)]
    [InlineData(4, 4)]
    public void ParallelClientsShareTheKeysOut(int count, int clientCount)
    {
        var seen = new List<long>();
        for (int client = 0; client < clientCount; client++)
        {
            var space = new KeySpace { Minimum = 100, Maximum = 99 + count };
            var source = new KeySource(space, KeyPattern.Parallel, client, clientCount);
            long share = KeySource.Share(count, client + 1, clientCount)
                - KeySource.Share(count, client, clientCount);
            seen.AddRange(Take(ref source, (int)share));
        }
        Assert.Equal(Enumerable.Range(100, count).Select(key => (long)key), seen);
    }

    [Fact]
    public void AClientWithoutAKeyOfItsOwnTakesTheFirst()
    {
        var source = new KeySource(new KeySpace { Minimum = 7, Maximum = 7 }, KeyPattern.Parallel, 0, 5);
        Assert.Equal([7, 7], Take(ref source, 2));
    }

    [Fact]
    public void GaussianKeysLieAroundTheMedian()
    {
        var space = new KeySpace { Maximum = 9999, Median = 3000, StandardDeviation = 500 };
        long[] keys = Draw(space, KeyPattern.Gaussian);
        double mean = keys.Average();
        Assert.InRange(mean, 2990, 3010);
        Assert.InRange(Math.Sqrt(keys.Average(key => (key - mean) * (key - mean))), 490, 510);
        Assert.InRange(keys.Count(key => Math.Abs(key - 3000) <= 500) / (double)DrawCount, 0.67, 0.70);
    }

    [Fact]
    public void GaussianKeysStayWithinTheRange()
    {
        var space = new KeySpace { Minimum = 10, Maximum = 20, Median = 10, StandardDeviation = 100 };
        long[] keys = Draw(space, KeyPattern.Gaussian);
        Assert.Equal((10, 20), (keys.Min(), keys.Max()));
    }

    [Theory]
    [InlineData(0.5)]
    [InlineData(0.99)]
    [InlineData(1)]
    [InlineData(1.5)]
    [InlineData(3)]
    public void ZipfianKeysFollowTheirLaw(double exponent)
    {
        const int count = 1000;
        long[] keys = Draw(new KeySpace { Minimum = 1, Maximum = count, ZipfExponent = exponent },
            KeyPattern.Zipfian);
        Assert.Equal(1, keys.Min());
        Assert.True(keys.Max() <= count);
        double sum = Enumerable.Range(1, count).Sum(rank => Math.Pow(rank, -exponent));
        foreach (int rank in new[] { 1, 2, 3, 10 })
        {
            double wanted = Math.Pow(rank, -exponent) / sum;
            // Five standard deviations of the share of so many draws.
            double tolerance = 5 * Math.Sqrt(wanted / DrawCount);
            Assert.InRange(keys.Count(key => key == rank) / (double)DrawCount, wanted - tolerance,
                wanted + tolerance);
        }
        int[] tenths = [.. Enumerable.Range(0, 10)
            .Select(tenth => keys.Count(key => (key - 1) / (count / 10) == tenth))];
        Assert.Equal(tenths.OrderDescending(), tenths);
    }

    [Fact]
    public void ZipfianKeysReachFarRanksOfAHugeRange()
    {
        long[] keys = Draw(new KeySpace { Maximum = 999_999_999, ZipfExponent = 0.9 }, KeyPattern.Zipfian);
        Assert.Contains(keys, key => key > 500_000_000);
        Assert.Contains(0L, keys);
    }

    private static long[] Draw(KeySpace space, KeyPattern pattern)
    {
        var source = new KeySource(space, pattern, 0, 1);
        return Take(ref source, DrawCount);
    }

    private static long[] Take(ref KeySource source, int count)
    {
        var random = new RandomSource(42);
        var keys = new long[count];
        for (int index = 0; index < count; index++) keys[index] = source.Next(ref random);
        return keys;
    }
}
