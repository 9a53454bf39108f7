using System;
using System.Collections.Generic;
using System.Threading;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

public sealed unsafe class HugePagePreparerTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);

    [Fact]
    public void BlocksAreWholeWhilePagesAreTouchedAheadOfThem()
    {
        ulong seed = Seeded.Seed();
        using PageSource pages = new(isChecked: false);
        pages.PrepareAhead();
        List<Exception> faults = [];
        var threads = new Thread[3];
        for (int index = 0; index < threads.Length; index++)
        {
            ulong own = seed + (ulong)index;
            threads[index] = new Thread(() => Fill(pages, own, faults));
            threads[index].Start();
        }
        foreach (Thread thread in threads)
            thread.Join();
        Assert.True(faults.Count == 0, $"seed {seed}: {string.Join('\n', faults)}");
        Assert.Equal(0, pages.UsedBytes);
        // What was being prepared when the last block went is given back when it is ready.
        bool isAllBack = SpinWait.SpinUntil(() => pages.MappedBytes == 0, s_patience);
        Assert.True(isAllBack, $"{pages.MappedBytes} bytes left");
    }

    [Fact]
    public void TheSourceMayBeDisposedWhilePagesAreTouched()
    {
        for (int round = 0; round < 20; round++)
        {
            PageSource pages = new(isChecked: false);
            pages.PrepareAhead();
            using Arena arena = new(pages, "test");
            for (int count = 0; count < 200; count++)
                arena.Allocate(65_536);
            arena.Dispose();
            pages.Dispose();
            Assert.Equal(0, pages.MappedBytes);
        }
    }

    [Fact]
    public void WhereThereIsNoThreadThereIsNoPreparer()
    {
        using PageSource pages = new(isChecked: false);
        Assert.Null(HugePagePreparer.TryStart(pages, static _ => throw new OutOfMemoryException()));
    }

    [Fact]
    public void WhatWasPreparedInVainIsGivenBackWhenMemoryRests()
    {
        using PageSource pages = new(isChecked: false);
        using Arena arena = new(pages, "test");
        pages.PrepareAhead();
        var blocks = new List<nint>();
        long givenBackBytes = 0;
        LongWork work = new();
        // Sooner or later few enough slabs are ready that another half is prepared, and then nothing grows.
        while (givenBackBytes == 0 && blocks.Count < 1000)
        {
            blocks.Add((nint)Filled(arena, blocks.Count));
            // As the thread does that is for it, which gets no time where all processors are busy.
            for (int count = 0; count < 100 && pages.PrepareNext(work); count++)
            {
            }

            for (int look = 0; look < 20 && givenBackBytes == 0 && blocks.Count > 200; look++)
                givenBackBytes += pages.GiveBackIdle();
        }

        // Where the system knows no huge pages nothing is prepared.
        Assert.True(givenBackBytes > 0 || !HasHugePages());
        long mappedBytes = pages.MappedBytes;
        for (int look = 0; look < 100; look++)
            givenBackBytes += pages.GiveBackIdle();
        Assert.InRange(givenBackBytes, 0, mappedBytes - blocks.Count * 65_536L);
        for (int count = 0; count < 300; count++)
            blocks.Add((nint)Filled(arena, blocks.Count));
        Assert.Equal(0, pages.GiveBackIdle());
        for (int count = 0; count < blocks.Count; count++)
        {
            Assert.False(new ReadOnlySpan<byte>((byte*)blocks[count], 65_536).ContainsAnyExcept((byte)count));
            arena.Free((byte*)blocks[count], 65_536);
        }
        arena.Trim();
        bool isAllBack = SpinWait.SpinUntil(() => pages.MappedBytes == 0, s_patience);
        Assert.True(isAllBack, $"{pages.MappedBytes} bytes left");
    }

    [Fact]
    public void PreparingEndsWhenEnoughIsReady()
    {
        using PageSource pages = new(isChecked: false);
        using Arena arena = new(pages, "test");
        for (int count = 0; count < 1000; count++)
            Filled(arena, count);
        pages.PrepareAhead();
        // So fast that several regions should be ready; what is, is not taken back for being empty.
        arena.Allocate(65_536);
        int preparedCount = 0;
        LongWork work = new();
        while (preparedCount < 100 && pages.PrepareNext(work))
            preparedCount++;
        Assert.InRange(preparedCount, 0, 50);
        long mappedBytes = pages.MappedBytes;
        for (int look = 0; look < 200; look++)
            pages.GiveBackIdle();
        Assert.True(pages.MappedBytes <= mappedBytes);
        Assert.InRange(pages.MappedBytes, 1000 * 65_536L, (1000 * 65_536L) + (16 << 20));
    }

    private static bool HasHugePages()
    {
        byte* page = NativePages.Map(4 << 20, 2 << 20);
        bool isTaken = NativePages.AdviseHuge(page, 4 << 20);
        NativePages.Unmap(page, 4 << 20);
        return isTaken;
    }

    private static byte* Filled(Arena arena, int number)
    {
        byte* block = arena.Allocate(65_536);
        new Span<byte>(block, 65_536).Fill((byte)number);
        return block;
    }

    private static void Fill(PageSource pages, ulong seed, List<Exception> faults)
    {
        try
        {
            RandomSource random = new(seed);
            using Arena arena = new(pages, "test");
            List<(nint Block, nuint Size)> blocks = [];
            for (int step = 0; step < 6000; step++)
            {
                if (blocks.Count > 0 && random.NextBelow(5) < (step < 4000 ? 1u : 4u))
                {
                    int index = (int)random.NextBelow((ulong)blocks.Count);
                    FreeWhole(arena, blocks[index]);
                    blocks[index] = blocks[^1];
                    blocks.RemoveAt(blocks.Count - 1);
                    continue;
                }
                nuint size = 8 + (nuint)random.NextBelow(24_000);
                byte* block = arena.Allocate(size);
                new Span<byte>(block, (int)size).Fill((byte)size);
                blocks.Add(((nint)block, size));
            }
            foreach ((nint Block, nuint Size) block in blocks)
                FreeWhole(arena, block);
            arena.Trim();
        }
        catch (Exception fault)
        {
            lock (faults)
                faults.Add(fault);
        }
    }

    private static void FreeWhole(Arena arena, (nint Block, nuint Size) block)
    {
        ReadOnlySpan<byte> content = new((byte*)block.Block, (int)block.Size);
        Assert.False(content.ContainsAnyExcept((byte)block.Size), $"a block of {block.Size} was overwritten");
        arena.Free((byte*)block.Block, block.Size);
    }
}
