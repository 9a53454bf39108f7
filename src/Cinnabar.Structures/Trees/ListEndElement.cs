using System;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Structures.Trees;

// SAFETY: the page is one that its list owns, under the lock of the list's user.
/// <summary>The element at an end of a <see cref="ListPages"/>, found once to be read and then removed.
/// Good until the list changes.</summary>
public readonly unsafe ref struct ListEndElement
{
    private readonly PageTree _tree;
    private readonly TreePage* _page;
    private readonly byte* _entry;
    private readonly ListEnd _end;

    internal ListEndElement(PageTree tree, TreePage* page, ListEnd end)
    {
        _tree = tree;
        _page = page;
        _entry = ListPage.EntryAt(page, end);
        _end = end;
    }

    /// <summary>Whether it is stored as an integer.</summary>
    public bool IsInteger => ListpackFormat.IsInteger(*_entry);

    /// <summary>The integer that is stored.</summary>
    public long Integer => ListpackFormat.ReadInteger(_entry);

    /// <summary>The text of what is no integer.</summary>
    public ReadOnlySpan<byte> Text => ListpackFormat.ReadText(_entry);

    /// <summary>Removes it from its list.</summary>
    public void Remove()
    {
        ListPage.RemoveEnd(_page, _end, _entry);
        _tree.CountedAtEdge(_end == ListEnd.Tail, -1);
    }
}
