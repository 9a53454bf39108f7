// Hashes are spread evenly, and so are the separators of a node between the ends of its range: where a hash
// belongs is known to within a few places before anything is read. So a descent compares the eight separators
// around there, which lie in one line or two, instead of all in up to eight; with some hundred nodes, more
// than the cache nearest to the core can hold, the lines are what it costs. Where the guess is wrong (pages
// of few large records beside pages of many small ones) it continues, eight places at a time.
using System.Runtime.Intrinsics;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Hashes;

// SAFETY: the separators of a HashPages' tree are hashes of 8 bytes, in places below Count; nodes are reached
// from the root that their user keeps alive.
/// <summary>A hash, to be sought.</summary>
internal unsafe struct HashSeeker(ulong hash) : ITreeSeeker
{
    private const int Window = 2 * 4;

    // The range of the hashes in the node that is reached.
    private ulong _low;
    private ulong _high = ulong.MaxValue;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int PlaceIn(TreeNode* node) =>
        PlaceIn(node, hash, Guess(node->Count, hash, _low, _high), ref _low, ref _high);

    /// <summary>The last child whose separator is not above a hash, or 0: the separator at place 0 is
    /// ignored.</summary>
    /// <param name="node">A node with children.</param>
    /// <param name="hash">The hash.</param>
    /// <param name="guess">From <see cref="Guess"/>.</param>
    /// <param name="low">No hash below it is in the node; then, in the child.</param>
    /// <param name="high">None above it.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int PlaceIn(TreeNode* node, ulong hash, int guess, ref ulong low, ref ulong high)
    {
        var separators = (ulong*)TreeNode.Separators(node);
        int count = node->Count;
        int place = count <= Window
            ? PlaceInFew(separators, count, hash)
            : PlaceAround(separators, count, hash, guess);
        if (place > 0) low = separators[place];
        if (place + 1 < count) high = separators[place + 1];
        return place;
    }

    /// <summary>About where a hash belongs in a node with a number of children, of hashes in a
    /// range.</summary>
    // The shifts make them numbers with a sign, which are turned into floating point by one instruction.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Guess(int count, ulong hash, ulong low, ulong high)
    {
        double part = (long)((hash - low) >> 1);
        double whole = (long)((high - low) >> 1) + 1.0;
        return (int)(part / whole * count);
    }

    private static int PlaceInFew(ulong* separators, int count, ulong hash)
    {
        int place = 0;
        for (int at = 1; at < count; at++) place += separators[at] <= hash ? 1 : 0;
        return place;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int PlaceAround(ulong* separators, int count, ulong hash, int guess)
    {
        Vector256<ulong> sought = Vector256.Create(hash);
        int first = Math.Clamp(guess - Window / 2 + 1, 1, count - Window);
        while (true)
        {
            // All ones, which is -1, where a separator is not above the hash.
            Vector256<ulong> reached =
                Vector256.LessThanOrEqual(Vector256.Load(separators + first), sought)
                + Vector256.LessThanOrEqual(Vector256.Load(separators + first + Window / 2), sought);
            int below = -(int)Vector256.Sum(reached);
            // It moves on only where the place is beyond the window's neighbour, and so never back.
            if (below == 0 && first > 1 && separators[first - 1] > hash)
                first = Math.Max(1, first - Window);
            else if (below == Window && first + Window < count && separators[first + Window] <= hash)
                first = Math.Min(count - Window, first + Window);
            else
                return first - 1 + below;
        }
    }
}
