namespace Cinnabar.Structures.Trees;

/// <summary>
/// What is sought in a <see cref="PageTree"/>. A struct, so that every call is bound and inlined at compile
/// time. It is called for one node after the other on the way down from the root, and may remember what it
/// read in the ones above.
/// </summary>
internal unsafe interface ITreeSeeker
{
    /// <summary>
    /// The last child whose separator is not above what is sought, or 0. The separator at place 0 is ignored.
    /// </summary>
    int PlaceIn(TreeNode* node);
}
