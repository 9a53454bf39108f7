using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>Sorted sets in a key space against dictionaries.</summary>
public sealed class SortedSetStoreProperties
{
    [Fact]
    public void ActsLikeADictionaryWhileEncodingsChangeAndCopiesAreHeld() => Seeded.Run(8, seed =>
    {
        using var history = new SortedSetHistory(new Draws(seed));
        history.Steps(count: 500, distance: 10);
    });

    [Fact]
    public void NoProgramFindsADifference() => Fuzzer.Run(programCount: 150, programSizeMax: 2_000, draws =>
    {
        using var history = new SortedSetHistory(draws);
        history.Steps(int.MaxValue, distance: 8);
    });
}
