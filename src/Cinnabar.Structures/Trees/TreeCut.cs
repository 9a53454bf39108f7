// Removal from a PageTree. The two edges of the range are made the caller's own first, which is all that may
// need memory; then pages and whole subtrees lose their reference, a big one in constant time (TreeSource has
// the work), and what became small beside the edges is joined with a neighbour if that needs no memory.

namespace Cinnabar.Structures.Trees;

// SAFETY: only owned nodes are changed, as in TreeEdit.
/// <summary>Removal of pages and subtrees.</summary>
internal static unsafe class TreeCut
{
    // A cut may drop a hundred subtrees, so only tiny ones are freed by it.
    private const long FreedAtOnceBytesMax = 16 << 10;
    private const int SmallCountMax = TreeNode.FanOut / 4;
    private const int JoinedCountMax = TreeNode.FanOut * 3 / 4;

    /// <summary>Removes the pages between two ranks, of which both are edges of pages.</summary>
    internal static void Remove(TreeSource source, ref PageTree tree, long from, long to)
    {
        TreeNode* root = TreeEdit.OwnRoot(source, ref tree);
        OwnEdges(source, root, from, to);
        Cut(source, root, from, to);
        while (root->Height > 1 && root->Count <= 1)
        {
            if (root->Count == 0)
            {
                root->Height = 1;
                return;
            }
            tree.Root = (TreeNode*)TreeNode.Children(root)[0];
            source.FreeNode(root);
            root = tree.Root;
            // A root below may be shared; then it is left alone, as high as it is.
            if (!TreeEdit.IsOwn(ref root->References)) return;
        }
    }

    // Owns the children that lose only a part.
    private static void OwnEdges(TreeSource source, TreeNode* node, long from, long to)
    {
        if (node->Height == 1) return;
        long start = 0;
        for (int place = 0; place < node->Count && start < to; place++)
        {
            long count = TreeNode.Counts(node)[place];
            long end = start + count;
            if (end > from && (start < from || end > to))
            {
                TreeNode* child = TreeEdit.OwnChild(source, node, place);
                OwnEdges(source, child, Math.Max(from - start, 0), Math.Min(to - start, count));
            }
            start = end;
        }
    }

    private static void Cut(TreeSource source, TreeNode* node, long from, long to)
    {
        int first = 0;
        long start = 0;
        while (start + TreeNode.Counts(node)[first] <= from) start += TreeNode.Counts(node)[first++];
        int kept = first;
        int place = first;
        for (; place < node->Count && start < to; place++)
        {
            long count = TreeNode.Counts(node)[place];
            if (from <= start && start + count <= to)
            {
                DropChild(source, node, place);
            }
            else
            {
                Debug.Assert(node->Height > 1, "a page was to be cut in two");
                long partFrom = Math.Max(from - start, 0);
                CutChild(source, node, place, partFrom, Math.Min(to - start, count));
                TreeNode.Move(node, place, node, kept++, 1);
            }
            start += count;
        }
        if (kept < place) source.Renew(node);
        TreeNode.Take(node, kept, place - kept);
        if (node->Height == 1) return;
        for (int left = Math.Min(first + 1, node->Count - 2); left >= Math.Max(first - 1, 0); left--)
        {
            Join(source, node, left);
        }
    }

    private static void DropChild(TreeSource source, TreeNode* node, int place)
    {
        node->ElementCount -= TreeNode.Counts(node)[place];
        node->Bytes -= TreeNode.BytesOfChild(node, place);
        void* child = TreeNode.Children(node)[place];
        if (node->Height == 1)
        {
            source.ReleasePage((TreePage*)child);
        }
        else
        {
            source.ReleaseNode((TreeNode*)child, FreedAtOnceBytesMax);
        }
    }

    private static void CutChild(TreeSource source, TreeNode* node, int place, long from, long to)
    {
        var child = (TreeNode*)TreeNode.Children(node)[place];
        long oldBytes = child->Bytes;
        Cut(source, child, from, to);
        ref long count = ref TreeNode.Counts(node)[place];
        node->ElementCount -= count - child->ElementCount;
        node->Bytes -= oldBytes - child->Bytes;
        count = child->ElementCount;
    }

    // Joins two neighbours of which one is small, if the left one is owned and has room.
    private static void Join(TreeSource source, TreeNode* node, int place)
    {
        var left = (TreeNode*)TreeNode.Children(node)[place];
        var right = (TreeNode*)TreeNode.Children(node)[place + 1];
        int count = left->Count + right->Count;
        bool isWanted = count <= JoinedCountMax && Math.Min(left->Count, right->Count) <= SmallCountMax;
        if (!isWanted || count > left->Capacity || !TreeEdit.IsOwn(ref left->References)) return;
        source.Renew(node);
        bool isMove = TreeEdit.IsOwn(ref right->References);
        int joint = left->Count;
        TreeNode.Move(right, 0, left, joint, right->Count);
        Buffer.MemoryCopy(TreeNode.Separator(node, place + 1), TreeNode.Separator(left, joint),
            node->KeySize, node->KeySize);
        if (!isMove) TreeEdit.RetainChildren(left, joint, right->Count);
        long rightBytes = TreeNode.BytesOf(right);
        left->Count = count;
        left->ElementCount += right->ElementCount;
        left->Bytes += right->Bytes - rightBytes;
        node->Bytes -= rightBytes;
        TreeNode.Counts(node)[place] = left->ElementCount;
        TreeNode.Take(node, place + 1, 1);
        if (isMove)
        {
            source.FreeNode(right);
        }
        else
        {
            source.ReleaseNode(right);
        }
    }
}
