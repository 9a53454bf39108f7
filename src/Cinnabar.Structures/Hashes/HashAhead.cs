// Loading ahead. A member of a big collection lies in one page of many thousands, and a lookup waits for
// three lines one after the other: the page's first, the columns, the record. A caller that has several
// members to find can have all of these loaded at once, one kind after the other:
//
//   1. every page's beginning: header, tags, offsets
//   2. in every page, by its tags, the record that seems to be the member's, or the place for a new one; for
//      for removals also the record that will fill the gap
//
// An address that is far from all others has to be translated first, and a prefetch does not retire before
// that: so each kind is a loop of nothing but prefetches, whose translations go on side by side.
//
// Nothing of this has an effect but on the cache and on notes, which say how each page was found (PathNote),
// so that it need not be sought again when the member's turn has come. A page that is gone by then, or a tag
// that was another member's, costs a line that was fetched for nothing.
using System.Runtime.Intrinsics;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Hashes;

// SAFETY: under the lock that guards the tree, or with a reference to its root, pages stay where they are
// from one pass to the next; what is beyond them is only prefetched.
/// <summary>Begins to load the members of a <see cref="HashPages"/>.</summary>
internal static unsafe class HashAhead
{
    /// <summary>The most members that are loaded together.</summary>
    internal const int CountMax = 32;

    // What most records have at most.
    private const int RecordSize = 32;

    /// <summary>Asks for members with these hashes, up to <see cref="CountMax"/>, or for where they would
    /// go.</summary>
    /// <param name="tree">The tree.</param>
    /// <param name="hashes">The hashes.</param>
    /// <param name="notes">Receive the place of each of them.</param>
    /// <param name="isChange">Whether they will be added, removed or changed.</param>
    [SkipLocalsInit]
    internal static void Load(
        in PageTree tree, ReadOnlySpan<ulong> hashes, Span<MemberNote> notes, bool isChange)
    {
        byte** places = stackalloc byte*[CountMax];
        if (!TryLoadPages(in tree, hashes, notes, places, isChange)) return;
        for (int at = 0; at < hashes.Length; at++)
        {
            places[at] = PlaceOf((TreePage*)places[at], (byte)hashes[at], out notes[at].Index);
        }
        LoadRecords(places, hashes.Length);
    }

    /// <summary>Reads the record that <see cref="Load"/> has found, with no change since, if it is this
    /// member's.</summary>
    internal static bool TryRead(
        in PageTree tree, in MemberNote note, ReadOnlySpan<byte> member, out HashField field)
    {
        TreePage* page = note.Index < 0 ? null : note.Path.Follow(in tree);
        bool isThere = page != null && HashSearch.IsAt(page, note.Index, member);
        field = isThere ? HashRecord.Read(RecordPage<HashRecord>.Record(page, note.Index)) : default;
        return isThere;
    }

    /// <summary>As <see cref="Load"/>, of members that are to be removed.</summary>
    [SkipLocalsInit]
    internal static void LoadRemovals(in PageTree tree, ReadOnlySpan<ulong> hashes, Span<MemberNote> notes)
    {
        byte** places = stackalloc byte*[CountMax];
        if (!TryLoadPages(in tree, hashes, notes, places, isChange: true)) return;
        for (int at = 0; at < hashes.Length; at++)
        {
            var page = (TreePage*)places[at];
            CacheLine.Prefetch(RecordPage<HashRecord>.NextPlace(page));
            places[at] = PlaceOf(page, (byte)hashes[at], out notes[at].Index);
        }
        LoadRecords(places, hashes.Length);
    }

    // Begins to load the pages' columns; false where there are none.
    private static bool TryLoadPages(in PageTree tree, ReadOnlySpan<ulong> hashes, Span<MemberNote> notes,
        byte** places, bool isChange)
    {
        bool isEmpty = tree.Root->Count == 0;
        for (int at = 0; at < hashes.Length; at++)
        {
            notes[at].Hash = hashes[at];
            notes[at].Index = -1;
            if (isEmpty)
                notes[at].Path.Clear();
            else
                notes[at].Path.Begin(tree.Root->Height);
        }
        if (isEmpty) return false;
        FindPages(in tree, hashes, notes, places, isChange);
        for (int at = 0; at < hashes.Length; at++)
        {
            RecordPage<HashRecord>.PrefetchColumns((TreePage*)places[at], HashSearch.ColumnLines);
        }
        return true;
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
    private static void FindPages(in PageTree tree, ReadOnlySpan<ulong> hashes, Span<MemberNote> notes,
        byte** places, bool isChange)
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
                notes[at].Path.Set(height, node, place);
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
            RecordPage<HashRecord>.PrefetchColumns((TreePage*)places[at], HashSearch.ColumnLines);
        }
        for (int at = 0; at < count; at++)
        {
            var page = (TreePage*)places[at];
            CacheLine.Prefetch(RecordPage<HashRecord>.NextPlace(page));
            places[at] = RecordPage<HashRecord>.Record(page, indexes[at]);
        }
        LoadRecords(places, count);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* PlaceOf(TreePage* page, byte tag, out int index)
    {
        byte* tags = RecordPage<HashRecord>.Keys(page);
        Vector256<byte> wanted = Vector256.Create(tag);
        int count = page->Count;
        for (int start = 0; start < count; start += Vector256<byte>.Count)
        {
            uint found = HashSearch.Found(tags, start, count, wanted);
            if (found == 0) continue;
            index = start + BitOperations.TrailingZeroCount(found);
            return RecordPage<HashRecord>.Record(page, index);
        }
        index = -1;
        return RecordPage<HashRecord>.NextPlace(page) - RecordSize;
    }
}
