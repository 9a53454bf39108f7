// A sorted collection of records of a few 64-bit words each, the first of which are the key: the pending
// entries of a stream's consumer groups, each in several orders.
//
//   page:  | record | record | record | ...        sorted; a record is TRecord.Words words
//   separators: a key
//
// One tree serves all groups of a stream, because the number of the group is the key's first word: so there
// is no tree per group and consumer whose pages would have to lead to other trees, a snapshot of everything
// is one reference, and a group's or consumer's share is a range of keys, removed by a cut.
//
// Growth: keys usually come in order, but at the end of a group's range and not of the tree. So a full page
// is parted where the newcomer goes if that is the end of its run (the next record has another first word),
// and in the middle only elsewhere: pages behind the end of a run stay full.
//
// Why not compressed: IDs of one page differ in a few bytes, but a record is found by halving, and updated in
// place (delivery time and count) as long as it has one size. Why not HashPages: these trees are read by
// ranges of IDs. Limits: those of PageTree; keys are unique.
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: pages are edited only when owned and hold Count records within Capacity; keys that callers pass
// have KeyWords words, records have Words.
/// <summary>Records of words in order. A handle as large as a pointer; null is an empty one.</summary>
internal unsafe struct WordTree<TRecord> where TRecord : struct, IWordRecord
{
    private const int UsedMax = 2048 - 24;
    private const int UsedSmall = UsedMax / 4;
    private const int UsedJoined = UsedMax * 3 / 4;

    private PageTree _tree;

    private static int Size => TRecord.Words * sizeof(ulong);

    /// <summary>Records.</summary>
    internal readonly long Count => _tree.Root == null ? 0 : _tree.Count;

    /// <summary>Bytes of all blocks, shared ones included.</summary>
    internal readonly long MemoryBytes => _tree.Root == null ? 0 : _tree.MemoryBytes;

    /// <summary>The tree of pages, for cursors and tests.</summary>
    internal readonly PageTree Pages => _tree;

    /// <summary>Another reference to what is there now.</summary>
    internal readonly void Retain()
    {
        if (_tree.Root != null) _tree.Retain();
    }

    /// <summary>Gives this reference up.</summary>
    internal void Release(TreeSource source)
    {
        if (_tree.Root != null) _tree.Release(source);
    }

    /// <summary>The record of a key, or null. Good until the tree changes.</summary>
    internal readonly ulong* Find(ulong* key)
    {
        if (Count == 0) return null;
        TreePage* page = _tree.FindPage(new WordKey<TRecord>(key));
        int index = WordKey<TRecord>.CountBelow(page, key);
        return IsAt(page, index, key) ? Record(page, index) : null;
    }

    /// <summary>How many records have a lower key.</summary>
    internal readonly long CountBelow(ulong* key)
    {
        if (Count == 0) return 0;
        _tree.Seek(new WordKey<TRecord>(key), out TreePath path);
        return PageTree.RankOf(in path) + WordKey<TRecord>.CountBelow(path.Page, key);
    }

    /// <summary>The record of a rank, 0 to Count - 1. Good until the tree changes.</summary>
    internal readonly ulong* At(long rank)
    {
        int index = _tree.SeekRank(rank, out TreePath path);
        return Record(path.Page, index);
    }

    /// <summary>The record of a key that is there, to be written to behind its key.</summary>
    internal ulong* Edit(TreeSource source, ulong* key)
    {
        _tree.Seek(new WordKey<TRecord>(key), out TreePath path);
        TreePage* page = _tree.Own(source, ref path);
        int index = WordKey<TRecord>.CountBelow(page, key);
        if (!IsAt(page, index, key)) throw new InvalidOperationException("no record has this key");
        return Record(page, index);
    }

    /// <summary>Adds a record whose key is not there.</summary>
    internal void Insert(TreeSource source, ulong* record)
    {
        if (_tree.Root == null) _tree = PageTree.Create(source, TRecord.KeyWords * sizeof(ulong));
        if (_tree.Count == 0)
        {
            TreePage* first = source.NewPage(_tree.Home, Size);
            Put(first, 0, record);
            _tree.Append(source, first, (byte*)record);
            return;
        }
        _tree.Seek(new WordKey<TRecord>(record), out TreePath path);
        int index = WordKey<TRecord>.CountBelow(path.Page, record);
        Debug.Assert(!IsAt(path.Page, index, record), "the key is there already");
        long used = path.Page->Used + Size;
        if (used <= path.Page->Capacity)
        {
            Put(_tree.Own(source, ref path), index, record);
            PageTree.Counted(in path, 1);
        }
        else if (used <= UsedMax)
        {
            long room = Math.Min(used + used / 8, UsedMax);
            TreePage* larger = Copy(source, path.Page, 0, path.Page->Count, (int)room);
            Put(larger, index, record);
            _tree.Replace(source, ref path, larger);
        }
        else
        {
            Split(source, ref path, index, record);
        }
    }

    /// <summary>Removes a record; returns whether it was there.</summary>
    internal bool Remove(TreeSource source, ulong* key)
    {
        if (Count == 0) return false;
        _tree.Seek(new WordKey<TRecord>(key), out TreePath path);
        int index = WordKey<TRecord>.CountBelow(path.Page, key);
        if (!IsAt(path.Page, index, key)) return false;
        if (path.Page->Count == 1)
        {
            _tree.RemovePage(source, in path);
            return true;
        }
        Take(_tree.Own(source, ref path), index, 1);
        PageTree.Counted(in path, -1);
        Tidy(source, ref path);
        return true;
    }

    /// <summary>Makes the page of a key that is there the caller's own, so that removing it cannot
    /// fail.</summary>
    internal void Own(TreeSource source, ulong* key)
    {
        _tree.Seek(new WordKey<TRecord>(key), out TreePath path);
        _tree.Own(source, ref path);
    }

    /// <summary>Removes the records from one key on and before another.</summary>
    internal void RemoveRange(TreeSource source, ulong* fromKey, ulong* toKey)
    {
        long from = CountBelow(fromKey);
        long to = CountBelow(toKey);
        while (from < to)
        {
            int index = _tree.SeekRank(from, out TreePath path);
            if (index == 0 && path.Page->Count <= to - from)
            {
                long end = to == _tree.Count ? to : to - _tree.SeekRank(to, out _);
                _tree.RemovePages(source, from, end);
                to -= end - from;
                continue;
            }
            int count = (int)Math.Min(path.Page->Count - index, to - from);
            Take(_tree.Own(source, ref path), index, count);
            PageTree.Counted(in path, -count);
            Tidy(source, ref path);
            to -= count;
        }
    }

    /// <summary>Whatever breaks an invariant, in words, or null. For tests.</summary>
    internal readonly string? FindFault() => _tree.Root == null
        ? null
        : TreeVerifier.FindFault(in _tree, static (page, separator, nextSeparator) =>
        {
            if (page->Used != page->Count * Size) return "the bytes in use are not those of the records";
            for (int index = 1; index < page->Count; index++)
            {
                if (WordKey<TRecord>.Compare(Record(page, index - 1), Record(page, index)) >= 0)
                    return "records are out of order";
            }
            if (separator != null && WordKey<TRecord>.Compare(Record(page, 0), (ulong*)separator) < 0)
                return "a record before its page's separator";
            ulong* last = Record(page, page->Count - 1);
            return nextSeparator == null || WordKey<TRecord>.Compare(last, (ulong*)nextSeparator) < 0
                ? null
                : "a record behind the next separator";
        });

    private static ulong* Record(TreePage* page, int index) =>
        (ulong*)TreePage.Data(page) + index * (nint)TRecord.Words;

    private static bool IsAt(TreePage* page, int index, ulong* key) =>
        index < page->Count && WordKey<TRecord>.Compare(Record(page, index), key) == 0;

    private static void Put(TreePage* page, int index, ulong* record)
    {
        ulong* place = Record(page, index);
        long behind = (page->Count - index) * (long)Size;
        Buffer.MemoryCopy(place, place + TRecord.Words, behind, behind);
        Buffer.MemoryCopy(record, place, Size, Size);
        page->Count++;
        page->Used += Size;
    }

    private static void Take(TreePage* page, int index, int count)
    {
        long behind = (page->Count - index - count) * (long)Size;
        Buffer.MemoryCopy(Record(page, index + count), Record(page, index), behind, behind);
        page->Count -= count;
        page->Used -= count * Size;
    }

    // A page with some of another's records and room for a number of bytes.
    private static TreePage* Copy(TreeSource source, TreePage* page, int from, int count, int room)
    {
        TreePage* made = source.NewPage(page->Home, room);
        Add(made, page, from, count);
        return made;
    }

    private static void Add(TreePage* page, TreePage* other, int from, int count)
    {
        long bytes = count * (long)Size;
        Buffer.MemoryCopy(Record(other, from), Record(page, page->Count), bytes, bytes);
        page->Count += count;
        page->Used += (int)bytes;
    }

    private void Split(TreeSource source, ref TreePath path, int index, ulong* record)
    {
        TreePage* page = path.Page;
        if (index == page->Count || (index == 0 && path.IsAtEdge(1, isLast: false)))
        {
            TreePage* alone = source.NewPage(page->Home, Size);
            Put(alone, 0, record);
            if (index == 0)
                _tree.ReplaceByTwo(source, ref path, alone, page, (byte*)Record(page, 0));
            else
                _tree.ReplaceByTwo(source, ref path, page, alone, (byte*)record);
            return;
        }
        bool isEndOfRun = index > 0 && *Record(page, index) != *record;
        int cut = isEndOfRun ? index : page->Count / 2;
        bool isLeft = isEndOfRun || index < cut;
        int leftCount = cut + (isLeft ? 1 : 0);
        int rightCount = page->Count + 1 - leftCount;
        TreePage* left = Copy(source, page, 0, cut, leftCount * Size);
        TreePage* right;
        try
        {
            right = Copy(source, page, cut, page->Count - cut, rightCount * Size);
        }
        catch (OutOfMemoryException)
        {
            source.ReleasePage(left);
            throw;
        }
        Put(isLeft ? left : right, isLeft ? index : index - cut, record);
        _tree.ReplaceByTwo(source, ref path, left, right, (byte*)Record(right, 0));
    }

    // Joins a page that was made smaller with a neighbour, or moves it to a smaller block.
    private void Tidy(TreeSource source, ref TreePath path)
    {
        TreePage* page = path.Page;
        try
        {
            if (page->Used < UsedSmall && TryJoin(source, ref path)) return;
            if (TreeSource.CapacityFor(page->Used) > page->Capacity - page->Capacity / 4) return;
            _tree.Replace(source, ref path, Copy(source, page, 0, page->Count, page->Used));
        }
        catch (OutOfMemoryException)
        {
            // The removal is done and succeeds all the same: the page only stays larger than it need be.
        }
    }

    private bool TryJoin(TreeSource source, ref TreePath path)
    {
        TreeNode* node = path.Node(1);
        int place = path.Place(1);
        if (place + 1 == node->Count) place--;
        if (place < 0) return false;
        var left = (TreePage*)TreeNode.Children(node)[place];
        var right = (TreePage*)TreeNode.Children(node)[place + 1];
        int used = left->Used + right->Used;
        if (used > UsedJoined) return false;
        TreePage* joined = Copy(source, left, 0, left->Count, used);
        Add(joined, right, 0, right->Count);
        path.Set(1, node, place);
        path.Page = left;
        _tree.Replace(source, ref path, joined);
        path.MoveNext();
        _tree.RemovePage(source, in path);
        return true;
    }
}
