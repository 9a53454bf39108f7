using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Hashes;

// SAFETY: as of the collection it goes through, whose user keeps it from changing.
/// <summary>Goes through all fields of a <see cref="HashPages"/>.</summary>
public unsafe ref struct HashFieldEnumerator
{
    private TreePath _path;
    private int _index;
    private bool _hasPage;

    internal HashFieldEnumerator(PageTree tree)
    {
        _index = -1;
        _hasPage = tree.Count != 0;
        if (_hasPage) tree.SeekEdge(isLast: false, out _path);
    }

    /// <summary>The field; its spans are valid until the collection changes.</summary>
    public readonly HashField Current => HashRecord.Read(Record);

    /// <summary>The field's record (<see cref="HashRecord"/>).</summary>
    internal readonly byte* Record => RecordPage<HashRecord>.Record(_path.Page, _index);

    /// <summary>Goes to the next field.</summary>
    public bool MoveNext()
    {
        if (!_hasPage) return false;
        if (++_index < _path.Page->Count) return true;
        _index = 0;
        return _hasPage = _path.MoveNext();
    }
}
