// The structural half of PageTree, whose file explains it: owning nodes, and making room in them.

namespace Cinnabar.Structures.Trees;

// SAFETY: "owned" nodes have a count of 1 and are reached through owned nodes only, so no other thread reads
// them.
/// <summary>Changes of nodes.</summary>
internal static unsafe class TreeEdit
{
    // ORDER: acquire, so that our writes to what is ours alone come after the reads of the thread that
    // released it last (its decrement is a full fence). No thread can take a new reference in between: only a
    // holder of one can.
    internal static bool IsOwn(ref int references) => Volatile.Read(ref references) == 1;

    internal static TreeNode* OwnRoot(TreeSource source, ref PageTree tree)
    {
        TreeNode* root = tree.Root;
        if (!IsOwn(ref root->References)) tree.Root = root = Copy(source, root, root->Capacity);
        return root;
    }

    internal static TreeNode* OwnChild(TreeSource source, TreeNode* node, int place)
    {
        Debug.Assert(IsOwn(ref node->References), "a child of a shared node is taken over");
        Debug.Assert(node->Height > 1 && (uint)place < (uint)node->Count, "no such child node");
        ref void* child = ref TreeNode.Children(node)[place];
        var owned = (TreeNode*)child;
        if (IsOwn(ref owned->References)) return owned;
        child = owned = Copy(source, owned, owned->Capacity);
        source.Renew(node);
        return owned;
    }

    /// <summary>Adds to the totals along an owned path, but not to the count of the page itself.</summary>
    internal static void AddTotals(in TreePath path, long count, long bytes)
    {
        TreeNode* node = path.Node(1);
        Debug.Assert(IsOwn(ref node->References), "the totals of a shared node change");
        node->ElementCount += count;
        node->Bytes += bytes;
        Debug.Assert(node->ElementCount >= 0 && node->Bytes > 0, "the totals have gone below nothing");
        for (int height = 2; height <= path.Height; height++)
        {
            node = path.Node(height);
            node->ElementCount += count;
            node->Bytes += bytes;
            TreeNode.Counts(node)[path.Place(height)] += count;
        }
    }

    /// <summary>
    /// Sees to it that an owned path's node at a height has a free place. The path leads to the same page
    /// after.
    /// </summary>
    internal static void MakeRoom(TreeSource source, ref PageTree tree, ref TreePath path, int height)
    {
        TreeNode* node = path.Node(height);
        Debug.Assert(IsOwn(ref node->References), "room is made in a shared node");
        if (node->Count < node->Capacity) return;
        if (node->Capacity < TreeNode.FanOut)
        {
            Remake(source, ref tree, ref path, height, Math.Min(2 * node->Capacity, TreeNode.FanOut));
            return;
        }
        if (height == path.Height)
        {
            Raise(source, ref tree, ref path);
        }
        else
        {
            MakeRoom(source, ref tree, ref path, height + 1);
        }
        Split(source, ref path, height);
    }

    /// <summary>Adds bytes to the nodes of a path from a height upwards.</summary>
    private static void AddBytes(in TreePath path, int height, long bytes)
    {
        for (; height <= path.Height; height++) path.Node(height)->Bytes += bytes;
    }

    /// <summary>Puts an owned path's node at a height into another block, with so many places.</summary>
    internal static void Remake(
        TreeSource source, ref PageTree tree, ref TreePath path, int height, int capacity)
    {
        TreeNode* node = path.Node(height);
        Debug.Assert(IsOwn(ref node->References), "a shared node is put elsewhere");
        long oldBytes = node->Bytes;
        TreeNode* grown = Copy(source, node, capacity);
        if (height == path.Height)
        {
            tree.Root = grown;
        }
        else
        {
            TreeNode.Children(path.Node(height + 1))[path.Place(height + 1)] = grown;
            source.Renew(path.Node(height + 1));
        }
        path.Set(height, grown, path.Place(height));
        AddBytes(in path, height + 1, grown->Bytes - oldBytes);
    }

    private static void Raise(TreeSource source, ref PageTree tree, ref TreePath path)
    {
        TreeNode* old = tree.Root;
        TreeNode* root = source.NewNode(old->Home, old->Height + 1, TreeNode.CapacityMin, old->KeySize);
        TreeNode.Put(root, 0, old, old->ElementCount, TreeNode.Separator(old, 0));
        root->ElementCount = old->ElementCount;
        root->Bytes += old->Bytes;
        tree.Root = root;
        path.Raise(root);
    }

    // Moves some children of a full node to a new one on its right, for which the node above has room.
    private static void Split(TreeSource source, ref TreePath path, int height)
    {
        TreeNode* node = path.Node(height);
        int place = path.Place(height);
        int kept = node->Count / 2;
        if (path.IsAtEdge(height, isLast: true))
        {
            kept = node->Count - 1;
        }
        else if (path.IsAtEdge(height, isLast: false))
        {
            kept = 1;
        }
        Debug.Assert(kept > 0 && kept < node->Count, "a split leaves an empty node");
        TreeNode* right = source.NewNode(node->Home, height, TreeNode.FanOut, node->KeySize);
        TreeNode* parent = path.Node(height + 1);
        source.Renew(node);
        source.Renew(parent);
        long newBytes = right->Bytes;
        for (int index = kept; index < node->Count; index++)
        {
            right->ElementCount += TreeNode.Counts(node)[index];
            right->Bytes += TreeNode.BytesOfChild(node, index);
        }
        TreeNode.Move(node, kept, right, 0, node->Count - kept);
        right->Count = node->Count - kept;
        node->Count = kept;
        node->ElementCount -= right->ElementCount;
        node->Bytes -= right->Bytes - newBytes;
        int parentPlace = path.Place(height + 1);
        TreeNode.Counts(parent)[parentPlace] = node->ElementCount;
        TreeNode.Put(parent, parentPlace + 1, right, right->ElementCount, TreeNode.Separator(right, 0));
        AddBytes(in path, height + 1, newBytes);
        if (place < kept) return;
        path.Set(height, right, place - kept);
        path.Set(height + 1, parent, parentPlace + 1);
    }

    // Uses up a reference to a node; returns a node of the caller's own with the same children. If the node
    // was the caller's alone, the children move, else they are shared from now on.
    private static TreeNode* Copy(TreeSource source, TreeNode* node, int capacity)
    {
        bool isMove = IsOwn(ref node->References);
        Debug.Assert(capacity >= node->Count);
        TreeNode* copy = source.NewNode(node->Home, node->Height, capacity, node->KeySize);
        copy->ElementCount = node->ElementCount;
        copy->Bytes += node->Bytes - TreeNode.BytesOf(node);
        copy->Count = node->Count;
        TreeNode.Move(node, 0, copy, 0, node->Count);
        if (isMove)
        {
            source.FreeNode(node);
            return copy;
        }
        RetainChildren(copy, 0, copy->Count);
        source.ReleaseNode(node);
        return copy;
    }

    /// <summary>Takes a reference to some children of a node.</summary>
    internal static void RetainChildren(TreeNode* node, int place, int count)
    {
        Debug.Assert(place >= 0 && count >= 0 && place + count <= node->Capacity, "no such children");
        void** children = TreeNode.Children(node);
        // SAFETY: nodes and pages both begin with their reference count.
        for (int end = place + count; place < end; place++) Interlocked.Increment(ref *(int*)children[place]);
    }
}
