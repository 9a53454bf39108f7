using System;
using System.Linq;
using Cinnabar.Lab.Runner.Results;
using Xunit;

namespace Cinnabar.Tests.Lab.Runner;

/// <summary>Medians and spread.</summary>
public sealed class SpreadTests
{
    [Theory]
    [InlineData(new[] { 5.0 }, 5, 5, 5)]
    [InlineData(new[] { 9.0, 1, 5 }, 5, 1, 9)]
    [InlineData(new[] { 4.0, 1, 2, 9 }, 3, 1, 9)]
    [InlineData(new[] { -1.0, -3 }, -2, -3, -1)]
    public void TheMiddleAndTheEnds(double[] figures, double median, double low, double high) =>
        Assert.Equal(new Spread(median, low, high, figures.Length), Spread.Of(figures));

    [Fact]
    public void NoValuesHaveNoSpread() => Assert.Null(Spread.Of([]));

    [Fact]
    public void TheOrderOfRoundsDoesNotMatter()
    {
        var random = new Random(1);
        double[] figures = [.. Enumerable.Range(0, 21).Select(value => (double)value)];
        Spread? sorted = Spread.Of(figures);
        for (int time = 0; time < 20; time++)
        {
            random.Shuffle(figures);
            Assert.Equal(sorted, Spread.Of(figures));
        }
    }

    [Fact]
    public void HalfTheDistanceAsAPartOfTheMedian()
    {
        Assert.Equal(0.1, new Spread(10, 9, 11, 3).Relative, 9);
        Assert.Equal(0, new Spread(0, -1, 1, 3).Relative);
    }

    [Fact]
    public void HalfAndDoubleTogetherAreNoChange() => Assert.Equal(1, Spread.GeometricMean([0.5, 2]), 9);
}
