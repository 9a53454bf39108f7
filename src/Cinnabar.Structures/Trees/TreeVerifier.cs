namespace Cinnabar.Structures.Trees;

// SAFETY: reads a tree that its caller keeps from changing.
/// <summary>Checks the invariants that the essay of <see cref="PageTree"/> states. For tests.</summary>
internal static unsafe class TreeVerifier
{
    /// <summary>
    /// Checks one page, in order; the separators on its left and right are null at the tree's edges.
    /// </summary>
    /// <returns>What is wrong, in words, or null.</returns>
    internal delegate string? PageCheck(TreePage* page, byte* separator, byte* nextSeparator);

    /// <summary>The first invariant found broken, in words, or null.</summary>
    internal static string? FindFault(in PageTree tree, PageCheck check)
    {
        TreeNode* root = tree.Root;
        if (root->References < 1) return "the root is dead";
        if (root->Height > 1 && root->Count == 0) return "a root above nothing";
        if (root->Height > TreePath.HeightMax) return $"a height of {root->Height}";
        return FaultIn(root, null, null, check);
    }

    /// <summary>How full inner nodes are, 0 to 1, and pages in bytes.</summary>
    internal static (double Nodes, double Pages) Fill(in PageTree tree)
    {
        if (tree.Count == 0) return (0, 0);
        long children = 0, places = 0, used = 0, capacity = 0;
        tree.SeekEdge(isLast: false, out TreePath path);
        do
        {
            used += path.Page->Used;
            capacity += path.Page->Capacity;
            // A node is counted when the path goes through its first leaf for the first time.
            for (int height = 1; height <= path.Height && path.Place(height) == 0; height++)
            {
                children += path.Node(height)->Count;
                places += path.Node(height)->Capacity;
            }
        }
        while (path.MoveNext());
        return ((double)children / places, (double)used / capacity);
    }

    private static string? FaultIn(TreeNode* node, byte* separator, byte* nextSeparator, PageCheck check)
    {
        if (node->Count > node->Capacity) return $"{node->Count} children in {node->Capacity} places";
        long count = 0;
        long bytes = TreeNode.BytesOf(node);
        for (int place = 0; place < node->Count; place++)
        {
            byte* left = place == 0 ? separator : TreeNode.Separator(node, place);
            byte* right = place + 1 < node->Count ? TreeNode.Separator(node, place + 1) : nextSeparator;
            void* child = TreeNode.Children(node)[place];
            string? fault = node->Height == 1
                ? FaultInPage(node, place, check((TreePage*)child, left, right))
                : FaultBelow(node, place) ?? FaultIn((TreeNode*)child, left, right, check);
            if (fault != null) return fault;
            count += TreeNode.Counts(node)[place];
            bytes += TreeNode.BytesOfChild(node, place);
        }
        if (count != node->ElementCount) return $"{node->ElementCount} elements counted, {count} are there";
        return bytes == node->Bytes ? null : $"{node->Bytes} bytes counted, {bytes} are there";
    }

    private static string? FaultInPage(TreeNode* node, int place, string? fault)
    {
        var page = (TreePage*)TreeNode.Children(node)[place];
        if (page->References < 1) return "a page is dead";
        if (page->Count < 1) return "a page is empty";
        if (page->Used > page->Capacity) return $"{page->Used} bytes used of {page->Capacity}";
        long counted = TreeNode.Counts(node)[place];
        return page->Count == counted ? fault : $"a page of {page->Count} elements is counted as {counted}";
    }

    private static string? FaultBelow(TreeNode* node, int place)
    {
        var child = (TreeNode*)TreeNode.Children(node)[place];
        if (child->References < 1) return "a node is dead";
        if (child->Count < 1) return "a node is empty";
        if (child->Height != node->Height - 1) return $"height {child->Height} below {node->Height}";
        long counted = TreeNode.Counts(node)[place];
        return child->ElementCount == counted ? null : $"{child->ElementCount} elements counted as {counted}";
    }
}
