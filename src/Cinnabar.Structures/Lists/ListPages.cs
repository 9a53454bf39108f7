// A big list: pages of elements (ListPage) in a PageTree without separators, which finds an element by its
// rank. What Redis calls a quicklist: its nodes are the pages, listpacks too, and an element that is too big
// for one is alone in a page.
//
//      counts:   | 310 | 1 | 298 | 305 | ...            the node above: how many elements lie in each page
//                   |    |    |     |
//      pages:    [a b ..][big][.. ..][.. ..]
//
// Ends. A descent along an edge is two or three nodes, which stay in the cache while they are used, and a
// page is filled and emptied at either end without moving its bytes. A new page at an end begins small and
// doubles; the one that it follows, full now, gives back what it does not need. So a push costs about two
// copies of its bytes in all, and lists of a few KiB are not rounded up to pages. Beginning large, in long
// lists only, made pushes no faster.
//
// In the middle a full page is split in its middle, and what goes between two pages goes into either of them
// that has room. Pages that lost much are joined with a neighbour, or move to a smaller block: only pages
// from which elements were taken by rank or value are looked at, not those at an end that is popped from.
//
// Why not Redis's doubly linked list of nodes: an index would walk all nodes (10,000 for four million small
// elements), a snapshot would copy them, and the two links cost as much as the tree's counts. Why not an
// array of pages as in a deque: insertion and removal in the middle, and snapshots again.
//
// The pages in the middle may be compressed (list-compress-depth): ListSqueeze says which.
// Limits: elements below 2 GiB. If memory ends in an addition, the list is as it was. Ranks count from 0.
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Lists;

// SAFETY: pages are reached through a tree that the caller's lock or reference keeps alive, and are edited
// only when owned.
/// <summary>A list of any size. A handle as large as a pointer.</summary>
public unsafe struct ListPages
{
    // A block of 256 bytes.
    private const int FirstRoom = 232;

    private PageTree _tree;

    private ListPages(PageTree tree) => _tree = tree;

    /// <summary>An empty list.</summary>
    public static ListPages Create(TreeSource source) => new(PageTree.Create(source, keySize: 0));

    /// <summary>The list with this <see cref="Address"/>.</summary>
    public static ListPages FromAddress(nint address) => new(PageTree.FromAddress(address));

    /// <summary>The handle as a word, to be stored. Changes with every modification.</summary>
    public readonly nint Address => _tree.Address;

    /// <summary>Elements.</summary>
    public readonly long Count => _tree.Count;

    /// <summary>Bytes of all blocks, shared ones included.</summary>
    public readonly long MemoryBytes => _tree.MemoryBytes;

    /// <summary>A snapshot: another reference to the list as it is now. Constant time.</summary>
    public readonly ListPages Retain() => new(_tree.Retain());

    /// <summary>Gives this reference up; a big list is then freed in slices.</summary>
    public void Release(TreeSource source) => _tree.Release(source);

    /// <summary>Moves some of it out of memory that is to be emptied.</summary>
    /// <returns>Whether all of it was looked at.</returns>
    public bool Move(TreeSource source, int part, ref TreeMoves moves) => moves.Run(source, part, ref _tree);

    /// <summary>Adds an element at an end. It must not lie in this list.</summary>
    public void Push(TreeSource source, in ListPageLimits limits, ListEnd end, in ListpackElement element)
    {
        if (_tree.Count == 0)
        {
            _tree.Append(source, NewPage(source, in limits, end, in element), null);
            return;
        }
        if (TryPushInPlace(in limits, end, in element)) return;
        _tree.SeekEdge(end == ListEnd.Tail, out TreePath path);
        ListSqueeze.Expand(source, ref _tree, ref path);
        TreePage* page = path.Page;
        if (ListPage.Admits(page, in limits, element.Size))
        {
            int roomWanted = Math.Min(2 * page->Used, limits.PageBytesMax);
            if (ListPage.RoomIn(page) < element.Size) Grow(source, ref path, in element, roomWanted, end);
            Add(source, ref path, ListPage.PositionAt(path.Page, end), in element);
            return;
        }
        PutBeside(source, in limits, ref path, end, in element);
        ListSqueeze.Behind(source, ref _tree, in limits, end);
    }

    /// <summary>Removes the element at an end; the list is not empty.</summary>
    public void Pop(TreeSource source, ListEnd end)
    {
        Debug.Assert(_tree.Count > 0, "an element is taken from an empty list");
        _tree.SeekEdge(end == ListEnd.Tail, out TreePath path);
        if (path.Page->Count == 1)
        {
            _tree.RemovePage(source, in path);
            return;
        }
        ListSqueeze.Expand(source, ref _tree, ref path);
        ListPage.DeleteEnd(_tree.Own(source, ref path), end);
        PageTree.Counted(in path, -1);
    }

    /// <summary>Adds an element to a list with others, if the page at its end has room as it is.</summary>
    public readonly bool TryPushInPlace(in ListPageLimits limits, ListEnd end, in ListpackElement element)
    {
        bool isLast = end == ListEnd.Tail;
        TreePage* page = _tree.CountAtOwnEdge(isLast, 1);
        if (page == null) return false;
        if (ListPage.TryAdd(page, in limits, end, in element)) return true;
        _tree.CountedAtEdge(isLast, -1);
        return false;
    }

    /// <summary>Begins to take the element at an end of a long list, if it can be removed where it is: it is
    /// counted as gone. Then it is removed, or kept after all, before the list is used.</summary>
    public readonly bool TryTakeEnd(ListEnd end, out ListEndElement element) =>
        ListEndElement.TryTake(_tree, end, out element);

    /// <summary>Puts an element before the one of a rank, or last. It must not lie in this list.</summary>
    public void Insert(TreeSource source, in ListPageLimits limits, long rank, in ListpackElement element)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(rank, Count);
        if (rank == 0 || rank == Count)
        {
            Push(source, in limits, rank == 0 ? ListEnd.Head : ListEnd.Tail, in element);
            return;
        }
        while (!TryInsert(source, in limits, rank, in element))
        {
        }
        ListSqueeze.Around(source, ref _tree, in limits, rank);
    }

    /// <summary>Puts an element in the place of the one of a rank. It must not lie in this list.</summary>
    public void Set(TreeSource source, in ListPageLimits limits, long rank, in ListpackElement element)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(rank, Count);
        SetOpen(source, in limits, rank, in element);
        ListSqueeze.Around(source, ref _tree, in limits, rank);
    }

    private void SetOpen(TreeSource source, in ListPageLimits limits, long rank, in ListpackElement element)
    {
        int index = _tree.SeekRank(rank, out TreePath path);
        if (path.Page->Count == 1)
        {
            _tree.Replace(source, ref path, NewPage(source, in limits, ListEnd.Tail, in element));
            return;
        }
        ListSqueeze.Expand(source, ref _tree, ref path);
        TreePage* page = path.Page;
        int position = ListPage.PositionOf(page, index);
        int oldSize = new ListpackReader(ListPage.Pack(page)).SizeAt(position);
        int growth = (int)Math.Min(element.Size - oldSize, int.MaxValue);
        bool isTooMuch = growth > 0 && page->Used + growth > limits.PageBytesMax;
        if (isTooMuch || ListPage.IsBig(in limits, in element))
        {
            Insert(source, in limits, rank, in element);
            RemoveRange(source, in limits, rank + 1, rank + 2);
            return;
        }
        if (ListPage.RoomIn(page) < growth)
        {
            int room = page->Used + growth;
            TreePage* copy = ListPage.Copy(source, page, room + room / 4, ListEnd.Tail);
            ListPage.Delete(copy, position, oldSize, 1);
            ListPage.Insert(copy, position, in element);
            _tree.Replace(source, ref path, copy);
            return;
        }
        page = _tree.Own(source, ref path);
        ListPage.Delete(page, position, oldSize, 1);
        ListPage.Insert(page, position, in element);
    }

    /// <summary>Removes the elements from a rank on and before another.</summary>
    public void RemoveRange(TreeSource source, in ListPageLimits limits, long from, long to)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(from);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(to, Count);
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
            ListSqueeze.Expand(source, ref _tree, ref path);
            ListPage.DeleteAt(_tree.Own(source, ref path), index, count);
            PageTree.Counted(in path, -count);
            to -= count;
        }
        if (from > 0) ListTidy.Tidy(source, ref _tree, in limits, from - 1);
        if (from < _tree.Count) ListTidy.Tidy(source, ref _tree, in limits, from);
        ListSqueeze.Around(source, ref _tree, in limits, from);
    }

    /// <summary>Removes elements that are a text: all, or the ones nearest to an end.</summary>
    /// <param name="source">Where this list's memory comes from.</param>
    /// <param name="limits">Of the pages.</param>
    /// <param name="text">Must not lie in this list.</param>
    /// <param name="from">Where the search begins.</param>
    /// <param name="countMax">How many are removed at most, 1 or more.</param>
    /// <returns>How many were removed.</returns>
    public long RemoveEqual(
        TreeSource source, in ListPageLimits limits, scoped in ListText text, ListEnd from, long countMax)
    {
        Debug.Assert(countMax > 0, "nothing is to be removed");
        if (_tree.Count == 0) return 0;
        bool isBackward = from == ListEnd.Tail;
        long left = countMax;
        _tree.SeekEdge(isBackward, out TreePath path);
        while (true)
        {
            int equal = ListPage.CountEqual(path.Page, text.Text);
            if (equal == 0)
            {
                if (isBackward ? path.MoveBack() : path.MoveNext()) continue;
                break;
            }
            int dropped = (int)Math.Min(equal, left);
            left -= dropped;
            long rank = PageTree.RankOf(in path);
            long next = isBackward ? rank - 1 : rank + path.Page->Count - dropped;
            Drop(source, ref path, in text, isBackward ? equal - dropped : 0, dropped);
            if (rank < _tree.Count) ListTidy.Tidy(source, ref _tree, in limits, rank);
            ListSqueeze.Around(source, ref _tree, in limits, rank);
            if (left == 0 || next < 0 || next >= _tree.Count) break;
            // What is seen once more, in pages that were joined, was sorted out already.
            _tree.SeekRank(next, out path);
        }
        return countMax - left;
    }

    /// <summary>The element at an end; the list is not empty.</summary>
    public readonly ListpackValue At(ListEnd end)
    {
        TreePage* page = _tree.EdgePage(end == ListEnd.Tail);
        if (ListPage.IsPlain(page)) return new ListpackValue(ListPage.PlainText(page));
        if (SqueezedPage.Is(page)) return CursorAt(end == ListEnd.Head ? 0 : Count - 1).Current;
        var reader = new ListpackReader(ListPage.Pack(page));
        return reader[end == ListEnd.Head ? reader.First : reader.Last];
    }

    /// <summary>Stands at the element of a rank, 0 to Count - 1.</summary>
    public readonly ListCursor CursorAt(long rank)
    {
        Debug.Assert(rank >= 0 && rank < Count, "a cursor beside the list");
        return new ListCursor(in _tree, rank);
    }

    /// <summary>How many pages there are. Visits the nodes above them.</summary>
    public readonly long PageCount => TreeShape.Of(in _tree).PageCount;

    /// <summary>A walk through the pages of a list that is not empty.</summary>
    public readonly ListPageCursor Pages() => new(_tree);

    /// <summary>Bytes of the list as one listpack, or 0 if these were more than a maximum.</summary>
    public readonly int ListpackSize(int bytesMax) => ListConversion.ListpackSize(in _tree, bytesMax);

    /// <summary>Writes the list as one listpack.</summary>
    /// <param name="listpack">Room for <see cref="ListpackSize"/> bytes, which are not 0.</param>
    public readonly void CopyToListpack(Span<byte> listpack) =>
        ListConversion.CopyToListpack(in _tree, listpack);

    /// <summary>How the list lies in its pages.</summary>
    public readonly ListShape Shape() => ListSqueeze.ShapeOf(in _tree);

    /// <summary>Adds all entries of a listpack at the tail, in as few pages as there can be.</summary>
    /// <param name="source">Where this list's memory comes from.</param>
    /// <param name="limits">Of the pages.</param>
    /// <param name="listpack">A sound listpack, not of this list.</param>
    public void AppendListpack(TreeSource source, in ListPageLimits limits, byte* listpack) =>
        ListAppend.Run(source, ref _tree, in limits, listpack);

    /// <summary>What breaks an invariant, in words, or null. For tests.</summary>
    internal readonly string? FindFault() =>
        TreeVerifier.FindFault(in _tree, static (page, _, _) => ListPage.FindFault(page));

    private readonly TreePage* NewPage(
        TreeSource source, in ListPageLimits limits, ListEnd roomAt, in ListpackElement element)
    {
        if (ListPage.IsBig(in limits, in element)) return ListPage.NewPlain(source, _tree.Home, element.Text);
        int needed = Listpack.EmptySize + (int)element.Size;
        TreePage* page = ListPage.NewPacked(source, _tree.Home, Math.Max(needed, FirstRoom), roomAt);
        ListPage.Insert(page, Listpack.HeaderSize, in element);
        return page;
    }

    // Moves a path's page to a block with room for an element, and for more at one end.
    private void Grow(
        TreeSource source, ref TreePath path, in ListpackElement element, int roomWanted, ListEnd roomAt)
    {
        int room = Math.Max(path.Page->Used + (int)element.Size, roomWanted);
        _tree.Replace(source, ref path, ListPage.Copy(source, path.Page, room, roomAt));
    }

    // Adds an element to a path's page, which has room for it.
    private void Add(TreeSource source, ref TreePath path, int position, in ListpackElement element)
    {
        ListPage.Insert(_tree.Own(source, ref path), position, in element);
        PageTree.Counted(in path, 1);
    }

    // Puts a page with an element before or behind a path's page.
    private void PutBeside(TreeSource source, in ListPageLimits limits, ref TreePath path, ListEnd side,
        in ListpackElement element)
    {
        int capacity = path.Page->Capacity;
        ListTidy.Shrink(source, ref _tree, ref path, capacity - capacity / 8);
        TreePage* page = path.Page;
        TreePage* added = NewPage(source, in limits, side, in element);
        if (side == ListEnd.Head)
            _tree.ReplaceByTwo(source, ref path, added, page, null);
        else
            _tree.ReplaceByTwo(source, ref path, page, added, null);
    }

    // Puts an element before the one of a rank in the middle; or splits its page, and returns false.
    private bool TryInsert(
        TreeSource source, in ListPageLimits limits, long rank, in ListpackElement element)
    {
        int index = _tree.SeekRank(rank, out TreePath path);
        if (index == 0)
        {
            TreePath before = path;
            before.MoveBack();
            if (ListPage.Admits(before.Page, in limits, element.Size))
            {
                AddAt(source, ref before, ListPage.PositionAt(before.Page, ListEnd.Tail), in element);
                return true;
            }
        }
        ListSqueeze.Expand(source, ref _tree, ref path);
        TreePage* page = path.Page;
        if (ListPage.Admits(page, in limits, element.Size))
        {
            AddAt(source, ref path, ListPage.PositionOf(page, index), in element);
            return true;
        }
        if (index == 0)
        {
            PutBeside(source, in limits, ref path, ListEnd.Head, in element);
            return true;
        }
        // In halves, so that both have room for more; but what is long had better not halve them again.
        int at = element.Size > limits.PageBytesMax / 4 ? index : page->Count / 2;
        ListTidy.Split(source, ref _tree, ref path, at);
        return false;
    }

    private void AddAt(TreeSource source, ref TreePath path, int position, in ListpackElement element)
    {
        if (ListPage.RoomIn(path.Page) < element.Size)
            Grow(source, ref path, in element, path.Page->Used / 4 * 5, ListEnd.Tail);
        Add(source, ref path, position, in element);
    }

    private void Drop(TreeSource source, ref TreePath path, scoped in ListText text, int skipped, int dropped)
    {
        if (dropped == path.Page->Count)
        {
            _tree.RemovePage(source, in path);
            return;
        }
        ListSqueeze.Expand(source, ref _tree, ref path);
        ListPage.DropEqual(_tree.Own(source, ref path), in text, skipped, dropped);
        PageTree.Counted(in path, -dropped);
    }
}
