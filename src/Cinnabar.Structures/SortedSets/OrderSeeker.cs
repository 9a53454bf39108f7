// Scores between two separators of a node above are usually spread evenly, so that a place is guessed from
// them first, as hashes are (HashSeeker), and sought from there in steps that double: with a good guess three
// separators are looked at instead of six, and they are neighbours; with the worst one, twice as many as by
// halving. Scores that are all equal say nothing: then the search halves.
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.SortedSets;

// SAFETY: separators are those of an order's tree, OrderKey.Size bytes each, in places below Count; nodes are
// reached from the root that their user keeps alive.
/// <summary>A score and a member, to be sought by guessing.</summary>
internal unsafe ref struct OrderSeeker(in OrderKey key) : ITreeSeeker
{
    private const int FewCount = 8;

    private readonly OrderKey _key = key;

    // The range of the scores in the node that is reached, as far as it is known.
    private ulong _low;
    private ulong _high = ulong.MaxValue;

    public int PlaceIn(TreeNode* node) =>
        PlaceIn(node, in _key, HashSeeker.Guess(node->Count, _key.Score, _low, _high), ref _low, ref _high);

    /// <summary>The last child that a key reaches.</summary>
    /// <param name="node">A node with children.</param>
    /// <param name="key">The key.</param>
    /// <param name="guess">From <see cref="HashSeeker.Guess"/>.</param>
    /// <param name="low">No score below it is in the node; then, in the child.</param>
    /// <param name="high">None above it.</param>
    internal static int PlaceIn(TreeNode* node, in OrderKey key, int guess, ref ulong low, ref ulong high)
    {
        int count = node->Count;
        int place = count <= FewCount || low == high
            ? TreeNode.HalveTo(node, in key)
            : PlaceAround(node, in key, guess);
        var separators = (ulong*)TreeNode.Separators(node);
        if (place > 0) low = separators[place * (nint)OrderKey.WordCount];
        if (place + 1 < count) high = separators[(place + 1) * (nint)OrderKey.WordCount];
        return place;
    }

    // The place lies in [first, end); the separator at place 0 is never compared.
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
