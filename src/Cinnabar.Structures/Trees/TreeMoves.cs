// Moves the nodes and pages of trees out of memory that is to be emptied (Arena.BeginMoving): each is copied
// to a block of the same size, which takes its place in the node above. What has other references (a
// snapshot, a reply, a command that reads it without its stripe) stays, with all below it.
//
// A big tree is moved in portions, page by page; between them anything may happen to it. What is kept is a
// rank: if elements came or went before it, some pages are left out or looked at twice, and the next round
// finds them.
//
// Notes of paths (PathNote) stay valid where pages move, and end where a node does.

namespace Cinnabar.Structures.Trees;

// SAFETY: the tree is locked by the caller, and what has one reference is its alone.
/// <summary>How far the trees of a value have been moved, and what is left of a portion.</summary>
public unsafe struct TreeMoves
{
    /// <summary>The tree of the value that is being moved.</summary>
    public int Part;

    /// <summary>The element at which it goes on there.</summary>
    public long Rank;

    /// <summary>How many elements may be passed yet in this portion.</summary>
    public long Budget;

    /// <summary>Blocks that were moved.</summary>
    public int MovedCount;

    /// <summary>Blocks that could stay, or have other references.</summary>
    public int StayedCount;

    /// <summary>Moves a part of a tree.</summary>
    /// <param name="source">Where its memory comes from.</param>
    /// <param name="part">Which tree of the value it is; those before the present one are through.</param>
    /// <param name="tree">The tree, whose root may move.</param>
    /// <returns>Whether it is through.</returns>
    internal bool Run(TreeSource source, int part, ref PageTree tree)
    {
        if (part < Part)
            return true;
        while (Rank < tree.Count && TreeEdit.IsOwn(ref tree.Root->References))
        {
            if (Budget <= 0)
                return false;
            int index = tree.SeekRank(Rank, out TreePath path);
            if (!TryMovePath(source, ref tree, ref path))
                break;
            int passed = path.Page->Count - index;
            Rank += passed;
            Budget -= passed;
        }

        Part++;
        Rank = 0;
        return true;
    }

    // Where memory for a copy is missing, what has been moved so far has been, and the rest stays.
    private bool TryMovePath(TreeSource source, ref PageTree tree, ref TreePath path)
    {
        try
        {
            MovePath(source, ref tree, ref path);
            return true;
        }
        catch (OutOfMemoryException)
        {
            return false;
        }
    }

    private void MovePath(TreeSource source, ref PageTree tree, ref TreePath path)
    {
        for (int height = path.Height; height > 0; height--)
        {
            TreeNode* node = path.Node(height);
            if (!TreeEdit.IsOwn(ref node->References))
                return;
            if (source.IsLeaving(node->Home, node, TreeNode.BytesOf(node)))
            {
                TreeEdit.Remake(source, ref tree, ref path, height, node->Capacity);
                MovedCount++;
            }
        }

        TreePage* page = path.Page;
        if (!TreeEdit.IsOwn(ref page->References)
            || !source.IsLeaving(page->Home, page, TreePage.BytesOf(page)))
        {
            StayedCount++;
            return;
        }

        path.Page = source.CopyPage(page);
        TreeNode.Children(path.Node(1))[path.Place(1)] = path.Page;
        source.ReleasePage(page);
        MovedCount++;
    }
}
