// The way to a page, noted when it was found for several members at once (HashAhead, SortedSetAhead) and
// followed when the command on its member runs. Other commands may do anything in between: put in or take out
// records, move a page to another block, split it, join it, copy nodes because a snapshot was taken, put
// another root on top, free all of it. So the note has no addresses but which child it was in each node, and
// each node's version (TreeNode.Version). A follower starts at the tree's current root and goes from node to
// node; the first one whose version differs ends it, and the page is sought again:
//
//   root, version 71 -- child 5 -->  node, version 1042 -- child 17 -->  the page there now
//
// A version is given to a node when it is made and again whenever its children change their places, and no
// two are equal. So an equal version means: the node that was there then, with the same children at the same
// places, but that a page may have been replaced by one with the same range. No change of records and no
// moved page spoils a note, and a split one only the notes through the node above that page.
//
// Whether nodes and page may be written to is not noted: TreeEdit.IsOwn checks it each time.
//
// Limits: trees of up to four levels of nodes, some sixteen million pages.

namespace Cinnabar.Structures.Trees;

// SAFETY: heights are 1 to HeightMax; nodes are those below the root of a tree that is followed under its
// lock.
/// <summary>The way to a page of a <see cref="PageTree"/>, good as long as the nodes are as they
/// were.</summary>
internal unsafe struct PathNote
{
    /// <summary>The highest root of a tree in which ways are noted.</summary>
    internal const int HeightMax = 4;

    private fixed ulong _versions[HeightMax];
    private fixed byte _places[HeightMax];
    private int _height;

    /// <summary>Whether there is a way at all.</summary>
    internal readonly bool IsNone => _height == 0;

    /// <summary>Forgets the way.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Clear() => _height = 0;

    /// <summary>Begins a way from a root of this height, or leaves it unnoted.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Begin(int height) => _height = height <= HeightMax ? height : 0;

    /// <summary>Notes a step of a way that has begun.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Set(int height, TreeNode* node, int place)
    {
        Debug.Assert(place <= byte.MaxValue);
        if (_height == 0) return;
        _versions[height - 1] = node->Version;
        _places[height - 1] = (byte)place;
    }

    /// <summary>The page that the path leads to; null where it is no longer known.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly TreePage* Follow(in PageTree tree)
    {
        int height = _height;
        if (height == 0) return null;
        TreeNode* node = tree.Root;
        while (node->Version == _versions[height - 1])
        {
            void* child = TreeNode.Children(node)[_places[height - 1]];
            if (--height == 0) return (TreePage*)child;
            node = (TreeNode*)child;
        }
        return null;
    }

    /// <summary>As <see cref="Follow"/>, for a caller that will change the page.</summary>
    /// <returns>False where the path is no longer known.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool TryFollow(in PageTree tree, out TreePath path)
    {
        Unsafe.SkipInit(out path);
        int height = _height;
        if (height == 0) return false;
        path.Height = height;
        TreeNode* node = tree.Root;
        while (node->Version == _versions[height - 1])
        {
            int place = _places[height - 1];
            path.Set(height, node, place);
            void* child = TreeNode.Children(node)[place];
            if (--height == 0)
            {
                path.Page = (TreePage*)child;
                return true;
            }
            node = (TreeNode*)child;
        }
        return false;
    }
}
