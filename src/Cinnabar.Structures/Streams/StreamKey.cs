using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: separators of a stream's entries have Size bytes.
/// <summary>An ID to be sought among a stream's pages.</summary>
internal readonly unsafe struct StreamKey(StreamId id) : ITreeSeeker, ITreeKey
{
    /// <summary>Bytes of a separator.</summary>
    internal const int Size = 16;

    public int PlaceIn(TreeNode* node) => TreeNode.HalveTo(node, in this);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Reaches(TreeNode* node, int place)
    {
        ulong* separator = (ulong*)TreeNode.Separators(node) + 2 * (nint)place;
        return separator[0] != id.Ms ? separator[0] < id.Ms : separator[1] <= id.Sequence;
    }
}
