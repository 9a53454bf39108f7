// How much memory the pages of a source take, told by what its slabs were used for, on every system alike:
//
//   active    pages of slabs with live blocks, as far as blocks were ever handed out there, and large blocks
//   resident  besides these what free slabs of owners still have, and headers
//
// A slab has memory as far as its blocks ever reached. What the system did on its own is not seen: pages
// swapped out, and huge pages where they were asked for.
//
// Nothing is looked at to find it: owners keep the sums of their slabs (SlabUse), the source those of its
// large blocks. They are read one after the other, so the figures are those of slightly different instants.
namespace Cinnabar.Memory;

/// <summary>Bytes in pages.</summary>
/// <param name="ActiveBytes">In pages that hold live blocks.</param>
/// <param name="ResidentBytes">In pages that have memory.</param>
public readonly record struct PageUse(long ActiveBytes, long ResidentBytes)
{
    /// <summary>Adds up.</summary>
    public static PageUse operator +(PageUse a, PageUse b) =>
        new(a.ActiveBytes + b.ActiveBytes, a.ResidentBytes + b.ResidentBytes);
}
