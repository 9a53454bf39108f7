using System;
using System.Collections.Generic;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Memory;

/// <summary>What a page source and the owners of its slabs keep as sums is what looking at each slab
/// finds.</summary>
public sealed unsafe class PageUseProperties
{
    private const int BallastCountMax = 700;
    private const int BallastSize = 65_536;
    private const int SharedCountMax = 40;
    private const int PoolCountMax = 500;

    [Fact]
    public void SumsEqualACountAfterAnyStep() =>
        Seeded.Run(6, static seed => Run(seed, isChecked: false, steps: 8_000));

    [Fact]
    public void SumsEqualACountAfterAnyStepInCheckedMode() =>
        Seeded.Run(3, static seed => Run(seed, isChecked: true, steps: 4_000));

    private static void Run(ulong seed, bool isChecked, int steps)
    {
        RandomSource random = new(seed);
        using PageSource pages = new(isChecked);
        using (Arena ballast = new(pages, "ballast"))
        using (ArenaModel model = new(pages, "model"))
        using (SharedBlockPool shared = new(pages))
        {
            Quiescence quiescence = new(1);
            using TypeStablePool pool = new(pages, 64 * (1 + (nuint)random.NextBelow(300)), quiescence);
            var owners = new Owners(ballast, model, shared, pool);
            for (int step = 0; step < steps; step++)
            {
                // In turn much is taken and much is freed, so that slabs and regions fill and run empty.
                bool isGrowing = random.NextBelow(100) < (step / 1000 % 2 == 0 ? 75u : 30u);
                if (random.NextBelow(20) == 0)
                    Rest(owners, quiescence, ref random);
                else if (isGrowing)
                    owners.Take(ref random);
                else
                    owners.Free(ref random);
                Assert.Equal(pages.Count(), pages.Measure());
            }

            owners.FreeAll();
            quiescence.Poll();
            Assert.Equal(pages.Count(), pages.Measure());
        }

        Assert.Equal(new PageUse(0, 0), pages.Measure());
    }

    private static void Rest(Owners owners, Quiescence quiescence, ref RandomSource random)
    {
        switch (random.NextBelow(8))
        {
            case 0:
                owners.Trim(ref random);
                break;
            default:
                quiescence.Poll();
                break;
        }
    }

    // All that take slabs, and what they have taken.
    private sealed class Owners(Arena ballast, ArenaModel model, SharedBlockPool shared, TypeStablePool pool)
    {
        private readonly List<nint> _ballast = [];
        private readonly List<nint> _shared = [];
        private readonly List<nint> _pool = [];

        internal void Take(ref RandomSource random)
        {
            ulong choice = random.NextBelow(10);
            if (choice < 4)
                model.Allocate(ref random);
            else if (choice == 4)
                model.Resize(ref random);
            else if (choice < 7 && _pool.Count < PoolCountMax)
                _pool.Add((nint)pool.Take());
            else if (choice == 7 && _shared.Count < SharedCountMax)
                _shared.Add((nint)SharedBlock.Create(shared, (int)random.NextBelow(300_000)));
            else
                TakeBallast(ref random);
        }

        internal void Free(ref RandomSource random)
        {
            ulong choice = random.NextBelow(10);
            if (choice < 5)
                model.Free(ref random);
            else if (choice < 7 && _pool.Count != 0)
                pool.Return((byte*)TakeAny(_pool, ref random));
            else if (choice == 7 && _shared.Count != 0)
                ((SharedBlock*)TakeAny(_shared, ref random))->Release();
            else
                FreeBallast(ref random);
        }

        internal void Trim(ref RandomSource random)
        {
            if (random.NextBelow(2) == 0)
                shared.Trim();
            ballast.Trim();
            model.Trim(ref random);
        }

        internal void FreeAll()
        {
            foreach (nint block in _ballast)
                ballast.Free((byte*)block, BallastSize);
            foreach (nint block in _shared)
                ((SharedBlock*)block)->Release();
            foreach (nint block in _pool)
                pool.Return((byte*)block);
            model.FreeAll();
        }

        // Large blocks that are slabs of their own, many at a time.
        private void TakeBallast(ref RandomSource random)
        {
            for (ulong count = random.NextBelow(60); count > 0 && _ballast.Count < BallastCountMax; count--)
                _ballast.Add((nint)ballast.Allocate(BallastSize));
        }

        private void FreeBallast(ref RandomSource random)
        {
            for (ulong count = random.NextBelow(60); count > 0 && _ballast.Count != 0; count--)
                ballast.Free((byte*)TakeAny(_ballast, ref random), BallastSize);
        }

        private static nint TakeAny(List<nint> blocks, ref RandomSource random)
        {
            int index = (int)random.NextBelow((ulong)blocks.Count);
            nint taken = blocks[index];
            blocks[index] = blocks[^1];
            blocks.RemoveAt(blocks.Count - 1);
            return taken;
        }
    }
}
