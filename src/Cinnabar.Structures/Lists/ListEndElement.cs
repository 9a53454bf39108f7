using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Lists;

// SAFETY: the page is one that its list owns, under the lock of the list's user.
/// <summary>The element at an end of a <see cref="ListPages"/>, found once to be read and then removed:
/// the list's tree no longer counts it. Valid until the list changes.</summary>
public readonly unsafe ref struct ListEndElement
{
    private readonly PageTree _tree;
    private readonly TreePage* _page;
    private readonly byte* _entry;
    private readonly ListEnd _end;

    private ListEndElement(PageTree tree, TreePage* page, ListEnd end)
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
    public void Remove() => ListPage.RemoveEnd(_page, _end, _entry);

    /// <summary>Leaves it where it is.</summary>
    public void Keep() => _tree.CountedAtEdge(_end == ListEnd.Tail, 1);

    /// <summary>As <see cref="ListPages.TryTakeEnd"/> has it.</summary>
    internal static bool TryTake(PageTree tree, ListEnd end, out ListEndElement element)
    {
        element = default;
        // A short one might become one listpack.
        if (tree.Root->Height == 1 && tree.Root->Count <= ListConversion.PagesMax) return false;
        bool isLast = end == ListEnd.Tail;
        TreePage* page = tree.CountAtOwnEdge(isLast, -1);
        if (page == null) return false;
        if (page->Count <= 1 || !ListPage.IsPacked(page))
        {
            tree.CountedAtEdge(isLast, 1);
            return false;
        }
        element = new ListEndElement(tree, page, end);
        return true;
    }
}
