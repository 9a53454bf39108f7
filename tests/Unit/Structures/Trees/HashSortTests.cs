using System;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashes;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.Trees;

public sealed class HashSortTests
{
    [Fact]
    public void SortsAsTheLibraryDoes() => Seeded.Run(300, seed =>
    {
        var random = new RandomSource(seed);
        ulong[] hashes = new ulong[random.NextBelow(600)];
        // Sometimes all different, sometimes nearly all equal.
        ulong bound = random.NextBelow(3) switch { 0 => ulong.MaxValue, 1 => 100, _ => 3 };
        for (int at = 0; at < hashes.Length; at++)
            hashes[at] = random.NextBelow(bound);
        int[] indexes = [.. Enumerable.Range(0, hashes.Length)];
        ulong[] sorted = [.. hashes];
        HashSort.Sort(sorted, indexes);
        Assert.Equal(hashes.Order(), sorted);
        Assert.Equal(sorted, indexes.Select(index => hashes[index]));
        Assert.Equal(Enumerable.Range(0, hashes.Length), indexes.Order());
    });

    [Fact]
    public void SortsTheLeast() => Seeded.Run(300, seed =>
    {
        var random = new RandomSource(seed);
        ulong[] hashes = new ulong[random.NextBelow(600)];
        ulong bound = random.NextBelow(2) == 0 ? ulong.MaxValue : 5;
        for (int at = 0; at < hashes.Length; at++)
            hashes[at] = random.NextBelow(bound);
        int count = (int)random.NextBelow((ulong)hashes.Length + 1);
        int[] indexes = [.. Enumerable.Range(0, hashes.Length)];
        ulong[] sorted = [.. hashes];
        HashSort.SortLeast(sorted, indexes, count);
        Assert.Equal(hashes.Order().Take(count), sorted.Take(count));
        Assert.Equal(hashes.Order(), sorted.Order());
        Assert.Equal(sorted, indexes.Select(index => hashes[index]));
        Assert.Equal(Enumerable.Range(0, hashes.Length), indexes.Order());
    });
}
