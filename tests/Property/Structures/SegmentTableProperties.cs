using System;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

/// <summary>Long random histories against a dictionary. CINNABAR_SEED replays one.</summary>
public unsafe class SegmentTableProperties
{
    /// <summary>Fixed seeds, and a new one each run unless the environment names it.</summary>
    public static TheoryData<ulong> Seeds
    {
        get
        {
            string? seed = Environment.GetEnvironmentVariable("CINNABAR_SEED");
            return seed is null ? [1, 2, Seeded.Seed()] : [ulong.Parse(seed)];
        }
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void AgreesWithADictionary(ulong seed)
    {
        using var fixture = new TableFixture(seed);
        var random = new RandomSource(seed);
        long nextKey = 0;
        for (int phase = 0; phase < 24; phase++)
        {
            // Each phase draws towards a count of its own: growth, shrinking and churn in turns.
            int target = (int)random.NextBelow(1UL << (int)random.NextBelow(16));
            for (int operation = 0; operation < 6000; operation++)
                Operate(fixture, ref random, target, ref nextKey);
            fixture.Turn();
            Assert.True(fixture.FindFault() is null, $"seed {seed}: {fixture.FindFault()}");
            Assert.True(fixture.Table.FindFault() is null, $"seed {seed}: {fixture.Table.FindFault()}");
        }
    }

    private static void Operate(TableFixture fixture, ref RandomSource random, int target, ref long nextKey)
    {
        int count = fixture.Keys.Count;
        bool isInsert = random.NextBelow(8) < (count < target ? 7u : 1u);
        if (isInsert || count == 0)
        {
            fixture.Insert(nextKey++);
            return;
        }

        long key = fixture.Keys[(int)random.NextBelow((ulong)count)];
        switch (random.NextBelow(8))
        {
            case 0:
                fixture.Reallocate(key);
                break;
            case 1:
                long absent = -1 - (long)(random.Next() >> 1);
                Assert.True(fixture.Find(absent) == null);
                Assert.False(fixture.Remove(absent));
                break;
            default:
                Assert.True(fixture.Remove(key));
                break;
        }
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void BytesPerKeyStayFlatOverTheFillCycle(ulong seed)
    {
        using var fixture = new TableFixture(seed);
        for (long key = 0; key < 120_000; key++)
        {
            fixture.Insert(key);
            if (key >= 30_000 && key % 1000 == 0)
                Assert.InRange(fixture.Table.OverheadBytes / (double)key, 9.5, 13.5);
        }
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public void BytesPerKeyStayBoundedUnderChurnAndRemoval(ulong seed)
    {
        using var fixture = new TableFixture(seed);
        var random = new RandomSource(seed);
        long nextKey = 0;
        for (; nextKey < 40_000; nextKey++)
            fixture.Insert(nextKey);
        for (int round = 0; round < 120_000; round++)
        {
            fixture.Remove(fixture.Keys[(int)random.NextBelow((ulong)fixture.Keys.Count)]);
            fixture.Insert(nextKey++);
        }

        Assert.InRange(fixture.Table.OverheadBytes / 40_000.0, 9, 14);
        while (fixture.Keys.Count > 10)
        {
            fixture.Remove(fixture.Keys[(int)random.NextBelow((ulong)fixture.Keys.Count)]);
            if (fixture.Keys.Count % 1000 == 0 && fixture.Keys.Count > 0)
                Assert.InRange(fixture.Table.OverheadBytes / (double)fixture.Keys.Count, 9, 26);
        }

        Assert.Null(fixture.Table.FindFault());
        Assert.InRange(fixture.Table.OverheadBytes, 1, 4096);
    }
}
