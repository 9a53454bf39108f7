using Cinnabar.Platform;
using Cinnabar.Tests.Property.Fuzzing;
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
        using var history = new HashHistory(new Draws(seed), entriesMax, fieldCount);
        history.Steps(count: 9_000, distance: 300);
        history.Housekeep();
        history.Verify();
        history.RemoveAll();
    });

    /// <summary>Fields with deadlines in each encoding, while time goes on.</summary>
    [Theory]
    [InlineData(4, 10)]
    [InlineData(12, 60)]
    public void NoProgramFindsADifference(int entriesMax, int fieldCount) =>
        Fuzzer.Run(programCount: 150, programSizeMax: 3_000, draws =>
        {
            using var history = new HashHistory(draws, entriesMax, fieldCount);
            history.Steps(int.MaxValue, distance: 8);
            history.Housekeep();
            history.RemoveAll();
        });

    /// <summary>
    /// A field that gets a deadline far away and, again and again, one that is near leaves records behind;
    /// the compaction drops all but one of them.
    /// </summary>
    [Fact]
    public void TheIndexOfDeadlinesStaysSmall() => Seeded.Run(2, seed =>
    {
        using var history = new HashHistory(new Draws(seed), 512, 10);
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
