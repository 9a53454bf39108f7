// All separators of a node are compared, four at once, instead of half of what is left each time: 64 of them
// take fewer cycles than two mispredicted branches, and the loads do not wait for each other.
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Cinnabar.Structures.Trees;

// SAFETY: the separators of a HashPages' tree are hashes of 8 bytes, in places below Count.
/// <summary>Finds the page for a hash.</summary>
internal readonly unsafe struct HashSeeker(ulong hash) : ITreeSeeker
{
    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int PlaceIn(TreeNode* node)
    {
        var separators = (ulong*)TreeNode.Separators(node);
        int count = node->Count;
        Vector256<ulong> sought = Vector256.Create(hash);
        Vector256<ulong> reached = Vector256<ulong>.Zero;
        int place = 0;
        for (; place + Vector256<ulong>.Count <= count; place += Vector256<ulong>.Count)
        {
            // All ones, which is -1, where a separator is not above the hash.
            reached -= Vector256.LessThanOrEqual(Vector256.Load(separators + place), sought);
        }
        int sum = (int)Vector256.Sum(reached);
        for (; place < count; place++) sum += separators[place] <= hash ? 1 : 0;
        // What stands at place 0 means nothing, so it does not count; the others rise.
        return sum - (separators[0] <= hash ? 1 : 0);
    }
}
