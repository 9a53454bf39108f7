// Loading ahead. A member of a big collection lies in one page of many thousands, and who goes there waits
// for three lines one after the other: the page's first, the columns, the record. Who has several members to
// find can have all of these on their way at once, one kind after the other:
//
//   1. every page's beginning: header, tags, offsets
//   2. in every page, by its tags, the record that seems to be the member's, or the place for a new one; for
//      who removes members also the record that will fill the gap
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

    // What most records have at most.
    private const int RecordSize = 32;

    /// <summary>Asks for members with these hashes, up to <see cref="CountMax"/>, or for where they would
    /// go.</summary>
    [SkipLocalsInit]
    internal static void Load(in PageTree tree, ReadOnlySpan<ulong> hashes)
    {
        if (tree.Root->Count == 0) return;
        byte** places = stackalloc byte*[CountMax];
        LoadPages(in tree, hashes, places, isChange: false);
        for (int at = 0; at < hashes.Length; at++)
        {
            places[at] = PlaceOf((TreePage*)places[at], (byte)hashes[at], out _);
        }
        LoadRecords(places, hashes.Length);
    }

    /// <summary>As <see cref="Load"/>; tells which records seem to be the members', null for none.</summary>
    [SkipLocalsInit]
    internal static void Load(in PageTree tree, ReadOnlySpan<ulong> hashes, Span<nint> records)
    {
        records.Clear();
        if (tree.Root->Count == 0) return;
        byte** places = stackalloc byte*[CountMax];
        LoadPages(in tree, hashes, places, isChange: true);
        for (int at = 0; at < hashes.Length; at++)
        {
            places[at] = PlaceOf((TreePage*)places[at], (byte)hashes[at], out bool isRecord);
            if (isRecord) records[at] = (nint)places[at];
        }
        LoadRecords(places, hashes.Length);
    }

    /// <summary>Reads a record that <see cref="Load(in PageTree, ReadOnlySpan{ulong}, Span{nint})"/> has
    /// found, with no change since, if it is this member's.</summary>
    internal static bool TryRead(nint record, ReadOnlySpan<byte> member, out HashField field)
    {
        bool isThere = record != 0 && HashRecord.Matches((byte*)record, member);
        field = isThere ? HashRecord.Read((byte*)record) : default;
        return isThere;
    }

    /// <summary>As <see cref="Load(in PageTree, ReadOnlySpan{ulong})"/>, of members that are to be
    /// removed.</summary>
    [SkipLocalsInit]
    internal static void LoadRemovals(in PageTree tree, ReadOnlySpan<ulong> hashes)
    {
        if (tree.Root->Count == 0) return;
        byte** places = stackalloc byte*[CountMax];
        LoadPages(in tree, hashes, places, isChange: true);
        for (int at = 0; at < hashes.Length; at++)
        {
            var page = (TreePage*)places[at];
            CacheLine.Prefetch(RecordPage<HashRecord>.NextPlace(page));
            places[at] = PlaceOf(page, (byte)hashes[at], out _);
        }
        LoadRecords(places, hashes.Length);
    }

    // Leaves the pages with their columns on their way.
    private static void LoadPages(
        in PageTree tree, ReadOnlySpan<ulong> hashes, byte** places, bool isChange)
    {
        FindPages(in tree, hashes, places, isChange);
        for (int at = 0; at < hashes.Length; at++)
        {
            RecordPage<HashRecord>.PrefetchColumns((TreePage*)places[at], HashPages.ColumnLines);
        }
    }

    // Most records are shorter than a line, and half of them lie in two.
    private static void LoadRecords(byte** places, int count)
    {
        for (int at = 0; at < count; at++)
        {
            CacheLine.Prefetch(places[at]);
            CacheLine.Prefetch(places[at] + RecordSize);
        }
    }

    // All go down one level together. Leaves the pages' first lines on their way, and for a change what will
    // be counted.
    [SkipLocalsInit]
    private static void FindPages(
        in PageTree tree, ReadOnlySpan<ulong> hashes, byte** places, bool isChange)
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
                if (isChange) CacheLine.Prefetch((byte*)(TreeNode.Counts(node) + guess));
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

    /// <summary>Asks for the members of these ranks, up to <see cref="CountMax"/>, to be removed.</summary>
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
            var page = (TreePage*)places[at];
            CacheLine.Prefetch(RecordPage<HashRecord>.NextPlace(page));
            places[at] = RecordPage<HashRecord>.Record(page, indexes[at]);
        }
        LoadRecords(places, count);
    }

    // SAFETY: of the loads of tags, as in HashPages.IndexOf.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* PlaceOf(TreePage* page, byte tag, out bool isRecord)
    {
        isRecord = true;
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
        isRecord = false;
        return RecordPage<HashRecord>.NextPlace(page) - RecordSize;
    }
}
