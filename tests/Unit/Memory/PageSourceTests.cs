using System;
using Cinnabar.Memory;
using Cinnabar.Tests.Unit.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

public sealed unsafe class PageSourceTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void RegionsAskForHugePagesOnlyOnRequest(bool wantsHugePages)
    {
        using PageSource pages = new(isChecked: false, wantsHugePages);
        using Arena arena = new(pages, "test");
        string[] flags = Mappings.FlagsOf(arena.Allocate(100));
        Assert.SkipUnless(flags.Length > 0, "the system does not show a mapping's flags");
        Assert.Equal(wantsHugePages, flags.AsSpan().Contains("hg"));
    }

    // The process of the tests has a few dozens of mappings more or fewer at any time.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void FreedBlocksDoNotSplitMappings(bool isChecked)
    {
        const int BlockCount = 4000;
        const int Size = 70_000;
        Assert.SkipUnless(Mappings.Count() > 0, "the system does not show mappings");
        using PageSource pages = new(isChecked);
        using Arena arena = new(pages, "test");
        var blocks = new nint[BlockCount];
        for (int index = 0; index < BlockCount; index++)
            blocks[index] = (nint)arena.Allocate(Size);
        int before = Mappings.Count();
        for (int index = 0; index < BlockCount; index += 2)
            arena.Free((byte*)blocks[index], Size);
        arena.Trim();
        Assert.InRange(Mappings.Count(), 0, before + (BlockCount / 10));
        for (int index = 1; index < BlockCount; index += 2)
            arena.Free((byte*)blocks[index], Size);
        arena.Trim();
        Assert.Equal(0, pages.MappedBytes);
    }

    [Fact]
    public void PagesThatAreGivenBackHaveNoMemoryAndAreTakenAgain()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux shows which pages have memory");
        const int Size = 1 << 20;
        using PageSource pages = new(isChecked: false);
        byte* first = pages.TakePages(Size);
        byte* second = pages.TakePages(Size);
        new Span<byte>(first, Size).Fill(1);
        new Span<byte>(second, Size).Fill(2);
        Assert.Equal(2 * Size, pages.Measure().ActiveBytes);
        pages.GivePagesBack(first, Size);
        Assert.Equal(0, Mappings.PresentBytes((nint)first, Size));
        Assert.Equal(Size, Mappings.PresentBytes((nint)second, Size));
        Assert.Equal(Size, pages.Measure().ResidentBytes);
        Assert.True(first == pages.TakePages(Size / 2));
        Assert.False(new ReadOnlySpan<byte>(second, Size).ContainsAnyExcept((byte)2));
        Assert.Throws<MemoryFaultException>(() => pages.GivePagesBack(first + (Size / 2), Size / 2));
    }

    [Fact]
    public void AnyPartOfARunMayBeGivenBackAlone()
    {
        const int Size = 200 << 20;
        using PageSource pages = new(isChecked: false);
        byte* run = pages.TakePages(Size);
        long mapped = pages.MappedBytes;
        pages.GivePagesBack(run + (64 << 20), 64 << 20);
        Assert.Equal(Size - (64 << 20), pages.Measure().ActiveBytes);
        byte* inside = pages.TakePages(60 << 20);
        Assert.True(inside == run + (64 << 20));
        Assert.Equal(mapped, pages.MappedBytes);
        pages.GivePagesBack(run, 64 << 20);
        pages.GivePagesBack(run + (128 << 20), Size - (128 << 20));
        pages.GivePagesBack(inside, 60 << 20);
        Assert.Equal(0, pages.MappedBytes);
    }

    [Fact]
    public void RegionsThatTheSystemDoesNotUnmapAreUsedAgain()
    {
        using PageSource pages = new(isChecked: false) { KeepsAddresses = true };
        for (int round = 0; round < 3; round++)
        {
            using Arena arena = new(pages, "test");
            for (int index = 0; index < 300; index++)
                arena.Allocate(60_000);
            arena.Allocate(100 << 20);
            for (int index = 0; index < 300; index++)
                arena.Allocate(1 << 20);
            arena.Dispose();
            Assert.InRange(pages.MappedBytes, 1, 1L << 30);
        }

        // The pages of headers are all that has memory.
        Assert.Equal(0, pages.Measure().ActiveBytes);
        Assert.InRange(pages.Measure().ResidentBytes, 0, 300 * 4096);
    }
}
