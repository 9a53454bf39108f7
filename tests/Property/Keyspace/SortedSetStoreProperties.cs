using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>Sorted sets in a key space against dictionaries.</summary>
public sealed class SortedSetStoreProperties
{
    [Fact]
    public void ActsLikeADictionaryWhileEncodingsChangeAndCopiesAreHeld() => Seeded.Run(8, seed =>
    {
        using var history = new SortedSetHistory(seed);
        for (int step = 0; step < 500; step++)
        {
            history.Step();
            if (step % 10 == 0)
                history.Verify();
        }

        history.Verify();
    });
}
