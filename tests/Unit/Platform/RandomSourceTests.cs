using System;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

public sealed class RandomSourceTests
{
    [Fact]
    public void ASeedDecidesTheSequence()
    {
        RandomSource first = new(42);
        RandomSource second = new(42);
        RandomSource other = new(43);
        bool differs = false;
        for (int i = 0; i < 100; i++)
        {
            ulong value = first.Next();
            Assert.Equal(value, second.Next());
            differs |= value != other.Next();
        }
        Assert.True(differs);
    }

    // Worked out with an independent implementation of splitmix64 and xoshiro256** (seed 0).
    [Fact]
    public void TheSequenceIsThatOfThePublishedAlgorithm()
    {
        RandomSource random = new(0);
        ulong[] expected = [
            0x99EC5F36CB75F2B4, 0xBF6E1F784956452A, 0x1A5F849D4933E6E0, 0x6AA594F1262D2D2C,
        ];
        foreach (ulong value in expected)
            Assert.Equal(value, random.Next());
    }

    [Fact]
    public void BoundedNumbersFillTheirRangeEvenly()
    {
        RandomSource random = new(1);
        int[] counts = new int[10];
        for (int i = 0; i < 100_000; i++)
            counts[random.NextBelow(10)]++;
        Assert.All(counts, static count => Assert.InRange(count, 9_500, 10_500));
        Assert.Equal(0ul, random.NextBelow(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => new RandomSource(1).NextBelow(0));
    }

    // 3 << 62 is where taking remainders would favour the lower third.
    [Fact]
    public void HugeBoundsAreNotBiased()
    {
        RandomSource random = new(2);
        const ulong bound = 3ul << 62;
        int low = 0;
        for (int i = 0; i < 30_000; i++)
        {
            ulong value = random.NextBelow(bound);
            Assert.InRange(value, 0ul, bound - 1);
            if (value < bound / 3)
                low++;
        }
        Assert.InRange(low, 9_500, 10_500);
    }

    [Fact]
    public void DoublesLieBetweenZeroAndOne()
    {
        RandomSource random = new(3);
        double sum = 0;
        for (int i = 0; i < 10_000; i++)
        {
            double value = random.NextDouble();
            Assert.InRange(value, 0, 0.9999999999999999);
            sum += value;
        }
        Assert.InRange(sum / 10_000, 0.48, 0.52);
    }

    [Fact]
    public void SystemSeedsDiffer() => Assert.NotEqual(RandomSource.SystemSeed(), RandomSource.SystemSeed());
}
