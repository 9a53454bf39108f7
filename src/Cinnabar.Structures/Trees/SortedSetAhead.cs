// Loading ahead for sorted sets (HashAhead explains it): the members' pages in the index, then, with the
// scores that these tell, their pages in the order, and those of the places that new scores would give them.
using System;
using System.Runtime.CompilerServices;

namespace Cinnabar.Structures.Trees;

// SAFETY: as in HashAhead.
/// <summary>Begins to load the members of a <see cref="SortedSetTree"/>.</summary>
internal static unsafe class SortedSetAhead
{
    // The scores of some 60 members and their offsets.
    private const int ColumnLines = 9;

    /// <summary>The page of the order where a member with this score has its place; null: there is
    /// none.</summary>
    internal static TreePage* PageOf(in PageTree order, double score, ReadOnlySpan<byte> member) =>
        order.FindPage(new OrderSeeker(new OrderKey(ScoreBits.Of(score), member)));

    /// <summary>Asks for what <see cref="PageOf"/> has found; addresses may be null.</summary>
    internal static void LoadPages(ReadOnlySpan<nint> pages)
    {
        foreach (nint page in pages) CacheLine.Prefetch((byte*)page);
        foreach (nint page in pages) RecordPage<OrderRecord>.PrefetchColumns((TreePage*)page, ColumnLines);
    }

    /// <summary>Asks for the index's records of the members at an end of the order: of the first so
    /// many.</summary>
    [SkipLocalsInit]
    internal static void LoadEdge(
        TreeSource source, in PageTree order, in PageTree index, bool isLast, int count)
    {
        if (order.Root->Count == 0) return;
        Span<ulong> hashes = stackalloc ulong[HashAhead.CountMax];
        order.SeekEdge(isLast, out TreePath path);
        TreePage* page = path.Page;
        count = Math.Min(count, page->Count);
        for (int at = 0; at < count; at++)
        {
            int place = isLast ? page->Count - 1 - at : at;
            hashes[at] = SipHash.Hash(OrderRecord.Member(page, place), source.Seed);
        }
        HashAhead.Load(in index, hashes[..count]);
    }
}
