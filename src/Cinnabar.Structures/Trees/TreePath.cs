// The way from a root to one page. Also the cursor of an iteration: it goes page by page through its nodes,
// without links between pages, which a copied path could not keep. It holds no references: it is valid while
// the tree is locked, or a snapshot held, and until the tree is changed other than through it.
//
// Heights: with pages of one element each and nodes half full, 12 levels hold more pages than there is
// memory.

namespace Cinnabar.Structures.Trees;

// SAFETY: heights are 1 to HeightMax; the nodes are those of a tree that its user keeps from being freed.
/// <summary>A position in a <see cref="PageTree"/>, page by page.</summary>
internal unsafe struct TreePath
{
    /// <summary>The greatest height of a root.</summary>
    internal const int HeightMax = 14;

    private fixed ulong _nodes[HeightMax + 1];
    private fixed int _places[HeightMax + 1];

    /// <summary>The root's height.</summary>
    internal int Height;

    internal TreePage* Page;

    /// <summary>The node at a height, 1 above the page.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly TreeNode* Node(int height) => (TreeNode*)_nodes[height];

    /// <summary>Which child of it the path goes through.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly int Place(int height) => _places[height];

    /// <summary>Sets a step.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Set(int height, TreeNode* node, int place)
    {
        Debug.Assert(height is > 0 and <= HeightMax && place >= 0, "no such step of a path");
        _nodes[height] = (ulong)node;
        _places[height] = place;
    }

    /// <summary>Adds a new root on top.</summary>
    internal void Raise(TreeNode* root)
    {
        if (Height == HeightMax) throw new InvalidOperationException("the tree is too high");
        Set(++Height, root, 0);
    }

    /// <summary>Goes to the next page; returns false, and stays, on the last.</summary>
    internal bool MoveNext()
    {
        int height = 1;
        while (Place(height) + 1 == Node(height)->Count)
        {
            if (height++ == Height) return false;
        }
        _places[height]++;
        Descend(height, isToFirst: true);
        return true;
    }

    /// <summary>Goes to the page before; returns false, and stays, on the first.</summary>
    internal bool MoveBack()
    {
        int height = 1;
        while (Place(height) == 0)
        {
            if (height++ == Height) return false;
        }
        _places[height]--;
        Descend(height, isToFirst: false);
        return true;
    }

    /// <summary>Whether nothing lies behind (or before) the path, from a height upwards.</summary>
    internal readonly bool IsAtEdge(int height, bool isLast)
    {
        for (; height <= Height; height++)
        {
            if (Place(height) != (isLast ? Node(height)->Count - 1 : 0)) return false;
        }
        return true;
    }

    /// <summary>Completes a path that is set down to a height.</summary>
    internal void Descend(int height, bool isToFirst)
    {
        void* child = TreeNode.Children(Node(height))[Place(height)];
        while (--height > 0)
        {
            var node = (TreeNode*)child;
            Debug.Assert(node->Height == height && node->Count > 0);
            Set(height, node, isToFirst ? 0 : node->Count - 1);
            child = TreeNode.Children(node)[Place(height)];
        }
        Page = (TreePage*)child;
    }

    /// <summary>The separator that leads to the page, or null for the tree's first page.</summary>
    internal readonly byte* Separator()
    {
        for (int height = 1; height <= Height; height++)
        {
            if (Place(height) != 0) return TreeNode.Separator(Node(height), Place(height));
        }
        return null;
    }

    /// <summary>The separator behind the page, or null for the tree's last page.</summary>
    internal readonly byte* NextSeparator()
    {
        for (int height = 1; height <= Height; height++)
        {
            if (Place(height) + 1 < Node(height)->Count)
            {
                return TreeNode.Separator(Node(height), Place(height) + 1);
            }
        }
        return null;
    }
}
