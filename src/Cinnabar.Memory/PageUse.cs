// How much memory the pages of a source take, derived from the use of its slabs, alike on every system:
//
//   active    pages of slabs with live blocks, as far as blocks ever reached, and large blocks
//   resident  besides these what free slabs of owners still have, and headers
//
// A slab has memory as far as its blocks ever reached. Swapped-out pages and huge pages are not seen.
//
// Owners keep the sums of their slabs (SlabUse), the source those of its large blocks. They are read one
// after the other, so the figures are of slightly different instants.
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
