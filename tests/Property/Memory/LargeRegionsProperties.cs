using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Memory;

/// <summary>Runs of pages are where a naive search for the first hole puts them. The regions have no memory:
/// nothing here looks at it.</summary>
public sealed unsafe class LargeRegionsProperties
{
    [Fact]
    public void RunsAreTheFirstHolesThatFit() => Seeded.Run(20, static seed => Run(seed, steps: 3_000));

    private static void Run(ulong seed, int steps)
    {
        RandomSource random = new(seed);
        LargeRegions regions = new();
        SortedDictionary<nint, bool[]> model = [];
        List<(nint Address, int Count)> taken = [];
        for (int step = 0; step < steps; step++)
        {
            bool isGrowing = random.NextBelow(100) < (step / 300 % 2 == 0 ? 70u : 35u);
            if (isGrowing)
                Take(regions, model, taken, ref random);
            else if (taken.Count != 0)
                GiveBack(regions, model, taken, ref random);
            if (random.NextBelow(10) == 0)
                RemoveSurplus(regions, model);
            long bytes = model.Values.Sum(static pages => pages.Count(static one => one));
            Assert.Equal(bytes * (long)NativePages.PageSize, regions.TakenBytes);
            bytes = model.Values.Sum(static pages => (long)pages.Length);
            Assert.Equal(bytes * (long)NativePages.PageSize, regions.MappedBytes);
        }
    }

    private static void Take(LargeRegions regions, SortedDictionary<nint, bool[]> model,
        List<(nint, int)> taken, ref RandomSource random)
    {
        int count = 1 + (int)random.NextBelow(random.NextBelow(20) == 0 ? 900u : 60u);
        nuint size = (nuint)count * NativePages.PageSize;
        nint expected = FirstHole(model, count);
        Assert.Equal(expected, (nint)regions.TryTake(size));
        if (expected == 0)
        {
            // Anywhere, so that regions come in any order, and some lie side by side.
            int pageCount = Math.Max(count, 200);
            nint address;
            do
                address = (nint)(1 + random.NextBelow(400)) * (nint)NativePages.PageSize * 1000;
            while (model.ContainsKey(address));
            regions.Add(new LargeRegion((byte*)address, (nuint)pageCount * NativePages.PageSize));
            model.Add(address, new bool[pageCount]);
            expected = FirstHole(model, count);
            Assert.Equal(expected, (nint)regions.TryTake(size));
        }

        Set(model, expected, count, isTaken: true);
        taken.Add((expected, count));
    }

    // All of a run, or a part of it.
    private static void GiveBack(LargeRegions regions, SortedDictionary<nint, bool[]> model,
        List<(nint Address, int Count)> taken, ref RandomSource random)
    {
        int index = (int)random.NextBelow((ulong)taken.Count);
        (nint address, int count) = taken[index];
        taken.RemoveAt(index);
        int part = random.NextBelow(3) == 0 ? (int)random.NextBelow((ulong)count) + 1 : count;
        if (part < count)
            taken.Add((address + (part * (nint)NativePages.PageSize), count - part));
        nuint size = (nuint)part * NativePages.PageSize;
        bool isEmpty = regions.GiveBack((byte*)address, size);
        Set(model, address, part, isTaken: false);
        Assert.Equal(!RegionOf(model, address).Value.Contains(true), isEmpty);
        Assert.Throws<MemoryFaultException>(() => regions.GiveBack((byte*)address, size));
    }

    private static void RemoveSurplus(LargeRegions regions, SortedDictionary<nint, bool[]> model)
    {
        while (regions.RemoveSurplus(keepsOne: true) is { } surplus)
        {
            Assert.DoesNotContain(true, model[(nint)surplus.Address]);
            model.Remove((nint)surplus.Address);
        }

        // The one that may stay has the usual size, which these regions have not.
        Assert.All(model.Values, static pages => Assert.Contains(true, pages));
    }

    private static nint FirstHole(SortedDictionary<nint, bool[]> model, int count)
    {
        foreach ((nint address, bool[] pages) in model)
        {
            int run = 0;
            for (int page = 0; page < pages.Length; page++)
            {
                run = pages[page] ? 0 : run + 1;
                if (run == count)
                    return address + ((page + 1 - count) * (nint)NativePages.PageSize);
            }
        }

        return 0;
    }

    private static void Set(SortedDictionary<nint, bool[]> model, nint address, int count, bool isTaken)
    {
        (nint start, bool[] pages) = RegionOf(model, address);
        Span<bool> run = pages.AsSpan((int)((address - start) / (nint)NativePages.PageSize), count);
        Assert.DoesNotContain(isTaken, run.ToArray());
        run.Fill(isTaken);
    }

    private static KeyValuePair<nint, bool[]> RegionOf(SortedDictionary<nint, bool[]> model, nint address) =>
        model.Last(one => one.Key <= address);
}
