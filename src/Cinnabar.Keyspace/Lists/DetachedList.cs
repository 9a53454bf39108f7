// A list of no key: one in the making, or a changed copy of a list that has been kept (KeptValues). It is
// built without any lock and then given to a key (ListEditor.Adopt).
//
// A new one is made of pages however small it is, and becomes a listpack when it is given to a key, if the
// same pushes to a key would have made one: whether each push would have fit is noted.

using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Lists;

// SAFETY: the pages are reached through a reference of this object's own.
/// <summary>A list of no key yet.</summary>
public sealed unsafe class DetachedList : IDisposable
{
    private readonly TreeSource _trees;
    private readonly ListPageLimits _limits;
    private ListPages _pages;
    private bool _isNull;
    private bool _isSmall;
    private long _size = Listpack.EmptySize;

    private DetachedList(Keyspace keyspace, ListPages pages, bool isSmall)
    {
        _trees = keyspace.Trees;
        _limits = keyspace.Limits.ListPages;
        _pages = pages;
        _isSmall = isSmall;
    }

    /// <summary>Elements.</summary>
    public long Count => _pages.Count;

    /// <summary>Bytes of the list as a listpack; 0: it is none.</summary>
    internal int PackSize => _isSmall ? (int)_size : 0;

    /// <summary>Makes an empty list.</summary>
    public static DetachedList Create(Keyspace keyspace) =>
        new(keyspace, ListPages.Create(keyspace.Trees), isSmall: true);

    /// <summary>Copies a list that is no listpack, in constant time.</summary>
    /// <param name="keyspace">The key space.</param>
    /// <param name="list">A list whose key is locked, or that has been kept.</param>
    public static DetachedList Copy(Keyspace keyspace, ListView list) =>
        new(keyspace, list.Pages.Retain(), isSmall: false);

    /// <summary>Adds an element at the tail of a list that was made empty.</summary>
    public void Push(scoped ReadOnlySpan<byte> text)
    {
        var element = new ListpackElement(text);
        _isSmall = _isSmall && _size + element.Size <= KeyEntry.InlineValueLengthMax
            && _size + text.Length <= _limits.BytesMax && Count < _limits.CountMax;
        _size += element.Size;
        _pages.Push(_trees, in _limits, ListEnd.Tail, in element);
    }

    /// <summary>Puts an element before the one of a rank of a copied list.</summary>
    public void Insert(long rank, scoped ReadOnlySpan<byte> text)
    {
        var element = new ListpackElement(text);
        _pages.Insert(_trees, in _limits, rank, in element);
    }

    /// <summary>Removes elements of a copied list that are a text: all, or the ones nearest to an
    /// end.</summary>
    public void RemoveEqual(scoped ReadOnlySpan<byte> text, ListEnd from, long countMax) =>
        _pages.RemoveEqual(_trees, in _limits, new ListText(text), from, countMax);

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!_isNull)
            Take().Release(_trees);
    }

    /// <summary>Writes the list, which is not empty, as a listpack.</summary>
    /// <param name="listpack">Room for <see cref="PackSize"/> bytes.</param>
    internal void CopyTo(byte* listpack)
    {
        Listpack.Initialize(listpack);
        var editor = new ListpackEditor(listpack, PackSize);
        ListCursor cursor = _pages.CursorAt(0);
        do
            editor.Append(ListpackElement.Of(cursor.Current));
        while (cursor.MoveNext());
    }

    /// <summary>Gives the pages away.</summary>
    internal ListPages Take()
    {
        _isNull = true;
        return _pages;
    }
}
