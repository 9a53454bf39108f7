// How much memory the pages of a source take, told by what its slabs were used for, on every system alike:
//
//   active    pages of slabs with live blocks, as far as blocks were ever handed out there, and large blocks
//   resident  besides these what free slabs still have: kept ones, reserves, the rest of huge pages, headers
//
// A slab whose memory came with a huge page has all of it; another one only the pages that were touched,
// which is as far as its blocks reach. What the system did on its own is not seen: pages swapped out, small
// pages where huge ones were asked for and there were none, or joined into huge ones later.
//
// Nothing is looked at to tell it: owners keep the sums of their slabs (SlabUse), the source those of its
// regions (FreeRegions). They are read one after the other, so the figures are those of slightly different
// instants.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Cinnabar.Memory;

/// <summary>Bytes in pages.</summary>
/// <param name="ActiveBytes">In pages that hold live blocks.</param>
/// <param name="ResidentBytes">In pages that have memory.</param>
public readonly record struct PageUse(long ActiveBytes, long ResidentBytes)
{
    /// <summary>Adds up.</summary>
    public static PageUse operator +(PageUse a, PageUse b) =>
        new(a.ActiveBytes + b.ActiveBytes, a.ResidentBytes + b.ResidentBytes);

    /// <summary>What a page source has; at least as much has memory as holds blocks.</summary>
    /// <param name="guard">Its lock, not held.</param>
    /// <param name="owners">Who has slabs.</param>
    /// <param name="large">Its large blocks, under that lock.</param>
    /// <param name="free">What it has of slabs itself, under that lock.</param>
    internal static PageUse Of(Lock guard, PageOwners owners, LargeMappings large, FreeRegions free)
    {
        PageUse use = owners.PageUse;
        lock (guard)
            use += new PageUse(large.Bytes, large.Bytes + free.ResidentBytes);
        return use with { ResidentBytes = Math.Max(use.ActiveBytes, use.ResidentBytes) };
    }

    /// <summary>The same, by looking at each slab while nobody allocates or frees.</summary>
    /// <param name="guard">Its lock, not held.</param>
    /// <param name="regions">Its regions by address, under that lock.</param>
    /// <param name="large">Its large blocks, under that lock.</param>
    internal static PageUse Count(Lock guard, Dictionary<nint, Region> regions, LargeMappings large)
    {
        lock (guard)
        {
            var use = new PageUse(large.Bytes, large.Bytes);
            foreach (Region region in regions.Values)
                use += region.Count();
            return use;
        }
    }

    /// <summary>Whether a region is still among the mapped ones: another may have its address.</summary>
    internal static unsafe bool Contains(Dictionary<nint, Region> regions, Region region) =>
        regions.TryGetValue((nint)region.Address, out Region? known) && known == region;
}
