// What follows from removals in a big list: a page that became small is joined with the one behind or before
// it below the same node, and one that became much smaller than its block moves to a smaller block. And how
// a full page is parted.
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Lists;

// SAFETY: pages made here have no other user until they are in the tree.
/// <summary>Keeps the pages of a <see cref="ListPages"/> from becoming small or empty.</summary>
internal static unsafe class ListTidy
{
    // Pages that together fill half of a page of 8 KiB are joined: so small that the joined page is not split
    // at once.
    private const int JoinedUsedMax = 4 << 10;
    private const int SmallUsedMax = 1 << 10;

    /// <summary>
    /// Joins the page of a rank, from which elements were taken, with a neighbour if it is small, or moves it
    /// to a smaller block.
    /// </summary>
    internal static void Tidy(TreeSource source, ref PageTree tree, in ListPageLimits limits, long rank)
    {
        tree.SeekRank(rank, out TreePath path);
        TreePage* page = path.Page;
        if (!ListPage.IsPacked(page)) return;
        try
        {
            if (page->Used <= SmallUsedMax && TryJoin(source, ref tree, ref path, in limits)) return;
        }
        catch (OutOfMemoryException)
        {
            // The removal is done and succeeds all the same: the pages only stay smaller than they might be.
            return;
        }
        // Pages at an end may grow again soon, and so keep more.
        bool isAtEnd = path.IsAtEdge(1, isLast: true) || path.IsAtEdge(1, isLast: false);
        Shrink(source, ref tree, ref path, isAtEnd ? page->Capacity / 8 * 3 : page->Capacity / 4 * 3);
    }

    /// <summary>Moves a path's page to a smaller block, if one of the given bytes is enough.</summary>
    internal static void Shrink(TreeSource source, ref PageTree tree, ref TreePath path, int capacityMax)
    {
        TreePage* page = path.Page;
        if (!ListPage.IsPacked(page) || TreeSource.CapacityFor(page->Used) > capacityMax) return;
        try
        {
            tree.Replace(source, ref path, ListPage.Copy(source, page, page->Used, ListEnd.Tail));
        }
        catch (OutOfMemoryException)
        {
            // The page only stays larger than it need be.
        }
    }

    private static bool TryJoin(
        TreeSource source, ref PageTree tree, ref TreePath path, in ListPageLimits limits)
    {
        TreeNode* node = path.Node(1);
        int place = path.Place(1);
        if (place + 1 == node->Count) place--;
        if (place < 0) return false;
        var left = (TreePage*)TreeNode.Children(node)[place];
        var right = (TreePage*)TreeNode.Children(node)[place + 1];
        if (!ListPage.IsPacked(left) || !ListPage.IsPacked(right)) return false;
        if (left->Used + (long)right->Used > Math.Min(limits.PageBytesMax, JoinedUsedMax)) return false;
        if (left->Count + right->Count > limits.CountMax) return false;
        TreePage* joined = ListPage.Join(source, left, right);
        path.Set(1, node, place);
        path.Page = left;
        tree.Replace(source, ref path, joined);
        path.MoveNext();
        tree.RemovePage(source, in path);
        return true;
    }

    /// <summary>Parts a path's page before an index, 1 to its count less 1.</summary>
    internal static void Split(TreeSource source, ref PageTree tree, ref TreePath path, int index)
    {
        TreePage* page = path.Page;
        var reader = new ListpackReader(ListPage.Pack(page));
        int cut = reader.Seek(index);
        ReadOnlySpan<byte> head = reader.Entries(Listpack.HeaderSize, cut);
        ReadOnlySpan<byte> tail = reader.Entries(cut, reader.End);
        TreePage* left = ListPage.NewPart(source, tree.Home, head, index);
        TreePage* right;
        try
        {
            right = ListPage.NewPart(source, tree.Home, tail, page->Count - index);
        }
        catch (OutOfMemoryException)
        {
            source.ReleasePage(left);
            throw;
        }
        tree.ReplaceByTwo(source, ref path, left, right, null);
    }
}
