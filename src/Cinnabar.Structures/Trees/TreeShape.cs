namespace Cinnabar.Structures.Trees;

// SAFETY: nodes are reached from a root that the caller's lock or reference keeps alive.
/// <summary>How a big collection lies in its tree.</summary>
/// <param name="Height">Levels of nodes above the pages.</param>
/// <param name="NodeCount">Nodes of all levels.</param>
/// <param name="PageCount">Pages.</param>
/// <param name="PageElementsMin">Elements of the page with the fewest; 0 where there are none.</param>
/// <param name="PageElementsMax">Elements of the page with the most.</param>
public readonly record struct TreeShape(
    int Height, long NodeCount, long PageCount, long PageElementsMin, long PageElementsMax)
{
    /// <summary>Looks at all nodes and at no page.</summary>
    internal static unsafe TreeShape Of(in PageTree tree)
    {
        var shape = new TreeShape(tree.Root->Height, 0, 0, 0, 0);
        Add(ref shape, tree.Root);
        return shape;
    }

    // As deep as the tree is high, which grows with the logarithm of its elements.
    private static unsafe void Add(ref TreeShape shape, TreeNode* node)
    {
        shape = shape with { NodeCount = shape.NodeCount + 1 };
        if (node->Height > 1)
        {
            for (int place = 0; place < node->Count; place++)
                Add(ref shape, (TreeNode*)TreeNode.Children(node)[place]);
            return;
        }

        foreach (long count in new ReadOnlySpan<long>(TreeNode.Counts(node), node->Count))
        {
            shape = shape with
            {
                PageCount = shape.PageCount + 1,
                PageElementsMin = shape.PageCount == 0 ? count : Math.Min(shape.PageElementsMin, count),
                PageElementsMax = Math.Max(shape.PageElementsMax, count),
            };
        }
    }
}
