// Which pages of a big list are compressed (list-compress-depth): all but a number of pages at either end,
// where most of the work is. A page is compressed when it is pushed so far inwards by new pages at its end,
// and again when it was changed there; it is expanded when it is changed, wherever it then is. A page that
// comes near an end because those before it were removed stays compressed until it is changed itself.
//
// A list does not look at its other pages, whatever the setting was when they were made: as in Redis, a new
// setting holds for what changes from then on.
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Lists;

// SAFETY: pages made here have no other user until they are in the tree.
/// <summary>Compresses and expands the pages of a <see cref="ListPages"/>.</summary>
internal static unsafe class ListSqueeze
{
    /// <summary>Makes the page of a path one that can be read and changed in place.</summary>
    internal static void Expand(TreeSource source, ref PageTree tree, ref TreePath path)
    {
        if (SqueezedPage.Is(path.Page))
            tree.Replace(source, ref path, SqueezedPage.Expanded(source, path.Page));
    }

    /// <summary>A page has come to an end: that which is now deep enough behind it is compressed.</summary>
    internal static void Behind(
        TreeSource source, ref PageTree tree, in ListPageLimits limits, ListEnd end)
    {
        if (limits.CompressDepth == 0) return;
        tree.SeekEdge(isLast: end == ListEnd.Tail, out TreePath path);
        for (int left = limits.CompressDepth; left > 0; left--)
        {
            if (!(end == ListEnd.Tail ? path.MoveBack() : path.MoveNext())) return;
        }
        Squeeze(source, ref tree, ref path, in limits);
    }

    /// <summary>The pages around a rank were changed: those that are deep enough are compressed.</summary>
    internal static void Around(
        TreeSource source, ref PageTree tree, in ListPageLimits limits, long rank)
    {
        if (limits.CompressDepth == 0) return;
        for (long near = Math.Max(rank - 1, 0); near <= rank + 1 && near < tree.Count; near++)
        {
            tree.SeekRank(near, out TreePath path);
            Squeeze(source, ref tree, ref path, in limits);
        }
    }

    /// <summary>How a list lies in its pages.</summary>
    internal static ListShape ShapeOf(in PageTree tree)
    {
        var shape = default(ListShape);
        tree.SeekEdge(isLast: false, out TreePath path);
        do
        {
            bool isSqueezed = SqueezedPage.Is(path.Page);
            int bytes = isSqueezed ? SqueezedPage.SizeOf(path.Page) : path.Page->Used;
            shape = new ListShape(shape.PageCount + 1, shape.SqueezedCount + (isSqueezed ? 1 : 0),
                shape.OpenBytes + bytes);
        }
        while (path.MoveNext());
        return shape;
    }

    private static void Squeeze(
        TreeSource source, ref PageTree tree, ref TreePath path, in ListPageLimits limits)
    {
        if (!ListPage.IsPacked(path.Page) || !IsDeep(path, limits.CompressDepth)) return;
        try
        {
            TreePage* squeezed = SqueezedPage.Of(source, path.Page);
            if (squeezed != null) tree.Replace(source, ref path, squeezed);
        }
        catch (OutOfMemoryException)
        {
            // The change is done and succeeds all the same: the page only stays larger than it might be.
        }
    }

    private static bool IsDeep(TreePath path, int depth)
    {
        TreePath other = path;
        for (; depth > 0; depth--)
        {
            if (!path.MoveBack() || !other.MoveNext()) return false;
        }
        return true;
    }
}
