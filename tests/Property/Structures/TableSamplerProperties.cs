using Cinnabar.Platform;
using Cinnabar.Structures.Tables;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

/// <summary>Samples are uniform: chi-square over all entries, with fixed seeds, so it cannot fail by
/// chance.</summary>
public unsafe class TableSamplerProperties
{
    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 2)]
    [InlineData(30, 30)]
    [InlineData(700, 700)]
    [InlineData(1500, 1500)]
    [InlineData(5000, 5000)]
    [InlineData(5000, 40)]
    [InlineData(9000, 3000)]
    public void EveryEntryIsEquallyLikely(int insertedCount, int keptCount)
    {
        using var fixture = new TableFixture();
        for (long key = 0; key < insertedCount; key++)
            fixture.Insert(key);
        for (long key = keptCount; key < insertedCount; key++)
            fixture.Remove(key);
        AssertUniform(fixture, keptCount);
    }

    /// <summary>The case where a directory entry must be rejected: some segments are led to by
    /// several.</summary>
    [Fact]
    public void EveryEntryIsEquallyLikelyWhereDepthsDiffer()
    {
        using var fixture = new TableFixture();
        int count = 0;
        while (count < 4000 || !DepthsDiffer(fixture.Table.Statistics()))
            fixture.Insert(count++);
        AssertUniform(fixture, count);
    }

    private static bool DepthsDiffer(TableStatistics statistics) =>
        statistics.SegmentCount <= (1 << statistics.DirectoryDepth) * 3 / 4;

    private static void AssertUniform(TableFixture fixture, int keptCount)
    {
        var counts = new int[keptCount];
        var random = new RandomSource(7);
        const int PerEntry = 100;
        for (int draw = 0; draw < keptCount * PerEntry; draw++)
            counts[TableFixture.KeyOf(fixture.Table.Sample(ref random))]++;

        double chiSquare = 0;
        foreach (int count in counts)
            chiSquare += (double)(count - PerEntry) * (count - PerEntry) / PerEntry;

        // Mean k - 1, variance 2 (k - 1): five standard deviations.
        double freedom = keptCount - 1;
        double deviation = double.Sqrt(2 * freedom);
        Assert.InRange(chiSquare, freedom - 5 * deviation, freedom + 5 * deviation);
    }
}
