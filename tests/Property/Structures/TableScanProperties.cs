using System.Collections.Generic;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

/// <summary>What SCAN promises, while the table changes its shape between any two calls.</summary>
public unsafe class TableScanProperties
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(50)]
    [InlineData(900)]
    [InlineData(40_000)]
    public void EachEntryOfAnUnchangedTableIsVisitedOnce(int count)
    {
        using var fixture = new TableFixture();
        for (long key = 0; key < count; key++)
            fixture.Insert(key);
        var keys = new List<long>();
        var visitor = new CollectingVisitor(keys);
        ulong cursor = 0;
        do
        {
            ulong next = fixture.Table.Scan(cursor, ref visitor);
            Assert.True(next == 0 || next > cursor);
            cursor = next;
        }
        while (cursor != 0);
        keys.Sort();
        Assert.Equal(count, keys.Count);
        for (int index = 0; index < count; index++)
            Assert.Equal(index, keys[index]);
    }

    [Theory]
    [MemberData(nameof(SegmentTableProperties.Seeds), MemberType = typeof(SegmentTableProperties))]
    public void AScanVisitsEachStayingEntryOnce(ulong seed)
    {
        var random = new RandomSource(seed);
        for (int round = 0; round < 12; round++)
        {
            using var fixture = new TableFixture(random.Next());
            long nextKey = 0;
            long startCount = (long)random.NextBelow(1UL << (int)random.NextBelow(15)) + 1;
            while (nextKey < startCount)
                fixture.Insert(nextKey++);

            // The keys that stay: one in eight of the first ones.
            var staying = new HashSet<long>();
            foreach (long key in fixture.Keys)
            {
                if (random.NextBelow(8) == 0)
                    staying.Add(key);
            }

            string? fault = ScanWhileChanging(fixture, ref random, staying, nextKey);
            Assert.True(fault is null, $"seed {seed}, round {round}: {fault}");
        }
    }

    private static string? ScanWhileChanging(
        TableFixture fixture, ref RandomSource random, HashSet<long> staying, long nextKey)
    {
        var visits = new List<long>();
        var visitor = new CollectingVisitor(visits);
        var churn = new Churn { NextKey = nextKey };
        ulong cursor = 0;
        int target = 0;
        do
        {
            if (random.NextBelow(16) == 0)
                target = (int)random.NextBelow(1UL << (int)random.NextBelow(16));
            Drift(fixture, ref random, staying, target, churn);
            cursor = fixture.Table.Scan(cursor, ref visitor);
        }
        while (cursor != 0);

        var seen = new HashSet<long>();
        foreach (long key in visits)
        {
            if (!seen.Add(key))
                return $"key {key} was seen twice";
        }

        foreach (long key in staying)
        {
            if (!seen.Contains(key))
                return $"key {key} stayed and was not seen";
        }

        return fixture.Table.FindFault();
    }

    /// <summary>Goes a good way towards a count, so that depth changes within few calls.</summary>
    private static void Drift(TableFixture fixture, ref RandomSource random, HashSet<long> staying,
        int target, Churn churn)
    {
        for (int step = 0; step < 400; step++)
        {
            int count = fixture.Keys.Count;
            if (count < target)
            {
                fixture.Insert(churn.Next(ref random));
                continue;
            }

            if (count == 0)
                return;
            long key = fixture.Keys[(int)random.NextBelow((ulong)count)];
            if (staying.Contains(key))
                continue;
            fixture.Remove(key);
            churn.Removed.Add(key);
        }
    }

    [Fact]
    public void AnyCursorIsSafe()
    {
        using var fixture = new TableFixture();
        for (long key = 0; key < 5000; key++)
            fixture.Insert(key);
        var random = new RandomSource(1);
        var keys = new List<long>();
        var visitor = new CollectingVisitor(keys);
        for (int attempt = 0; attempt < 10_000; attempt++)
            fixture.Table.Scan(random.Next(), ref visitor);
        Assert.NotEmpty(keys);
    }

    // Keys that come: new ones, and ones that were there before.
    private sealed class Churn
    {
        public List<long> Removed { get; } = [];

        public long NextKey { get; set; }

        public long Next(ref RandomSource random)
        {
            if (Removed.Count == 0 || random.NextBelow(2) == 0)
                return NextKey++;
            int index = (int)random.NextBelow((ulong)Removed.Count);
            long key = Removed[index];
            Removed[index] = Removed[^1];
            Removed.RemoveAt(Removed.Count - 1);
            return key;
        }
    }
}
