using System;
using System.Collections.Generic;
using Cinnabar.Memory;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

public sealed unsafe class CheckedModeTests : IDisposable
{
    private readonly PageSource _pages = new(isChecked: true);

    public void Dispose() => _pages.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(88)]
    [InlineData(5000)]
    [InlineData(65536)]
    [InlineData(100_000)]
    public void AWritePastTheEndIsFoundWhenTheBlockIsFreed(int size)
    {
        Arena arena = new(_pages, "stripe 3");
        byte* block = arena.Allocate((nuint)size);
        block[Arena.BlockSize((nuint)size)] = 1;
        Exception fault = Assert.Throws<MemoryFaultException>(() => arena.Free(block, (nuint)size));
        Assert.Contains("stripe 3", fault.Message);
        Assert.Contains("written past its", fault.Message);
        arena.Dispose();
    }

    [Fact]
    public void AWriteBeforeTheStartIsFoundWhenTheBlockIsFreed()
    {
        Arena arena = new(_pages, "test");
        byte* block = arena.Allocate(88);
        block[-16] ^= 1;
        MemoryFaultException fault = Assert.Throws<MemoryFaultException>(() => arena.Free(block, 88));
        Assert.Contains("from below", fault.Message);
        arena.Dispose();
    }

    [Fact]
    public void ASecondFreeIsFound()
    {
        Arena arena = new(_pages, "test");
        byte* block = arena.Allocate(88);
        arena.Free(block, 88);
        MemoryFaultException fault = Assert.Throws<MemoryFaultException>(() => arena.Free(block, 88));
        Assert.Contains("freed twice", fault.Message);
        Assert.Equal(0, arena.BlockCount);
        arena.Dispose();
    }

    [Fact]
    public void AFreeWithAnotherSizeClassIsFoundAndWithAnotherSizeOfTheSameIsRight()
    {
        Arena arena = new(_pages, "test");
        byte* block = arena.Allocate(81);
        MemoryFaultException fault = Assert.Throws<MemoryFaultException>(() => arena.Free(block, 89));
        Assert.Contains("allocated with size class 88, freed with 96", fault.Message);
        arena.Free(block, 88);
        Assert.Equal(0, arena.UsedBytes);
        arena.Dispose();
    }

    [Fact]
    public void AWriteAfterTheFreeIsFoundWhenTheBlockLeavesQuarantine()
    {
        Arena arena = new(_pages, "stripe 9");
        byte* block = arena.Allocate(88);
        arena.Free(block, 88);
        block[40] = 1;
        MemoryFaultException fault = Assert.Throws<MemoryFaultException>(() => FreeMany(arena));
        Assert.Contains("stripe 9", fault.Message);
        Assert.Contains("after it was freed", fault.Message);
        arena.Dispose();
    }

    [Fact]
    public void AWriteAfterTheFreeIsFoundByDisposalWhichStillGivesEveryByteBack()
    {
        Arena arena = new(_pages, "test");
        byte* block = arena.Allocate(88);
        arena.Free(block, 88);
        block[87] = 1;
        Assert.Throws<MemoryFaultException>(arena.Dispose);
        Assert.Equal(0, _pages.MappedBytes);
    }

    [Fact]
    public void FreshAndFreedBlocksArePoisoned()
    {
        using Arena arena = new(_pages, "test");
        byte* block = arena.Allocate(88);
        Assert.False(new ReadOnlySpan<byte>(block, 88).ContainsAnyExcept((byte)0xCD));
        new Span<byte>(block, 88).Clear();
        arena.Free(block, 88);
        Assert.False(new ReadOnlySpan<byte>(block, 88).ContainsAnyExcept((byte)0xDD));
    }

    [Fact]
    public void AFreedBlockIsNotReusedSoon()
    {
        using Arena arena = new(_pages, "test");
        byte* block = arena.Allocate(88);
        arena.Free(block, 88);
        for (int i = 0; i < 500; i++)
        {
            byte* other = arena.Allocate(88);
            Assert.True(other != block);
            arena.Free(other, 88);
        }
    }

    [Fact]
    public void TheLeakReportCountsByOwnerAndSize()
    {
        using Arena first = new(_pages, "first");
        using Arena second = new(_pages, "second");
        first.Allocate(10);
        first.Allocate(16);
        byte* large = first.Allocate(70_000);
        second.Allocate(1);
        Assert.Equal(
            ["first: 2 blocks of 16 bytes", "first: 1 blocks of 73728 bytes", "second: 1 blocks of 8 bytes"],
            _pages.LeakReport());
        first.Free(large, 70_000);
        Assert.Equal(2, _pages.LeakReport().Length);
    }

    private static void FreeMany(Arena arena)
    {
        List<nint> blocks = [];
        for (int i = 0; i < 2000; i++)
            blocks.Add((nint)arena.Allocate(24));
        foreach (nint block in blocks)
            arena.Free((byte*)block, 24);
    }
}
