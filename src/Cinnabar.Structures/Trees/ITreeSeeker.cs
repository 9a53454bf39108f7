namespace Cinnabar.Structures.Trees;

/// <summary>
/// What is sought in a <see cref="PageTree"/>. A struct, so that every call is bound and inlined at compile
/// time. It is asked of one node after the other on the way down from the root, and may remember what the
/// ones above told it.
/// </summary>
internal unsafe interface ITreeSeeker
{
    /// <summary>
    /// The last child whose separator is not above what is sought, or 0. The separator at place 0 counts for
    /// nothing.
    /// </summary>
    int PlaceIn(TreeNode* node);
}
