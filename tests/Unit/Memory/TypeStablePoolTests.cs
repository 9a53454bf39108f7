using System;
using System.Collections.Generic;
using Cinnabar.Memory;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

public sealed unsafe class TypeStablePoolTests
{
    [Theory]
    [InlineData(false, 8704)]
    [InlineData(true, 8704)]
    [InlineData(false, 128)]
    [InlineData(true, 128)]
    [InlineData(false, 65536)]
    [InlineData(true, 65536)]
    [InlineData(false, 131072)]
    [InlineData(true, 131072)]
    public void BlocksAreAlignedApartAndGivenBack(bool isChecked, int blockSize)
    {
        using PageSource pages = new(isChecked);
        Quiescence quiescence = new(1);
        TypeStablePool pool = new(pages, (nuint)blockSize, quiescence);
        List<nint> blocks = [];
        for (int i = 0; i < 100; i++)
        {
            byte* block = pool.Take();
            Assert.Equal(0u, (nuint)block % 128);
            new Span<byte>(block, blockSize).Fill((byte)i);
            blocks.Add((nint)block);
        }
        Assert.Equal(100L * blockSize, pages.UsedBytes);
        for (int i = 0; i < 100; i++)
        {
            Assert.False(new ReadOnlySpan<byte>((byte*)blocks[i], blockSize).ContainsAnyExcept((byte)i));
            pool.Return((byte*)blocks[i]);
        }
        Assert.Equal(0, pages.UsedBytes);
        quiescence.Poll();
        quiescence.Poll();
        pool.Dispose();
        Assert.Equal(0, pages.MappedBytes);
        Assert.Empty(pages.LeakReport());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AReturnedBlockKeepsItsContentsAndIsNotReusedWhileALoopIsInside(bool isChecked)
    {
        using PageSource pages = new(isChecked);
        Quiescence quiescence = new(2);
        using TypeStablePool pool = new(pages, 1024, quiescence);
        byte* block = pool.Take();
        new Span<byte>(block, 1024).Fill(7);
        quiescence.Enter(1);
        pool.Return(block);
        for (int i = 0; i < 200; i++)
        {
            quiescence.Poll();
            Assert.True(pool.Take() != block);
        }
        Assert.False(new ReadOnlySpan<byte>(block, 1024).ContainsAnyExcept((byte)7));
        quiescence.Exit(1);
        quiescence.Poll();
        Assert.True(new ReadOnlySpan<byte>(block, 1024).ContainsAnyExcept((byte)7));
        if (!isChecked)
            Assert.True(pool.Take() == block);
    }

    [Fact]
    public void BlocksReturnedWhileOthersWaitFollowThem()
    {
        using PageSource pages = new(isChecked: false);
        Quiescence quiescence = new(1);
        using TypeStablePool pool = new(pages, 16384, quiescence);
        List<nint> blocks = [];
        for (int i = 0; i < 2000; i++)
            blocks.Add((nint)pool.Take());
        long mappedMost = pages.MappedBytes;
        for (int i = 0; i < 2000; i++)
        {
            quiescence.Enter(0);
            pool.Return((byte*)blocks[i]);
            quiescence.Poll();
            quiescence.Exit(0);
        }
        for (int i = 0; i < 3; i++)
            quiescence.Poll();
        Assert.InRange(pages.MappedBytes, 0, mappedMost / 4);
    }

    [Fact]
    public void DisposalGivesBackWhatStillWaitsAndALatePollDoesNothing()
    {
        using PageSource pages = new(isChecked: true);
        Quiescence quiescence = new(1);
        TypeStablePool pool = new(pages, 4096, quiescence);
        pool.Return(pool.Take());
        pool.Take();
        pool.Dispose();
        Assert.Equal(0, pages.MappedBytes);
        quiescence.Poll();
        Assert.Equal(["pool of 4096-byte blocks: 1 taken"], pages.LeakReport());
    }

    [Fact]
    public void AWritePastABlockIsFoundInCheckedMode()
    {
        using PageSource pages = new(isChecked: true);
        Quiescence quiescence = new(0);
        TypeStablePool pool = new(pages, 256, quiescence);
        byte* block = pool.Take();
        block[256] = 1;
        pool.Return(block);
        Assert.Throws<MemoryFaultException>(quiescence.Poll);
        pool.Dispose();
    }
}
