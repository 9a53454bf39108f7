using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Lists;

// SAFETY: as of the list it goes through, whose user keeps it from changing.
/// <summary>Goes through a list page by page, for what copies pages as they are (RDB).</summary>
public unsafe ref struct ListPageCursor
{
    private TreePath _path;
    private bool _isStarted;

    internal ListPageCursor(PageTree tree)
    {
        Debug.Assert(tree.Count > 0, "no list is empty");
        tree.SeekEdge(isLast: false, out _path);
    }

    /// <summary>Whether the page is one big element.</summary>
    public readonly bool IsPlain => ListPage.IsPlain(_path.Page);

    /// <summary>Whether the page is a compressed listpack.</summary>
    public readonly bool IsSqueezed => SqueezedPage.Is(_path.Page);

    /// <summary>Bytes of a compressed page's listpack.</summary>
    public readonly int ExpandedSize => SqueezedPage.SizeOf(_path.Page);

    /// <summary>The bytes of the element, of the listpack, or of a compressed one as LZF.</summary>
    public readonly ReadOnlySpan<byte> Bytes
    {
        get
        {
            if (IsPlain) return ListPage.PlainText(_path.Page);
            return IsSqueezed
                ? SqueezedPage.Bytes(_path.Page)
                : new ReadOnlySpan<byte>(ListPage.Pack(_path.Page), _path.Page->Used);
        }
    }

    /// <summary>Goes to the next page, at first to the first one; false at the end.</summary>
    public bool MoveNext()
    {
        if (_isStarted) return _path.MoveNext();
        return _isStarted = true;
    }
}
