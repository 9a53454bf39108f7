// How much memory the pages of a source take, told by what its slabs were used for, on every system alike:
//
//   active    pages of slabs with live blocks, as far as blocks were ever handed out there, and large blocks
//   resident  besides these what free slabs still have: kept ones, reserves, the rest of huge pages, headers
//
// A slab whose memory came with a huge page has all of it; another one only the pages that were touched,
// which is as far as its blocks reach. What the system did on its own is not seen: pages swapped out, small
// pages where huge ones were asked for and there were none, or joined into huge ones later.
//
// Each slab is looked at, 64 in a row: about a microsecond for 4 MiB. The source's lock is held for one
// region at a time, so that nobody who needs a slab waits for longer; headers change meanwhile, and the
// figures are those of slightly different instants.
using System.Collections.Generic;
using System.Threading;
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>Bytes in pages.</summary>
/// <param name="ActiveBytes">In pages that hold live blocks.</param>
/// <param name="ResidentBytes">In pages that have memory; at least those.</param>
public readonly record struct PageUse(long ActiveBytes, long ResidentBytes)
{
    /// <summary>Adds up.</summary>
    public static PageUse operator +(PageUse a, PageUse b) =>
        new(a.ActiveBytes + b.ActiveBytes, a.ResidentBytes + b.ResidentBytes);

    /// <summary>Measures what a page source has.</summary>
    /// <param name="guard">Its lock, not held.</param>
    /// <param name="regions">Its regions by address, under that lock.</param>
    /// <param name="large">Its large blocks, under that lock.</param>
    /// <param name="work">Gives way to others between two regions.</param>
    internal static PageUse Of(
        Lock guard, Dictionary<nint, Region> regions, LargeMappings large, LongWork? work)
    {
        Region[] all;
        PageUse use;
        lock (guard)
        {
            all = [.. regions.Values];
            use = new PageUse(large.Bytes, large.Bytes);
        }

        foreach (Region region in all)
        {
            lock (guard)
            {
                if (Contains(regions, region))
                    use += region.Measure();
            }

            work?.Breathe();
        }

        return use;
    }

    /// <summary>Whether a region is still among the mapped ones: another may have its address.</summary>
    internal static unsafe bool Contains(Dictionary<nint, Region> regions, Region region) =>
        regions.TryGetValue((nint)region.Address, out Region? known) && known == region;
}
