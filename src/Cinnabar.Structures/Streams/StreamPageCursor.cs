using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: reads a tree that its user keeps from changing.
/// <summary>Goes through a stream page by page, for what copies pages as they are (RDB).</summary>
public unsafe ref struct StreamPageCursor
{
    private readonly bool _isEmpty;
    private TreePath _path;
    private bool _isStarted;

    internal StreamPageCursor(in PageTree entries)
    {
        _isEmpty = entries.Count == 0;
        if (!_isEmpty) entries.SeekEdge(isLast: false, out _path);
    }

    /// <summary>The ID that those of the page's entries are relative to.</summary>
    public readonly StreamId BaseId => StreamPage.BaseId(_path.Page);

    /// <summary>The page's listpack.</summary>
    public readonly ReadOnlySpan<byte> Listpack =>
        new ListpackReader(StreamPage.Pack(_path.Page)).Bytes;

    /// <summary>Goes to the next page, at first to the first one; false at the end.</summary>
    public bool MoveNext()
    {
        if (_isStarted) return _path.MoveNext();
        _isStarted = true;
        return !_isEmpty;
    }
}
