using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: reads a tree that its user keeps from changing.
/// <summary>A walk through a <see cref="WordTree{TRecord}"/>, upwards from a key.</summary>
internal unsafe ref struct WordCursor<TRecord> where TRecord : struct, IWordRecord
{
    private TreePath _path;
    private int _index;
    private bool _isEnd;

    /// <summary>Stands before the first record at or above a key.</summary>
    internal WordCursor(in WordTree<TRecord> tree, ulong* key)
    {
        _isEnd = tree.Count == 0;
        if (_isEnd) return;
        tree.Pages.Seek(new WordKey<TRecord>(key), out _path);
        _index = WordKey<TRecord>.CountBelow(_path.Page, key) - 1;
    }

    /// <summary>The record; valid until the tree changes.</summary>
    internal readonly ulong* Record => (ulong*)TreePage.Data(_path.Page) + _index * (nint)TRecord.Words;

    /// <summary>Goes to the next record, at first to the first one; false at the end.</summary>
    internal bool MoveNext()
    {
        if (_isEnd) return false;
        if (++_index < _path.Page->Count) return true;
        if (_path.MoveNext())
        {
            _index = 0;
            return true;
        }
        _isEnd = true;
        return false;
    }
}
