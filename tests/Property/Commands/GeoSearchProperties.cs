using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Commands;

/// <summary>Searches for places against a walk over all of them.</summary>
public sealed class GeoSearchProperties
{
    [Fact]
    public void ASearchFindsWhatAFullScanFinds() => Seeded.Run(2, seed =>
    {
        using var history = new GeoHistory(new Draws(seed));
        history.Steps(count: 400);
        Assert.True(history.FoundCount > 400);
    });

    [Fact]
    public void NoProgramFindsADifference() => Fuzzer.Run(programCount: 60, programSizeMax: 1_500, draws =>
    {
        using var history = new GeoHistory(draws);
        history.Steps(int.MaxValue);
    });
}
