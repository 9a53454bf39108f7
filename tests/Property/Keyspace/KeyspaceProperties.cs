using Cinnabar.Keyspace;
using Cinnabar.Structures.Deadlines;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>The key space as a whole against dictionaries.</summary>
public sealed class KeyspaceProperties
{
    [Theory]
    [InlineData(1, 40)]
    [InlineData(4, 300)]
    [InlineData(16, 2000)]
    public void AgreesWithDictionaries(int stripeCount, int nameCount) => Seeded.Run(2, seed =>
    {
        using var fixture = new KeyspaceFixture(seed, stripeCount);
        var history = new KeyspaceHistory(fixture, seed, nameCount);
        for (int round = 0; round < 20; round++)
        {
            for (int step = 0; step < 400; step++)
                history.Step();
            fixture.Verify();
        }

        history.HousekeepToTheEnd();
        fixture.Verify();
        FlushAndCheckMemory(fixture, history);
    });

    [Fact]
    public void AllKeysAreReapedAtTheirDeadline() => Seeded.Run(2, seed =>
    {
        using var fixture = new KeyspaceFixture(seed, 4);
        var history = new KeyspaceHistory(fixture, seed, 100);
        for (int round = 0; round < 10; round++)
        {
            for (int step = 0; step < 800; step++)
                history.Step();
            fixture.Advance(round % 2 == 0 ? 1000 : 10_000_000_000_000);
            history.HousekeepToTheEnd();
            fixture.Verify();
        }

        FlushAndCheckMemory(fixture, history);
    });

    [Fact]
    public void CompactionsLoseNoDeadline() => Seeded.Run(2, seed =>
    {
        using var fixture = new KeyspaceFixture(seed, 1);
        var history = new KeyspaceHistory(fixture, seed, 100);
        DeadlineIndex deadlines = fixture.Space.Stripes[0].Deadlines;
        int passCount = 0;
        for (int step = 0; passCount < 3; step++)
        {
            bool wasDue = deadlines.IsCompactionDue;
            history.ChangeDeadlines();
            // The walk ends as a pass does: what it dropped wrongly has had no time to be written anew.
            passCount += wasDue && !deadlines.IsCompactionDue ? 1 : 0;
            Assert.True(deadlines.Count < 4000, $"{deadlines.Count} records of 300 keys");
            Assert.True(step < 50_000, "the index was not compacted");
        }

        fixture.Verify();
        fixture.Advance(10_000_000_000_000);
        history.HousekeepToTheEnd();
        fixture.Verify();
        Assert.Equal(0, deadlines.Count);
    });

    private static void FlushAndCheckMemory(KeyspaceFixture fixture, KeyspaceHistory history)
    {
        fixture.Access.Begin(0, fixture.NowMs);
        fixture.Access.Flush(-1);
        fixture.Access.Commit();
        fixture.Space.FreeDetached();
        foreach (DatabaseModel model in fixture.Models)
            model.Keys.Clear();
        Assert.Equal(0, fixture.UsedBytes());
        history.HousekeepToTheEnd();
        fixture.Verify();
        foreach (Stripe stripe in fixture.Space.Stripes)
            Assert.True(stripe.Deadlines.Count <= 1024 + stripe.Deadlines.StaleCount);
    }
}
