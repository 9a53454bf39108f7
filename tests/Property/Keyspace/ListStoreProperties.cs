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
        using var history = new ListHistory(seed, listpackSize, compressDepth, lengthMax);
        for (int step = 1; step <= 600; step++)
        {
            history.Step();
            if (step % 20 == 0)
                history.Verify();
        }
    });
}
