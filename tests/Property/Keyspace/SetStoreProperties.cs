using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>Sets in all encodings against HashSets.</summary>
public sealed class SetStoreProperties
{
    [Theory]
    [InlineData(3, 5, 40)]
    [InlineData(40, 20, 100)]
    [InlineData(512, 128, 1_500)]
    [InlineData(100_000, 100_000, 8_000)]
    public void AgreesWithHashSets(int intsetMax, int listpackMax, int memberCount) => Seeded.Run(1, seed =>
    {
        using var history = new SetHistory(seed, memberCount);
        history.Limits.SetIntsetEntriesMax = intsetMax;
        history.Limits.SetListpackEntriesMax = listpackMax;
        for (int step = 1; step <= 400; step++)
        {
            history.Step();
            if (step % 100 == 0)
                history.Verify();
        }
    });
}
