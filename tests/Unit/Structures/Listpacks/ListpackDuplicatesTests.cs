using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.Listpacks;

public sealed unsafe class ListpackDuplicatesTests
{
    // Under this one all texts of fewer than eight bytes have one hash of the cheap kind.
    private static readonly HashSeed s_useless = new(0, 0);

    [Theory]
    [InlineData(false, 1, "a", "b", "ab", "", "1", "11")]
    [InlineData(true, 1, "a", "b", "a")]
    [InlineData(true, 1, "", "b", "")]
    [InlineData(true, 1, "17", "b", "17")]
    [InlineData(false, 2, "a", "x", "b", "x", "c", "a")]
    [InlineData(true, 2, "a", "x", "b", "y", "a", "z")]
    [InlineData(true, 3, "a", "x", "0", "a", "y", "0")]
    public void TheFirstEntriesOfGroupsAreCompared(bool has, int stride, params string[] texts)
    {
        using var pack = new ListpackMemory(texts);
        Assert.Equal(has, ListpackDuplicates.Has(pack.Data, stride, new HashSeed(1, 2)));
        Assert.Equal(has, ListpackDuplicates.Has(pack.Data, stride, in s_useless));
    }

    [Fact]
    public void AsManyAsAListpackHoldsAreFound() => Seeded.Run(40, seed =>
    {
        var random = new RandomSource(seed);
        int count = 1 + (int)random.NextBelow(600);
        int digits = 1 + (int)random.NextBelow(40);
        string prefix = random.NextBelow(2) == 0 ? "" : "field:";
        List<string> texts = [.. Enumerable.Range(0, count).Select(index =>
            prefix + index.ToString($"D{digits}", CultureInfo.InvariantCulture))];
        var secret = new HashSeed(random.Next(), random.Next());
        Check(texts, false);
        texts.Insert((int)random.NextBelow((ulong)texts.Count), texts[(int)random.NextBelow((ulong)count)]);
        Check(texts, true);

        void Check(List<string> all, bool has)
        {
            using var pack = new ListpackMemory([.. all]);
            Assert.Equal(has, ListpackDuplicates.Has(pack.Data, 1, in secret));
            Assert.Equal(has, ListpackDuplicates.Has(pack.Data, 1, in s_useless));
        }
    });
}
