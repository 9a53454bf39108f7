using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Tests.Unit.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

/// <summary>A page source's figures match the system's.</summary>
public sealed unsafe class PageUseTests
{
    private const int RegionBytes = 4 << 20;

    // What is kept for the next blocks lies in regions that the test does not know.
    private const long KeptBytesMax = 6 << 20;

    [Theory]
    [InlineData(1_000)]
    [InlineData(50_000)]
    [InlineData(1_500_000)]
    public void PagesWithMemoryAreThoseThatTheSystemCounts(int count)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux shows which pages have memory");
        using PageSource pages = new(isChecked: false);
        using Arena arena = new(pages, "test");
        var random = new Random(count);
        var blocks = new List<(nint Block, nuint Size)>();
        for (int index = 0; index < count; index++)
            blocks.Add(Filled(arena, (nuint)random.Next(8, index % 100 == 0 ? 100_000 : 160)));
        Compare(pages, blocks);
        // One block stays in each quarter of a megabyte: most slabs lose their memory, no region goes.
        foreach ((nint block, nuint size) in FreeAllBut(blocks, 1 << 18))
            arena.Free((byte*)block, size);
        Compare(pages, blocks);
        for (int index = 0; index < count / 4; index++)
            blocks.Add(Filled(arena, (nuint)random.Next(8, 2_000)));
        Compare(pages, blocks);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void NothingIsLeftOfPagesWhenAllIsFree(bool isChecked)
    {
        using PageSource pages = new(isChecked);
        Assert.Equal(new PageUse(0, 0), pages.Measure());
        using (Arena arena = new(pages, "test"))
        {
            (nint small, nuint smallSize) = Filled(arena, 100);
            long page = (long)NativePages.PageSize;
            PageUse use = pages.Measure();
            Assert.Equal(isChecked ? use.ActiveBytes : page, use.ActiveBytes);
            Assert.InRange(use.ResidentBytes, use.ActiveBytes + 4096, use.ActiveBytes + (2 * page));
            (nint large, nuint largeSize) = Filled(arena, 1_000_000);
            long grown = pages.Measure().ActiveBytes - use.ActiveBytes;
            Assert.InRange(grown, (long)Arena.BlockSize(1_000_000), (long)Arena.BlockSize(1_000_000) + 65536);
            arena.Free((byte*)small, smallSize);
            arena.Free((byte*)large, largeSize);
            arena.Trim();
            Assert.Equal(0, pages.Measure().ActiveBytes);
        }

        Assert.Equal(new PageUse(0, 0), pages.Measure());
    }

    private static (nint Block, nuint Size) Filled(Arena arena, nuint size)
    {
        byte* block = arena.Allocate(size);
        new Span<byte>(block, (int)size).Fill(1);
        return ((nint)block, size);
    }

    // Removes from the list, and returns, all but the first block of each unit of addresses.
    private static List<(nint Block, nuint Size)> FreeAllBut(List<(nint Block, nuint Size)> blocks, nint unit)
    {
        var seen = new HashSet<nint>();
        ILookup<bool, (nint, nuint)> parts = blocks.ToLookup(one => seen.Add(one.Block / unit));
        blocks.Clear();
        blocks.AddRange(parts[true]);
        return [.. parts[false]];
    }

    private static void Compare(PageSource pages, List<(nint Block, nuint Size)> blocks)
    {
        PageUse use = pages.Measure();
        IEnumerable<(nint, long)> regions = blocks.Where(static one => one.Size <= 65536)
            .Select(static one => one.Block & ~(nint)(RegionBytes - 1)).Distinct()
            .Select(static address => (address, (long)RegionBytes));
        IEnumerable<(nint, long)> large = blocks.Where(static one => one.Size > 65536)
            .Select(static one => (one.Block, (long)Arena.BlockSize(one.Size)));
        long present = regions.Concat(large).Sum(static one => Mappings.PresentBytes(one.Item1, one.Item2));
        Assert.InRange(use.ResidentBytes, present * 0.97, present * 1.03 + KeptBytesMax);
        Assert.InRange(use.ActiveBytes, pages.UsedBytes, use.ResidentBytes);
    }
}
