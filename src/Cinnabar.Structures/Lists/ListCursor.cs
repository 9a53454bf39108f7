// The ends of a walk need no counting: behind a listpack's last entry lies its terminator, before its first
// one the header, and a page has a next one or none.
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Lists;

// SAFETY: as of the list it stands in, whose user keeps it from changing.
/// <summary>An element of a list, from which to go on in both directions.</summary>
public unsafe ref struct ListCursor
{
    private TreePath _path;
    private byte* _entry;       // null: the page is plain
    private byte* _first;
    private byte[]? _expanded;  // the listpack of a compressed page
    private readonly bool _hasPages;

    /// <summary>Stands at an element of a list that is one listpack.</summary>
    /// <param name="listpack">A sound listpack.</param>
    /// <param name="index">0 to its count - 1.</param>
    public ListCursor(byte* listpack, int index)
    {
        Unsafe.SkipInit(out _path);
        _first = listpack + Listpack.HeaderSize;
        _entry = listpack + new ListpackReader(listpack).Seek(index);
    }

    internal ListCursor(scoped in PageTree tree, long rank)
    {
        int index;
        if (rank == 0 || rank == tree.Count - 1)
        {
            tree.SeekEdge(isLast: rank != 0, out _path);
            index = rank == 0 ? 0 : _path.Page->Count - 1;
        }
        else
        {
            index = tree.SeekRank(rank, out _path);
        }
        _hasPages = true;
        Enter(index);
    }

    /// <summary>The element; valid until the list changes.</summary>
    public readonly ListpackValue Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (_entry == null) return new ListpackValue(ListPage.PlainText(_path.Page));
            if (_expanded != null) return ExpandedValue();
            return ListpackFormat.IsInteger(*_entry)
                ? new ListpackValue(ListpackFormat.ReadInteger(_entry))
                : new ListpackValue(ListpackFormat.ReadText(_entry));
        }
    }

    /// <summary>Goes to the next element; returns false, and stays, on the last.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        if (_entry != null)
        {
            byte* next = ListpackFormat.Skip(_entry);
            if (*next != Listpack.Terminator)
            {
                _entry = next;
                if (_expanded != null) GC.KeepAlive(_expanded);
                return true;
            }
        }
        return MoveToNextPage();
    }

    /// <summary>Goes to the element before; returns false, and stays, on the first.</summary>
    public bool MoveBack()
    {
        if (_entry != _first)
        {
            _entry = ListpackFormat.SkipBack(_entry);
            if (_expanded != null) GC.KeepAlive(_expanded);
            return true;
        }
        if (!_hasPages || !_path.MoveBack()) return false;
        Enter(-1);
        return true;
    }

    private bool MoveToNextPage()
    {
        if (!_hasPages || !_path.MoveNext()) return false;
        Enter(0);
        return true;
    }

    private void Enter(int index)
    {
        _entry = _first = null;
        _expanded = null;
        TreePage* page = _path.Page;
        if (ListPage.IsPlain(page)) return;
        byte* pack = SqueezedPage.Is(page) ? Expand(page) : ListPage.Pack(page);
        _first = pack + Listpack.HeaderSize;
        _entry = pack + new ListpackReader(pack).Seek(index);
    }

    // An array for each page: what was read of the one before may still be in use, and keeps its own.
    private byte* Expand(TreePage* page)
    {
        _expanded = GC.AllocateUninitializedArray<byte>(SqueezedPage.SizeOf(page), pinned: true);
        SqueezedPage.Expand(page, _expanded);
        return (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_expanded));
    }

    // SAFETY: the text is made of the array, which so lives as long as the text does.
    private readonly ListpackValue ExpandedValue()
    {
        if (ListpackFormat.IsInteger(*_entry))
        {
            long integer = ListpackFormat.ReadInteger(_entry);
            GC.KeepAlive(_expanded);
            return new ListpackValue(integer);
        }
        ReadOnlySpan<byte> text = ListpackFormat.ReadText(_entry);
        var place = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(text));
        return new ListpackValue(_expanded.AsSpan((int)(place - _first) + Listpack.HeaderSize, text.Length));
    }
}
