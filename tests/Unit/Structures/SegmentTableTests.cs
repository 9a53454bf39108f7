using System;
using System.Collections.Generic;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Tables;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures;

public unsafe class SegmentTableTests
{
    [Fact]
    public void AnEmptyTableAnswersEverythingAndOwnsNothing()
    {
        using var fixture = new TableFixture();
        var random = new RandomSource(1);
        var visitor = new CollectingVisitor([]);
        int index = 0;
        Assert.True(fixture.Find(1) == null);
        Assert.False(fixture.Remove(1));
        Assert.True(fixture.Table.FindByHash(1, ref index) == null);
        Assert.True(fixture.Table.Sample(ref random) == null);
        Assert.True(fixture.Table.DropSlice(1, ref visitor));
        fixture.Prefetch(1);
        Assert.Equal(0, fixture.Table.OverheadBytes);
        Assert.Equal(0, fixture.Table.Statistics().SegmentCount);
    }

    [Fact]
    public void AFewEntriesCostLessThanAKibibyte()
    {
        using var fixture = new TableFixture();
        for (long key = 0; key < 40; key++)
            fixture.Insert(key);
        Assert.InRange(fixture.Table.OverheadBytes, 1, 1023);
        Assert.Null(fixture.FindFault());
    }

    [Fact]
    public void GrowsToThousandsAndBackToNothing()
    {
        using var fixture = new TableFixture();
        for (long key = 0; key < 50_000; key++)
            fixture.Insert(key);
        Assert.Null(fixture.FindFault());
        Assert.Null(fixture.Table.FindFault());
        TableStatistics statistics = fixture.Table.Statistics();
        Assert.InRange(statistics.Load, 0.6, 0.95);
        Assert.InRange(fixture.Table.OverheadBytes / 50_000.0, 9, 14);

        for (long key = 0; key < 50_000; key++)
            Assert.True(fixture.Remove(key));
        Assert.Equal(0, fixture.Table.Count);
        Assert.InRange(fixture.Table.OverheadBytes, 0, 1023);
        fixture.Table.Dispose();
        Assert.Equal(0, fixture.Table.OverheadBytes);
    }

    [Fact]
    public unsafe void RunsMeetEveryEntryAndEndWhereTheyAreTold()
    {
        using var fixture = new TableFixture();
        var random = new RandomSource(5);
        foreach (long count in (long[])[0, 1, 3, 300, 20_000])
        {
            for (long key = fixture.Table.Count; key < count; key++)
                fixture.Insert(key);
            var all = new RunVisitor { WantedCount = long.MaxValue };
            fixture.Table.VisitRun(long.MaxValue, random.Next(), ref all);
            Assert.InRange(all.Count, count, 3 * count);
            Assert.Equal(count, all.Entries.Count);
            var some = new RunVisitor { WantedCount = 20 };
            fixture.Table.VisitRun(long.MaxValue, random.Next(), ref some);
            Assert.InRange(some.Count, Math.Min(20, count), 20);
            var few = new RunVisitor { WantedCount = long.MaxValue };
            fixture.Table.VisitRun(5, random.Next(), ref few);
            Assert.InRange(few.Count, Math.Min(5, count), 18);
        }
    }

    [Fact]
    public void ReplaceKeepsKeyAndPlace()
    {
        using var fixture = new TableFixture();
        for (long key = 0; key < 3000; key++)
            fixture.Insert(key);
        for (long key = 0; key < 3000; key++)
            fixture.Reallocate(key);
        Assert.Null(fixture.FindFault());
        Assert.Null(fixture.Table.FindFault());
    }

    [Fact]
    public void FindByHashReturnsEveryEntryOfThatHash()
    {
        using var fixture = new TableFixture();
        for (long key = 0; key < 20_000; key++)
            fixture.Insert(key);
        for (long key = 0; key < 20_000; key++)
        {
            int index = 0;
            int foundCount = 0;
            byte* entry;
            while ((entry = fixture.Table.FindByHash(fixture.Hash(key), ref index)) != null)
                foundCount += TableFixture.KeyOf(entry) == key ? 1 : 0;
            Assert.Equal(1, foundCount);
        }
    }

    [Fact]
    public void KeysWithEqualHashesAreDistinguished()
    {
        using var pages = new PageSource(isChecked: true);
        using var pool = new SegmentPool(pages, new Quiescence(0));
        using var table = new SegmentTable<KeyedEntry>(pool, new HashSeed(1, 2));
        byte* first = KeyedEntry.Create("first"u8);
        byte* second = KeyedEntry.Create("second"u8);
        table.Insert(42, first);
        table.Insert(42, second);
        int index = 0;
        Assert.True(table.Find(42, "first"u8) == first);
        Assert.True(table.Find(42, "second"u8) == second);
        Assert.True(table.Find(42, "third"u8) == null);
        Assert.True(table.FindByHash(42, ref index) == first);
        Assert.True(table.FindByHash(42, ref index) == second);
        Assert.True(table.FindByHash(42, ref index) == null);
        Assert.True(table.Remove(42, "first"u8) == first);
        Assert.True(table.Find(42, "second"u8) == second);
        KeyedEntry.Free(first);
        KeyedEntry.Free(second);
    }

    [Fact]
    public void AHashThatDoesNotSpreadIsRefused()
    {
        using var pages = new PageSource(isChecked: true);
        using var pool = new SegmentPool(pages, new Quiescence(0));
        using var table = new SegmentTable<ConstantHashEntry>(pool, new HashSeed(1, 2));
        byte* entry = KeyedEntry.Create("key"u8);
        int count = 0;
        Assert.Throws<InvalidOperationException>(() =>
        {
            while (count < 10_000)
            {
                table.Insert(7, entry);
                count++;
            }
        });
        Assert.Equal(count, table.Count);
        Assert.True(count >= 56, $"refused after {count}");
        Assert.Null(table.FindFault());
        for (int left = count; left > 0; left--)
            Assert.True(table.Remove(7, "key"u8) == entry, $"{left} entries are not found");
        Assert.Equal(0, table.Count);
        table.Insert(7, entry);
        Assert.True(table.Remove(7, "key"u8) == entry);
        KeyedEntry.Free(entry);
    }

    [Fact]
    public void DropHandsOutEveryEntryOnceInSlices()
    {
        using var fixture = new TableFixture();
        for (long key = 0; key < 30_000; key++)
            fixture.Insert(key);
        var keys = new List<long>();
        var visitor = new CollectingVisitor(keys);
        int last = 0;
        while (!fixture.Table.DropSlice(100, ref visitor))
        {
            Assert.InRange(keys.Count - last, 100, 114);
            Assert.Equal(30_000 - keys.Count, fixture.Table.Count);
            last = keys.Count;
        }

        keys.Sort();
        Assert.Equal(30_000, keys.Count);
        for (int index = 0; index < keys.Count; index++)
            Assert.Equal(index, keys[index]);
        foreach (long key in keys)
            fixture.Forget(key);
        Assert.Equal(0, fixture.Table.OverheadBytes);
        fixture.Insert(5);
        Assert.Null(fixture.FindFault());
    }

    [Fact]
    public void LookupsInsertionsAndRemovalsAllocateNothing()
    {
        using var fixture = new TableFixture();
        byte* entry = KeyedEntry.Create("some key"u8);
        SegmentTable<KeyedEntry> table = fixture.Table;
        ulong hash = SipHash.Hash("some key"u8, fixture.Seed);
        var random = new RandomSource(1);
        Exercise(table, hash, entry, ref random);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int round = 0; round < 100; round++)
        {
            Exercise(table, hash, entry, ref random);
            fixture.Prefetch(hash);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        KeyedEntry.Free(entry);
    }

    private static void Exercise(
        SegmentTable<KeyedEntry> table, ulong hash, byte* entry, ref RandomSource random)
    {
        table.Insert(hash, entry);
        table.Insert(~hash, entry);
        if (table.Find(hash, "some key"u8) != entry || table.Sample(ref random) != entry)
            throw new InvalidOperationException("not found");
        table.Remove(hash, "some key"u8);
        table.Remove(~hash, "some key"u8);
    }

    private struct RunVisitor() : IRunVisitor
    {
        public long WantedCount;
        public long Count;
        public System.Collections.Generic.HashSet<nint> Entries = [];

        public readonly bool WantsMore => Count < WantedCount;

        public unsafe void Visit(byte* entry)
        {
            Count++;
            Entries.Add((nint)entry);
        }
    }
}
