using System;
using System.Threading;
using Cinnabar.Memory;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

public sealed unsafe class SharedBlockTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void BlocksHaveTheCapacityAskedForAndGoBackWithTheLastRelease(bool isChecked)
    {
        using PageSource pages = new(isChecked);
        SharedBlockPool pool = new(pages);
        int[] capacities = [0, 1, 4032, 4033, 16384, 60_000, 65536, 1_000_000, 1_048_576, 5_000_000];
        foreach (int capacity in capacities)
        {
            SharedBlock* block = SharedBlock.Create(pool, capacity);
            Assert.InRange(block->Capacity, capacity, int.MaxValue);
            new Span<byte>(block->Data, block->Capacity).Fill(3);
            Assert.InRange(pages.UsedBytes, capacity, long.MaxValue);
            block->Retain();
            block->Release();
            Assert.NotEmpty(pages.LeakReport());
            block->Release();
            Assert.Equal(0, pages.UsedBytes);
        }
        Assert.Empty(pages.LeakReport());
        pool.Dispose();
        Assert.Equal(0, pages.MappedBytes);
    }

    [Fact]
    public void CapacitiesLessTheHeaderFillABinExactly()
    {
        using PageSource pages = new(isChecked: false);
        using SharedBlockPool pool = new(pages);
        foreach (int size in (int[])[4096, 16384, 65536, 1048576])
        {
            SharedBlock* block = SharedBlock.Create(pool, size - SharedBlock.HeaderBytes);
            Assert.Equal(size - SharedBlock.HeaderBytes, block->Capacity);
            Assert.Equal(size, pages.UsedBytes);
            block->Release();
        }
    }

    [Fact]
    public void ABlockMayOutliveThePoolsDisposal()
    {
        using PageSource pages = new(isChecked: false);
        SharedBlockPool pool = new(pages);
        SharedBlock* small = SharedBlock.Create(pool, 100);
        SharedBlock* large = SharedBlock.Create(pool, 3_000_000);
        pool.Dispose();
        Assert.Throws<ObjectDisposedException>(() => (nint)SharedBlock.Create(pool, 1));
        small->Data[99] = 1;
        large->Data[2_999_999] = 1;
        Assert.Equal(2, pages.LeakReport().Length);
        small->Release();
        large->Release();
        Assert.Equal(0, pages.MappedBytes);
        Assert.Empty(pages.LeakReport());
    }

    [Fact]
    public void OneReleaseTooManyIsFound()
    {
        using PageSource pages = new(isChecked: false);
        using SharedBlockPool pool = new(pages);
        SharedBlock* other = SharedBlock.Create(pool, 100);
        SharedBlock* block = SharedBlock.Create(pool, 100);
        block->Release();
        Assert.Throws<MemoryFaultException>(() => block->Release());
        other->Release();
    }

    [Fact]
    public void AWritePastTheDataIsFoundInCheckedMode()
    {
        using PageSource pages = new(isChecked: true);
        using SharedBlockPool pool = new(pages);
        SharedBlock* block = SharedBlock.Create(pool, 100);
        block->Data[block->Capacity] = 1;
        Assert.Throws<MemoryFaultException>(() => block->Release());
    }

    [Fact]
    public void ThreadsShareABlockAndTheLastOneGivesItBack()
    {
        const int threadCount = 4;
        const int rounds = 500;
        using PageSource pages = new(isChecked: true);
        SharedBlockPool pool = new(pages);
        int wrongBytes = 0;
        nint current = 0;
        using Barrier barrier = new(threadCount, _ =>
        {
            SharedBlock* block = SharedBlock.Create(pool, 1000);
            new Span<byte>(block->Data, 1000).Fill(9);
            for (int i = 1; i < threadCount; i++)
                block->Retain();
            current = (nint)block;
        });
        Thread[] threads = new Thread[threadCount];
        for (int i = 0; i < threadCount; i++)
        {
            threads[i] = new Thread(() =>
            {
                for (int round = 0; round < rounds; round++)
                {
                    barrier.SignalAndWait();
                    SharedBlock* block = (SharedBlock*)current;
                    if (new ReadOnlySpan<byte>(block->Data, 1000).ContainsAnyExcept((byte)9))
                        Interlocked.Increment(ref wrongBytes);
                    block->Release();
                }
            });
            threads[i].Start();
        }
        foreach (Thread thread in threads)
            thread.Join();
        Assert.Equal(0, wrongBytes);
        Assert.Equal(0, pool.UsedBytes);
        pool.Dispose();
        Assert.Equal(0, pages.MappedBytes);
    }
}
