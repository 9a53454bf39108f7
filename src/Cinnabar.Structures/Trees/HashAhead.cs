// Loading ahead. A member of a big collection lies in one page of many thousands, and who goes there waits
// for three lines one after the other: the page's first, the columns, the record. Who has several members to
// find can have all of these on their way at once, one kind after the other:
//
//   1. every page's beginning: header, tags, offsets
//   2. in every page, by its tags, the record that seems to be the member's, or the place for a new one
//
// An address that is far from all others has to be translated first, and a prefetch does not retire before
// that: so each kind is a loop of nothing but prefetches, whose translations go on side by side.
//
// Nothing of this has an effect but on the cache, so nothing is remembered: a page that is gone when its turn
// has come, or a tag that was another member's, costs a line that was fetched in vain.
using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Cinnabar.Structures.Trees;

// SAFETY: under the lock that guards the tree, or with a reference to its root, pages stay where they are
// from one pass to the next; what is beyond them is only prefetched.
/// <summary>Begins to load the members of a <see cref="HashPages"/>.</summary>
internal static unsafe class HashAhead
{
    /// <summary>The most members that are asked for together.</summary>
    internal const int CountMax = 32;

    /// <summary>Asks for members with these hashes, up to <see cref="CountMax"/>, or for where they would
    /// go.</summary>
    [SkipLocalsInit]
    internal static void Load(in PageTree tree, ReadOnlySpan<ulong> hashes)
    {
        if (tree.Root->Count == 0) return;
        byte** places = stackalloc byte*[CountMax];
        int count = hashes.Length;
        FindPages(in tree, hashes, places);
        for (int at = 0; at < count; at++)
        {
            RecordPage<HashRecord>.PrefetchColumns((TreePage*)places[at], HashPages.ColumnLines);
        }
        for (int at = 0; at < count; at++) places[at] = PlaceOf((TreePage*)places[at], (byte)hashes[at]);
        for (int at = 0; at < count; at++) CacheLine.Prefetch(places[at]);
    }

    // All go down one level together. Leaves the pages' first lines on their way.
    [SkipLocalsInit]
    private static void FindPages(in PageTree tree, ReadOnlySpan<ulong> hashes, byte** places)
    {
        ulong* lows = stackalloc ulong[CountMax];
        ulong* highs = stackalloc ulong[CountMax];
        int* guesses = stackalloc int[CountMax];
        int count = hashes.Length;
        for (int at = 0; at < count; at++)
        {
            places[at] = (byte*)tree.Root;
            lows[at] = 0;
            highs[at] = ulong.MaxValue;
        }
        for (int height = tree.Root->Height; height > 0; height--)
        {
            for (int at = 0; at < count; at++)
            {
                var node = (TreeNode*)places[at];
                int guess = HashSeeker.Guess(node->Count, hashes[at], lows[at], highs[at]);
                guesses[at] = guess;
                CacheLine.Prefetch(TreeNode.Separators(node) + guess * (nint)sizeof(ulong));
                CacheLine.Prefetch((byte*)(TreeNode.Children(node) + guess));
            }
            for (int at = 0; at < count; at++)
            {
                var node = (TreeNode*)places[at];
                int place = HashSeeker.PlaceIn(node, hashes[at], guesses[at], ref lows[at], ref highs[at]);
                places[at] = (byte*)TreeNode.Children(node)[place];
            }
            for (int at = 0; at < count; at++) CacheLine.Prefetch(places[at]);
        }
    }

    /// <summary>Asks for the members of these ranks, up to <see cref="CountMax"/>.</summary>
    [SkipLocalsInit]
    internal static void LoadAt(in PageTree tree, ReadOnlySpan<long> ranks)
    {
        byte** places = stackalloc byte*[CountMax];
        int* indexes = stackalloc int[CountMax];
        int count = ranks.Length;
        for (int at = 0; at < count; at++)
        {
            indexes[at] = tree.SeekRank(ranks[at], out TreePath path);
            places[at] = (byte*)path.Page;
        }
        for (int at = 0; at < count; at++) CacheLine.Prefetch(places[at]);
        for (int at = 0; at < count; at++)
        {
            RecordPage<HashRecord>.PrefetchColumns((TreePage*)places[at], HashPages.ColumnLines);
        }
        for (int at = 0; at < count; at++)
        {
            places[at] = RecordPage<HashRecord>.Record((TreePage*)places[at], indexes[at]);
        }
        for (int at = 0; at < count; at++) CacheLine.Prefetch(places[at]);
    }

    // SAFETY: of the loads of tags, as in HashPages.IndexOf.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* PlaceOf(TreePage* page, byte tag)
    {
        byte* tags = RecordPage<HashRecord>.Keys(page);
        Vector256<byte> wanted = Vector256.Create(tag);
        int count = page->Count;
        for (int start = 0; start < count; start += Vector256<byte>.Count)
        {
            uint found = Vector256.Equals(Vector256.Load(tags + start), wanted).ExtractMostSignificantBits();
            int left = count - start;
            if (left < Vector256<byte>.Count) found &= (1u << left) - 1;
            if (found == 0) continue;
            return RecordPage<HashRecord>.Record(page, start + BitOperations.TrailingZeroCount(found));
        }
        return RecordPage<HashRecord>.NextPlace(page);
    }
}
