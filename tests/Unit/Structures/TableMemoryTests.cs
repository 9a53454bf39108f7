using System;
using System.Collections.Generic;
using Cinnabar.Memory;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Tables;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures;

/// <summary>
/// Tables whose memory ends at every place where they take some. That nothing is left behind is what the
/// fixture checks at its end. SAFETY: an entry is freed only when no table leads to it any more.
/// </summary>
public sealed unsafe class TableMemoryTests
{
    private const int KeyCount = 30_000;
    private const int RefusedCountMax = 10;

    [Fact]
    public void ATableThatRunsOutOfMemoryWhileGrowingLosesNothing()
    {
        int refusedRounds = 0;
        for (int grants = 0; grants < 60; grants++)
            refusedRounds += Fill(grants) ? 1 : 0;
        Assert.True(refusedRounds > 30, $"memory ended in {refusedRounds} rounds only");
    }

    [Fact]
    public void ATableThatRunsOutOfMemoryWhileShrinkingStaysLarger()
    {
        using var fixture = new TableFixture();
        for (long key = 0; key < KeyCount; key++)
            fixture.Insert(key);
        fixture.Pages.GrantsLeft = 0;
        for (long key = 0; key < KeyCount; key += 100)
        {
            for (long other = key; other < key + 99; other++)
                Assert.True(fixture.Remove(other));
            fixture.Turn();
        }

        Assert.Null(fixture.FindFault());
        Assert.Null(fixture.Table.FindFault());
        long larger = fixture.Table.OverheadBytes;
        fixture.Pages.GrantsLeft = long.MaxValue;
        for (long key = 99; key < KeyCount; key += 100)
        {
            for (int times = 0; times < 20; times++)
            {
                Assert.True(fixture.Remove(key));
                fixture.Insert(key);
            }

            fixture.Turn();
        }

        Assert.Null(fixture.FindFault());
        Assert.Null(fixture.Table.FindFault());
        Assert.InRange(fixture.Table.OverheadBytes, 0, larger);
    }

    [Fact]
    public void ATableThatFindsNoMemoryForItsFirstSegmentTakesNothing()
    {
        using var pages = new PageSource(isChecked: true);
        var pool = new SegmentPool(pages, new Quiescence(0));
        pages.GrantsLeft = 0;
        byte* entry = KeyedEntry.Create("key"u8);
        List<SegmentTable<KeyedEntry>> tables = [];
        Assert.Throws<OutOfMemoryException>(() =>
        {
            for (int count = 0; count < 100_000; count++)
            {
                tables.Add(new SegmentTable<KeyedEntry>(pool, new HashSeed(1, 2)));
                tables[^1].Insert(7, entry);
            }
        });
        Assert.Equal((0, 0), (tables[^1].Count, tables[^1].OverheadBytes));
        pages.GrantsLeft = 10;
        tables[^1].Insert(7, entry);
        Assert.Equal(1, tables[^1].Count);
        foreach (SegmentTable<KeyedEntry> table in tables)
            table.Dispose();
        pool.Dispose();
        Assert.Empty(pages.LeakReport());
        KeyedEntry.Free(entry);
    }

    // A table that is allowed this much memory, some of it in the middle of its growth; then as much as it
    // wants.
    private static bool Fill(int grants)
    {
        using var fixture = new TableFixture((ulong)grants + 1);
        fixture.Pages.GrantsLeft = grants;
        int refusedCount = 0;
        for (long key = 0; key < KeyCount; key++)
        {
            if (fixture.TryInsert(key))
                continue;
            if (refusedCount++ % 5 == 0)
                Check(fixture, grants);
            if (refusedCount == RefusedCountMax)
                fixture.Pages.GrantsLeft = long.MaxValue;
        }

        Check(fixture, grants);
        Assert.Equal(KeyCount - refusedCount, fixture.Table.Count);
        return refusedCount > 0;
    }

    private static void Check(TableFixture fixture, int grants)
    {
        string? fault = fixture.Table.FindFault() ?? fixture.FindFault();
        Assert.True(fault is null, $"with {grants} grants: {fault}");
    }
}
