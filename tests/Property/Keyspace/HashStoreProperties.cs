using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>Hashes against dictionaries: conversions, snapshots, deadlines of fields, memory.</summary>
public sealed class HashStoreProperties
{
    [Theory]
    [InlineData(2, 12)]
    [InlineData(8, 40)]
    [InlineData(512, 3000)]
    public void AgreesWithDictionaries(int entriesMax, int fieldCount) => Seeded.Run(2, seed =>
    {
        using var history = new HashHistory(seed, entriesMax, fieldCount);
        for (int round = 0; round < 30; round++)
        {
            for (int step = 0; step < 300; step++)
                history.Step();
            history.Verify();
        }

        history.Housekeep();
        history.Verify();
        history.RemoveAll();
    });

    /// <summary>
    /// A field that gets a deadline far away and, again and again, one that is near leaves records behind;
    /// the compaction drops all but one of them.
    /// </summary>
    [Fact]
    public void TheIndexOfDeadlinesStaysSmall() => Seeded.Run(2, seed =>
    {
        using var history = new HashHistory(seed, 512, 10);
        var random = new RandomSource(seed);
        long farMs = history.NowMs + 1_000_000_000;
        for (int step = 0; step < 5_000; step++)
        {
            history.SetDeadline("far", farMs);
            history.SetDeadline("near", history.NowMs + 1 + (long)random.NextBelow(50));
            history.Advance((long)random.NextBelow(100));
            history.Housekeep();
        }

        history.Verify();
        Assert.InRange(history.RecordCount, 1, 3000);
        history.RemoveAll();
    });
}
