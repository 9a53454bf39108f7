using Cinnabar.Keyspace;
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
    public void AllKeysAreReapedWhenTheirTimeHasCome() => Seeded.Run(2, seed =>
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
