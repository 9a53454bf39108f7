// Removal of records, and what follows from it: a page that became small is joined with the one behind or
// before it, and one that became much smaller than its block moves to a smaller block.

namespace Cinnabar.Structures.Trees;

// SAFETY: pages are edited only when owned.
/// <summary>Removal of records from the pages of a tree.</summary>
internal static unsafe class PageShrink<TFormat> where TFormat : struct, IRecordFormat
{
    private const int StackCountMax = 512;

    /// <summary>Removes a record; the path is no longer valid.</summary>
    internal static void Remove(TreeSource source, ref PageTree tree, ref TreePath path, int index)
    {
        if (path.Page->Count == 1)
        {
            tree.RemovePage(source, in path);
            return;
        }
        TreePage* page = tree.Own(source, ref path);
        RecordPage<TFormat>.Remove(page, index);
        PageTree.Counted(in path, -1);
        Tidy(source, ref tree, ref path);
    }

    /// <summary>
    /// As <see cref="Remove"/>, at an end of the tree, where records are usually removed one after the other:
    /// a page is soon empty, and nothing is copied before. That leaves two small pages in a tree at most.
    /// </summary>
    internal static void RemoveAtEdge(TreeSource source, ref PageTree tree, ref TreePath path, int index)
    {
        if (path.Page->Count == 1 || (path.Height == 1 && path.Node(1)->Count == 1))
        {
            Remove(source, ref tree, ref path, index);
            return;
        }
        RecordPage<TFormat>.Remove(tree.Own(source, ref path), index);
        PageTree.Counted(in path, -1);
    }

    /// <summary>Removes the records of the ranks from <paramref name="from"/> on and before
    /// <paramref name="to"/>.</summary>
    internal static void RemoveRange(TreeSource source, ref PageTree tree, long from, long to)
    {
        while (from < to)
        {
            int index = tree.SeekRank(from, out TreePath path);
            if (index == 0 && path.Page->Count <= to - from)
            {
                long end = to == tree.Count ? to : to - tree.SeekRank(to, out _);
                tree.RemovePages(source, from, end);
                to -= end - from;
                continue;
            }
            int count = (int)Math.Min(path.Page->Count - index, to - from);
            TreePage* page = tree.Own(source, ref path);
            for (int left = count; left > 0; left--) RecordPage<TFormat>.Remove(page, index);
            PageTree.Counted(in path, -count);
            Tidy(source, ref tree, ref path);
            to -= count;
        }
    }

    // Joins a path's page, owned and just made smaller, with a neighbour, or moves it to a smaller block.
    private static void Tidy(TreeSource source, ref PageTree tree, ref TreePath path)
    {
        TreePage* page = path.Page;
        try
        {
            if (page->Used < RecordPage<TFormat>.UsedSmall && TryJoin(source, ref tree, ref path)) return;
            int capacity = TreeSource.CapacityFor(page->Used);
            if (capacity > page->Capacity - page->Capacity / 4) return;
            tree.Replace(source, ref path, RecordPage<TFormat>.Copy(source, page, 0, 0));
        }
        catch (OutOfMemoryException)
        {
            // The removal is done and succeeds all the same: the page only stays larger than it need be.
        }
    }

    // SAFETY of the stack's room: a record costs at least 4 bytes, so a page that is joined has fewer than
    // 512.
    [SkipLocalsInit]
    private static bool TryJoin(TreeSource source, ref PageTree tree, ref TreePath path)
    {
        TreeNode* node = path.Node(1);
        int place = path.Place(1);
        if (place + 1 == node->Count) place--;
        if (place < 0) return false;
        var left = (TreePage*)TreeNode.Children(node)[place];
        var right = (TreePage*)TreeNode.Children(node)[place + 1];
        if (left->Used + (long)right->Used > RecordPage<TFormat>.UsedJoined) return false;
        int rightBytes = RecordPage<TFormat>.HeapBytes(right);
        TreePage* joined = RecordPage<TFormat>.Copy(source, left, right->Count, rightBytes);
        Span<int> indexes = stackalloc int[StackCountMax];
        indexes = RecordPage<TFormat>.AllBut(indexes, right->Count, -1);
        RecordPage<TFormat>.AddRecords(joined, right, indexes);
        path.Set(1, node, place);
        path.Page = left;
        tree.Replace(source, ref path, joined);
        path.MoveNext();
        tree.RemovePage(source, in path);
        return true;
    }
}
