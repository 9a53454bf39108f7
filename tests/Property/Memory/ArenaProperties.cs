using System;
using System.Collections.Generic;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Memory;

public sealed unsafe class ArenaProperties
{
    [Fact]
    public void AnySequenceKeepsContentsApartAndCountsExactly() =>
        Seeded.Run(8, static seed => Run(seed, isChecked: false, steps: 60_000));

    [Fact]
    public void AnySequenceKeepsContentsApartAndCountsExactlyInCheckedMode() =>
        Seeded.Run(4, static seed => Run(seed, isChecked: true, steps: 30_000));

    [Fact]
    public void PoolsAndArenasShareASourceAndReturnEverything() =>
        Seeded.Run(8, static seed => RunPools(seed));

    private static void Run(ulong seed, bool isChecked, int steps)
    {
        RandomSource random = new(seed);
        using PageSource pages = new(isChecked);
        ArenaModel[] models = [new(pages, "first"), new(pages, "second"), new(pages, "third")];
        int growPercent = 60;
        for (int step = 0; step < steps; step++)
        {
            // Phases of growing and shrinking, so that slabs and regions fill and run empty.
            if (step % 5000 == 0)
                growPercent = 20 + (int)random.NextBelow(65);
            ArenaModel model = models[random.NextBelow((ulong)models.Length)];
            ulong choice = random.NextBelow(100);
            if (choice < 5)
                model.Resize(ref random);
            else if (choice == 5)
                model.Trim(ref random);
            else if ((int)random.NextBelow(100) < growPercent)
                model.Allocate(ref random);
            else
                model.Free(ref random);
        }
        long used = 0;
        foreach (ArenaModel model in models)
        {
            model.CheckAll();
            used += model.UsedBytes;
        }
        Assert.Equal(used, pages.UsedBytes);
        foreach (ArenaModel model in models)
            model.FreeAll();
        Assert.Empty(pages.LeakReport());
        foreach (ArenaModel model in models)
            model.Dispose();
        Assert.Equal(0, pages.MappedBytes);
    }

    private static void RunPools(ulong seed)
    {
        RandomSource random = new(seed);
        using PageSource pages = new(isChecked: random.NextBelow(2) == 0);
        using ArenaModel arena = new(pages, "arena");
        Quiescence quiescence = new(2);
        nuint blockSize = 64 * (1 + (nuint)random.NextBelow(300));
        TypeStablePool pool = new(pages, blockSize, quiescence);
        List<nint> taken = [];
        HashSet<nint> forbidden = [];
        bool isInside = false;
        for (int step = 0; step < 4000; step++)
        {
            switch (random.NextBelow(6))
            {
                case 0 or 1:
                    byte* block = pool.Take();
                    Assert.DoesNotContain((nint)block, forbidden);
                    Assert.DoesNotContain((nint)block, taken);
                    new Span<byte>(block, (int)blockSize).Fill((byte)step);
                    taken.Add((nint)block);
                    break;
                case 2 when taken.Count != 0:
                    int index = (int)random.NextBelow((ulong)taken.Count);
                    pool.Return((byte*)taken[index]);
                    if (isInside)
                        forbidden.Add(taken[index]);
                    taken.RemoveAt(index);
                    break;
                case 3:
                    quiescence.Poll();
                    break;
                case 4 when random.NextBelow(10) == 0:
                    if (isInside)
                        quiescence.Exit(1);
                    else
                        quiescence.Enter(1);
                    isInside = !isInside;
                    forbidden.Clear();
                    break;
                default:
                    arena.Allocate(ref random);
                    break;
            }
        }
        arena.CheckAll();
        foreach (nint block in taken)
            pool.Return((byte*)block);
        pool.Dispose();
        arena.FreeAll();
        Assert.Empty(pages.LeakReport());
        arena.Dispose();
        Assert.Equal(0, pages.MappedBytes);
    }
}
