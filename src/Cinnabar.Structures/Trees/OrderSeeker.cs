// Scores between two separators of a node above are mostly spread about evenly, so that a place is guessed
// from them first, as hashes are (HashSeeker), and sought from there in steps that double: with a good guess
// three separators are looked at instead of six, and they are neighbours; with the worst one, twice as many
// as by halving. Scores that are all equal say nothing: then the search halves.
using System;
using System.Runtime.CompilerServices;

namespace Cinnabar.Structures.Trees;

// SAFETY: separators are those of an order's tree, OrderKey.Size bytes each, in places below Count; nodes are
// reached from the root that their user keeps alive.
/// <summary>Finds the page for a score and a member.</summary>
internal static unsafe class OrderSeeker
{
    private const int FewCount = 8;

    /// <summary>Goes to the page where a position is or would be. The tree is not empty.</summary>
    internal static void Seek(in PageTree tree, scoped in OrderKey key, out TreePath path)
    {
        Unsafe.SkipInit(out path);
        TreeNode* node = tree.Root;
        int height = node->Height;
        path.Height = height;
        ulong low = 0;
        ulong high = ulong.MaxValue;
        while (true)
        {
            int place = PlaceIn(node, in key, ref low, ref high);
            path.Set(height, node, place);
            void* child = TreeNode.Children(node)[place];
            if (--height == 0)
            {
                path.Page = (TreePage*)child;
                return;
            }
            node = (TreeNode*)child;
        }
    }

    /// <summary>The same page, for who only reads it. Null in an empty tree.</summary>
    internal static TreePage* FindPage(in PageTree tree, scoped in OrderKey key)
    {
        TreeNode* node = tree.Root;
        if (node->Count == 0) return null;
        int height = node->Height;
        ulong low = 0;
        ulong high = ulong.MaxValue;
        while (true)
        {
            void* child = TreeNode.Children(node)[PlaceIn(node, in key, ref low, ref high)];
            if (--height == 0) return (TreePage*)child;
            node = (TreeNode*)child;
        }
    }

    // The range is that of the node's scores as far as it is known; then, of the child's.
    private static int PlaceIn(TreeNode* node, in OrderKey key, ref ulong low, ref ulong high)
    {
        int count = node->Count;
        int place = count <= FewCount || low == high
            ? TreeNode.HalveTo(node, in key)
            : PlaceAround(node, in key, HashSeeker.Guess(count, key.Score, low, high));
        var separators = (ulong*)TreeNode.Separators(node);
        if (place > 0) low = separators[place * (nint)OrderKey.WordCount];
        if (place + 1 < count) high = separators[(place + 1) * (nint)OrderKey.WordCount];
        return place;
    }

    // The place lies in [first, end); the separator at place 0 is never asked.
    private static int PlaceAround(TreeNode* node, in OrderKey key, int guess)
    {
        int count = node->Count;
        int first = Math.Clamp(guess, 1, count - 1);
        int end = first;
        int step = 1;
        if (key.Reaches(node, first))
        {
            for (end = first + 1; end < count && key.Reaches(node, end); end = first + step)
            {
                first = end;
                step *= 2;
            }
            end = Math.Min(end, count);
        }
        else
        {
            for (first = end - 1; first > 0 && !key.Reaches(node, first); first = end - step)
            {
                end = first;
                step *= 2;
            }
            first = Math.Max(first, 0);
        }
        while (end - first > 1)
        {
            int middle = (first + end) >> 1;
            if (key.Reaches(node, middle))
                first = middle;
            else
                end = middle;
        }
        return first;
    }
}
