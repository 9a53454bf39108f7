using Cinnabar.Tests.Property.Fuzzing;
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
        using var history = new SetHistory(new Draws(seed), memberCount);
        history.Limits.SetIntsetEntriesMax = intsetMax;
        history.Limits.SetListpackEntriesMax = listpackMax;
        history.Steps(count: 400, distance: 100);
    });

    [Fact]
    public void NoProgramFindsADifference() => Fuzzer.Run(programCount: 150, programSizeMax: 2_000, draws =>
    {
        using var history = new SetHistory(draws, memberCount: 40);
        history.Limits.SetIntsetEntriesMax = 4;
        history.Limits.SetListpackEntriesMax = 8;
        history.Steps(int.MaxValue, distance: 8);
    });
}
