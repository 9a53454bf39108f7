// The ends of a walk need no counting: behind a listpack's last entry lies its terminator, before its first
// one the header, and a page has a next one or none.
using System.Runtime.CompilerServices;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Structures.Trees;

// SAFETY: as of the list it stands in, whose user keeps it from changing.
/// <summary>An element of a list, from which to go on in both directions.</summary>
public unsafe ref struct ListCursor
{
    private TreePath _path;
    private byte* _entry;       // null: the page is plain
    private byte* _first;
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

    /// <summary>The element; good until the list changes.</summary>
    public readonly ListpackValue Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (_entry == null) return new ListpackValue(ListPage.PlainText(_path.Page));
            return ListpackFormat.IsInteger(*_entry)
                ? new ListpackValue(ListpackFormat.ReadInteger(_entry))
                : new ListpackValue(ListpackFormat.ReadText(_entry));
        }
    }

    /// <summary>Goes to the next element; answers false, and stays, on the last.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        if (_entry != null)
        {
            byte* next = ListpackFormat.Skip(_entry);
            if (*next != Listpack.Terminator)
            {
                _entry = next;
                return true;
            }
        }
        return MoveToNextPage();
    }

    /// <summary>Goes to the element before; answers false, and stays, on the first.</summary>
    public bool MoveBack()
    {
        if (_entry != _first)
        {
            _entry = ListpackFormat.SkipBack(_entry);
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
        if (ListPage.IsPlain(_path.Page)) return;
        byte* pack = ListPage.Pack(_path.Page);
        _first = pack + Listpack.HeaderSize;
        _entry = pack + ListPage.PositionOf(_path.Page, index);
    }
}
