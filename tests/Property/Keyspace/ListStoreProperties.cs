using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>Lists in both encodings, on their way between them, against Lists.</summary>
public sealed class ListStoreProperties
{
    [Theory]
    [InlineData(4, 0, 20)]
    [InlineData(-1, 0, 400)]
    [InlineData(-2, 0, 1_500)]
    [InlineData(8, 1, 200)]
    [InlineData(-1, 2, 1_500)]
    public void AgreesWithLists(int listpackSize, int compressDepth, int lengthMax) => Seeded.Run(1, seed =>
    {
        using var history = new ListHistory(new Draws(seed), listpackSize, compressDepth, lengthMax);
        history.Steps(count: 600, distance: 20);
    });

    [Fact]
    public void NoProgramFindsADifference() => Fuzzer.Run(programCount: 150, programSizeMax: 2_000, draws =>
    {
        using var history = new ListHistory(draws, listpackSize: 3, compressDepth: 1, lengthMax: 30);
        history.Steps(int.MaxValue, distance: 8);
    });
}
