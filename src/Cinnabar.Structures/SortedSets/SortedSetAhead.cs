// Loading ahead for sorted sets (HashAhead explains it): the members' pages in the index, then, with the
// scores found there, their pages in the order, and those of the places that new scores would give them.
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.SortedSets;

// SAFETY: as in HashAhead.
/// <summary>Begins to load the members of a <see cref="SortedSetTree"/>.</summary>
internal static unsafe class SortedSetAhead
{
    // The scores of some 60 members and their offsets.
    private const int ColumnLines = 9;

    /// <summary>Asks for places in the order, up to <see cref="SortedSetTree.AheadCountMax"/>; all go down
    /// one level together.</summary>
    [SkipLocalsInit]
    internal static void LoadPlaces(in PageTree order, ReadOnlySpan<OrderPlace> sought)
    {
        bool isEmpty = order.Root->Count == 0;
        foreach (ref readonly OrderPlace place in sought)
        {
            if (isEmpty)
                place.Note->Path.Clear();
            else
                place.Note->Path.Begin(order.Root->Height);
        }
        if (isEmpty) return;
        byte** places = stackalloc byte*[SortedSetTree.AheadCountMax];
        ulong* lows = stackalloc ulong[SortedSetTree.AheadCountMax];
        ulong* highs = stackalloc ulong[SortedSetTree.AheadCountMax];
        int* guesses = stackalloc int[SortedSetTree.AheadCountMax];
        int count = sought.Length;
        for (int at = 0; at < count; at++)
        {
            places[at] = (byte*)order.Root;
            lows[at] = 0;
            highs[at] = ulong.MaxValue;
        }
        for (int height = order.Root->Height; height > 0; height--)
        {
            for (int at = 0; at < count; at++)
            {
                var node = (TreeNode*)places[at];
                int guess = HashSeeker.Guess(node->Count, sought[at].Score, lows[at], highs[at]);
                guesses[at] = guess;
                CacheLine.Prefetch(TreeNode.Separators(node) + guess * (nint)OrderKey.Size);
                CacheLine.Prefetch(TreeNode.Separators(node) + (guess - 1) * (nint)OrderKey.Size);
                CacheLine.Prefetch((byte*)(TreeNode.Children(node) + guess));
                CacheLine.Prefetch((byte*)(TreeNode.Counts(node) + guess));
            }
            for (int at = 0; at < count; at++)
            {
                var node = (TreeNode*)places[at];
                int place = OrderSeeker.PlaceIn(
                    node, new OrderKey(in sought[at]), guesses[at], ref lows[at], ref highs[at]);
                sought[at].Note->Path.Set(height, node, place);
                places[at] = (byte*)TreeNode.Children(node)[place];
            }
            for (int at = 0; at < count; at++) CacheLine.Prefetch(places[at]);
        }
        for (int at = 0; at < count; at++)
        {
            RecordPage<OrderRecord>.PrefetchColumns((TreePage*)places[at], ColumnLines);
        }
        for (int at = 0; at < count; at++)
        {
            var page = (TreePage*)places[at];
            CacheLine.Prefetch(RecordPage<OrderRecord>.NextPlace(page));
            ulong* scores = OrderRecord.Scores(page);
            int index = ScoreColumn.CountBelow(scores, page->Count, sought[at].Score, out int equalCount);
            sought[at].Note->Index = index;
            if (equalCount > 0) CacheLine.Prefetch(RecordPage<OrderRecord>.Record(page, index));
        }
    }

    /// <summary>Begins to load the index's records of the members at an end of the order, which will be
    /// removed: as many as there are notes, in their order. The page behind those is needed next: it is
    /// loaded, too.</summary>
    [SkipLocalsInit]
    internal static void LoadEdge(
        TreeSource source, in PageTree order, in PageTree index, bool isLast, Span<MemberNote> notes)
    {
        if (order.Root->Count == 0) return;
        Span<ulong> hashes = stackalloc ulong[HashAhead.CountMax];
        order.SeekEdge(isLast, out TreePath path);
        int count = 0;
        bool hasMore;
        do
        {
            TreePage* page = path.Page;
            for (int at = 0; at < page->Count && count < notes.Length; at++)
            {
                int place = isLast ? page->Count - 1 - at : at;
                hashes[count++] = SipHash.Hash(OrderRecord.Member(page, place), source.Seed);
            }
            hasMore = isLast ? path.MoveBack() : path.MoveNext();
        }
        while (hasMore && count < notes.Length);
        if (hasMore) LoadWhole(path.Page);
        HashAhead.LoadRemovals(in index, hashes[..count], notes);
    }

    private static void LoadWhole(TreePage* page)
    {
        int bytes = Math.Min(page->Capacity, RecordPage<OrderRecord>.UsedMax) + sizeof(TreePage);
        for (int at = 0; at < bytes; at += CacheLine.Size) CacheLine.Prefetch((byte*)page + at);
    }
}
