using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: reads a tree that its user keeps from changing.
/// <summary>A walk through the names of one owner of a <see cref="NameTree"/>, upwards.</summary>
internal unsafe ref struct NameCursor
{
    private readonly ulong _owner;
    private TreePath _path;
    private int _index;
    private bool _isEnd;

    /// <summary>Stands before the first name at or above one.</summary>
    internal NameCursor(in NameTree tree, ulong owner, ReadOnlySpan<byte> name)
    {
        _owner = owner;
        _isEnd = tree.Count == 0;
        if (_isEnd) return;
        var key = new NameKey(owner, name);
        tree.Pages.Seek(key, out _path);
        _index = key.CountBefore(_path.Page) - 1;
    }

    /// <summary>The name; valid until the tree changes.</summary>
    internal readonly ReadOnlySpan<byte> Name => NameRecord.Name(_path.Page, _index);

    internal readonly ReadOnlySpan<byte> Value => NameRecord.Value(_path.Page, _index);

    /// <summary>Goes to the owner's next name, at first to the first one; false at the end.</summary>
    internal bool MoveNext()
    {
        if (_isEnd) return false;
        if (++_index == _path.Page->Count)
        {
            if (_path.MoveNext())
                _index = 0;
            else
                _isEnd = true;
        }
        _isEnd = _isEnd || NameRecord.Owners(_path.Page)[_index] != _owner;
        return !_isEnd;
    }
}
