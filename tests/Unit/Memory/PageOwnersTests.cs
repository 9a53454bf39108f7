using System;
using System.Collections.Generic;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

/// <summary>The memory of all owners, compared by the sum that they keep.</summary>
public sealed unsafe class PageOwnersTests
{
    [Theory]
    [InlineData(1UL, false)]
    [InlineData(2UL, false)]
    [InlineData(3UL, true)]
    public void UsesMoreThanIsExact(ulong seed, bool isChecked)
    {
        using PageSource pages = new(isChecked);
        Quiescence quiescence = new(1);
        Arena[] arenas = [new(pages, "a"), new(pages, "b"), new(pages, "c")];
        TypeStablePool pool = new(pages, 8704, quiescence);
        SharedBlockPool shared = new(pages);
        List<Action> frees = [];
        RandomSource random = new(seed);
        for (int round = 0; round < 3000; round++)
        {
            if (random.NextBelow(100) < (round < 2000 ? 60UL : 30UL))
                frees.Add(Allocate(ref random, arenas, pool, shared));
            else if (frees.Count > 0)
                Free(frees, (int)random.NextBelow((ulong)frees.Count));
            CheckAround(pages);
        }

        while (frees.Count > 0)
            Free(frees, frees.Count - 1);
        CheckAround(pages);
        foreach (Arena arena in arenas)
            arena.Dispose();
        pool.Dispose();
        shared.Dispose();
        CheckAround(pages);
        Assert.Equal(0, pages.UsedBytes);
        Assert.False(pages.UsesMoreThan(0));
    }

    private static void CheckAround(PageSource pages)
    {
        long used = pages.UsedBytes;
        foreach (long distance in (ReadOnlySpan<long>)[0, 1, 100, 5000, 20_000, 30_000, 1 << 20])
        {
            Assert.False(pages.UsesMoreThan(used + distance));
            Assert.True(pages.UsesMoreThan(used - distance - 1));
        }
    }

    private static Action Allocate(
        ref RandomSource random, Arena[] arenas, TypeStablePool pool, SharedBlockPool shared)
    {
        switch (random.NextBelow(8))
        {
            case 0:
                byte* taken = pool.Take();
                return () => pool.Return(taken);
            case 1:
                SharedBlock* block = SharedBlock.Create(shared, (int)random.NextBelow(2 << 20));
                return () => block->Release();
            default:
                Arena arena = arenas[random.NextBelow(3)];
                nuint size = (nuint)random.NextBelow(1UL << (int)(4 + random.NextBelow(15)));
                byte* bytes = arena.Allocate(size);
                return () => arena.Free(bytes, size);
        }
    }

    private static void Free(List<Action> frees, int index)
    {
        frees[index]();
        frees.RemoveAt(index);
    }
}
