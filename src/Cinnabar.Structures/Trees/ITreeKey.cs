namespace Cinnabar.Structures.Trees;

/// <summary>What can be compared with one separator: for <see cref="TreeNode.HalveTo"/>.</summary>
internal unsafe interface ITreeKey
{
    /// <summary>
    /// Whether what is sought lies at or behind a child's separator; a tie, where separators are only the
    /// beginnings of keys, is decided by the child's first page (<see cref="TreeNode.FirstPage"/>).
    /// </summary>
    bool Reaches(TreeNode* node, int place);
}
