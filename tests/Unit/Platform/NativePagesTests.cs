using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

public sealed unsafe class NativePagesTests
{
    [Fact]
    public void MappedPagesAreAlignedZeroedAndWritable()
    {
        foreach (nuint alignment in (nuint[])[NativePages.PageSize, 65536, 1 << 20, 4 << 20])
        {
            List<nint> mapped = [];
            for (int i = 0; i < 8; i++)
            {
                // An odd number of pages, so that the next mapping does not come to lie aligned by luck.
                nuint size = NativePages.PageSize * 33;
                byte* address = NativePages.Map(size, alignment);
                mapped.Add((nint)address);
                Assert.Equal(0u, (nuint)address % alignment);
                Span<byte> content = new(address, (int)size);
                Assert.False(content.ContainsAnyExcept((byte)0));
                content.Fill((byte)(i + 1));
            }
            for (int i = 0; i < mapped.Count; i++)
            {
                Assert.Equal(i + 1, *(byte*)mapped[i]);
                NativePages.Unmap((byte*)mapped[i], NativePages.PageSize * 33);
            }
        }
    }

    [Fact]
    public void DiscardedPagesHaveNoMemoryAndCanBeUsedAgain()
    {
        nuint page = NativePages.PageSize;
        byte* address = NativePages.Map(page * 4, page);
        new Span<byte>(address, (int)page * 4).Fill(5);
        NativePages.Discard(address + page, page * 2);
        Assert.Equal(5, address[page - 1]);
        // Only on Linux does discarded memory read as zeroes.
        bool isZero = !new ReadOnlySpan<byte>(address + page, (int)page * 2).ContainsAnyExcept((byte)0);
        Assert.True(isZero || !OperatingSystem.IsLinux());
        Assert.Equal(5, address[page * 3]);
        address[page] = 6;
        Assert.Equal(6, address[page]);
        NativePages.Unmap(address, page * 4);
    }

    // Where the system knows huge pages it says of each mapping whether it may have some: hg, nh.
    [Fact]
    public void HugePagesAreAskedFor()
    {
        const int Size = 4 << 20;
        byte* address = NativePages.Map(Size, Size);
        try
        {
            bool isTaken = NativePages.AdviseHuge(address, Size);
            string[] flags = Mappings.FlagsOf(address);
            Assert.SkipUnless(isTaken && flags.Length > 0, "the system has no huge pages, or hides them");
            Assert.Contains("hg", flags);
        }
        finally
        {
            NativePages.Unmap(address, Size);
        }
    }

    [Fact]
    public void WrongSizesAndAlignmentsAreRefused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => (nint)NativePages.Map(0, 4096));
        Assert.Throws<ArgumentOutOfRangeException>(() => (nint)NativePages.Map(100, 4096));
        Assert.Throws<ArgumentOutOfRangeException>(() => (nint)NativePages.Map(4096, 3000));
        Assert.Throws<OutOfMemoryException>(() => (nint)NativePages.Map((nuint)1 << 60, 4096));
    }

    [Fact]
    public void ResidentMemoryGrowsWithTouchedPages()
    {
        const int size = 256 << 20;
        using var memory = new ResidentMemory();
        byte* address = NativePages.Map(size, NativePages.PageSize);
        new Span<byte>(address, size).Fill(1);
        long touched = memory.Bytes;
        NativePages.Unmap(address, size);
        long unmapped = memory.Bytes;
        // Half of it: other tests run at the same time, and the system counts
        // loosely.
        Assert.InRange(touched - unmapped, size / 2, long.MaxValue);
        Assert.InRange(MemoryStatus.AvailableToProcessBytes, 1, MemoryStatus.SystemTotalBytes);
    }
}
