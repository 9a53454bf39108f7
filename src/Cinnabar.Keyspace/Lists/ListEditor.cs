// The writing side of a list. A small one is a listpack inside the entry, up to list-max-listpack-size; what
// does not fit makes it a tree of pages (ListPages), whose address is then all that the entry holds. A list
// that has shrunk to half of that size goes back into its entry, so that one that stays near the limit is not
// converted again and again: as in Redis since 7.2.
//
// Whether it fits is checked once a command, as in Redis: the bytes of the listpack as it is and those of all
// new texts as the client wrote them, not what they take in a listpack. So many small elements in one command
// may make a listpack that is several times as long as the limit, up to what an entry can hold, which the
// next command then turns into a tree; and many integers a tree where the listpack would have fit.
//
// An editor declares nothing, and leaves an empty list to Complete, which every command that took something
// out has to call in the end.
using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Lists;

// SAFETY: the execution holds the stripe's lock; payloads are read again after everything that may move them.
/// <summary>Changes the list of a key, or makes it. Valid as long as its slot is.</summary>
public unsafe ref struct ListEditor
{
    private readonly KeyspaceAccess _access;
    private readonly ListPageLimits _limits;
    private readonly Key _key;
    private ValueSlot _slot;

    // What Reserve has decided: it stays a listpack, or begins as a tree.
    private bool _hasRoom;
    private bool _beginsAsTree;

    /// <summary>An editor of a key.</summary>
    /// <param name="access">The execution's view.</param>
    /// <param name="key">The key.</param>
    /// <param name="slot">Its place, with a list in it or missing.</param>
    public ListEditor(KeyspaceAccess access, Key key, ValueSlot slot)
    {
        Debug.Assert(slot.IsMissing || slot.Type == KeyType.List, "not a list");
        _access = access;
        _key = key;
        _slot = slot;
        _limits = access.Keyspace.Limits.ListPages;
    }

    /// <summary>Elements; 0 of a list that is not there.</summary>
    public readonly long Count => _slot.IsMissing ? 0 : View.Count;

    /// <summary>The list as it is now; it must be there.</summary>
    public readonly ListView View => _slot.View.List;

    private readonly bool IsSmall => _slot.Encoding == KeyEncoding.Listpack;

    private readonly ListpackReader Reader => new(_slot.Payload);

    private readonly ListPages Pages => ListPages.FromAddress(EntryValue.Word(_slot.Payload, 0));

    private readonly TreeSource Trees => _access.Keyspace.Trees;

    /// <summary>Decides about the elements that a command is going to push, all at once.</summary>
    /// <param name="count">How many.</param>
    /// <param name="textBytes">The sum of their lengths.</param>
    public void Reserve(int count, long textBytes)
    {
        if (!_slot.IsMissing && !IsSmall) return;
        int size = _slot.IsMissing ? Listpack.EmptySize : Reader.Size;
        int countBefore = _slot.IsMissing ? 0 : Reader.Count;
        _hasRoom = IsWithin(size + textBytes, (long)countBefore + count);
        if (_hasRoom) return;
        _beginsAsTree = _slot.IsMissing;
        if (_slot.IsMissing) return;
        _slot.BeginChange();
        Outgrow();
    }

    /// <summary>Adds an element at an end; makes the list if it is not there.</summary>
    /// <param name="end">The end.</param>
    /// <param name="text">Must not lie in this list.</param>
    public void Push(ListEnd end, scoped ReadOnlySpan<byte> text)
    {
        if (_slot.IsMissing)
        {
            Create(text);
            return;
        }
        var element = new ListpackElement(text);
        _slot.BeginChange();
        if (IsSmall && !TryGrow(element.Size, text.Length)) Outgrow();
        if (IsSmall)
        {
            ListpackEditor editor = Editor();
            editor.Insert(end == ListEnd.Head ? Listpack.HeaderSize : editor.Reader.End, in element);
            return;
        }
        ListPages pages = Pages;
        pages.Push(Trees, in _limits, end, in element);
        Store(pages);
    }

    /// <summary>Removes the element at an end; the list is not empty.</summary>
    public void Pop(ListEnd end)
    {
        Debug.Assert(Count > 0, "an element is taken from an empty list");
        _slot.BeginChange();
        if (IsSmall)
        {
            ListpackReader reader = Reader;
            DeleteSmall(end == ListEnd.Head ? reader.First : reader.Last, 1);
            return;
        }
        ListPages pages = Pages;
        pages.Pop(Trees, end);
        Store(pages);
    }

    /// <summary>Begins to take the element at an end of a long list, if it can be removed where it is; then
    /// it is removed, or kept after all, before the list is used, and <see cref="Complete"/> is not
    /// needed.</summary>
    public readonly bool TryTakeEnd(ListEnd end, out ListEndElement element)
    {
        element = default;
        if (IsSmall) return false;
        _slot.BeginChange();
        return Pages.TryTakeEnd(end, out element);
    }

    /// <summary>Puts an element before the one of a rank, 0 to Count, which is the end.</summary>
    /// <param name="rank">The rank.</param>
    /// <param name="text">Must not lie in this list.</param>
    public void Insert(long rank, scoped ReadOnlySpan<byte> text)
    {
        Debug.Assert(rank >= 0 && rank <= Count, "no such rank");
        var element = new ListpackElement(text);
        _slot.BeginChange();
        if (IsSmall && !TryGrow(element.Size, text.Length)) Outgrow();
        if (IsSmall)
        {
            ListpackEditor editor = Editor();
            int position = editor.Reader.Seek((int)rank);
            editor.Insert(position == 0 ? editor.Reader.End : position, in element);
            return;
        }
        ListPages pages = Pages;
        pages.Insert(Trees, in _limits, rank, in element);
        Store(pages);
    }

    /// <summary>Puts an element in the place of the one of a rank, 0 to Count - 1.</summary>
    /// <param name="rank">The rank.</param>
    /// <param name="text">Must not lie in this list.</param>
    public void Set(long rank, scoped ReadOnlySpan<byte> text)
    {
        Debug.Assert(rank >= 0 && rank < Count, "no such rank");
        var element = new ListpackElement(text);
        _slot.BeginChange();
        if (IsSmall && HasRoom(element.Size, text.Length))
        {
            int position = Reader.Seek((int)rank);
            long growth = element.Size - Reader.SizeAt(position);
            if (growth > 0) _slot.Resize((int)(Reader.Size + growth));
            Editor().Replace(position, in element);
            if (growth < 0) _slot.Resize(Reader.Size);
            return;
        }
        // As in Redis, the new element must fit in beside the old one.
        if (IsSmall) Outgrow();
        ListPages pages = Pages;
        pages.Set(Trees, in _limits, rank, in element);
        Store(pages);
    }

    /// <summary>Removes the elements from a rank on and before another.</summary>
    public void RemoveRange(long from, long to)
    {
        Debug.Assert(from >= 0 && to <= Count, "no such ranks");
        if (from >= to) return;
        _slot.BeginChange();
        if (IsSmall)
        {
            DeleteSmall(Reader.Seek((int)from), (int)(to - from));
            return;
        }
        ListPages pages = Pages;
        pages.RemoveRange(Trees, in _limits, from, to);
        Store(pages);
    }

    /// <summary>Removes elements that are a text: all, or the ones nearest to an end.</summary>
    /// <param name="text">Must not lie in this list.</param>
    /// <param name="from">Where the search begins.</param>
    /// <param name="countMax">How many are removed at most, 1 or more.</param>
    /// <returns>How many were removed.</returns>
    public long RemoveEqual(scoped ReadOnlySpan<byte> text, ListEnd from, long countMax)
    {
        Debug.Assert(countMax > 0, "nothing is to be removed");
        _slot.BeginChange();
        if (IsSmall)
        {
            bool isTail = from == ListEnd.Tail;
            long skipped = isTail ? Math.Max(ListSieve.CountEqual(_slot.Payload, text) - countMax, 0) : 0;
            int removed = ListSieve.DropEqual(_slot.Payload, new ListText(text), (int)skipped, countMax);
            if (removed > 0) _slot.Resize(Reader.Size);
            return removed;
        }
        ListPages pages = Pages;
        long count = pages.RemoveEqual(Trees, in _limits, new ListText(text), from, countMax);
        Store(pages);
        return count;
    }

    /// <summary>Takes a list over, in place of the one that is there, or where the slot is missing, of
    /// whatever the key has. It is not empty, or <see cref="Complete"/> follows.</summary>
    public void Adopt(DetachedList list)
    {
        if (!_slot.IsMissing)
        {
            _slot.BeginChange();
            ListPages old = Pages;
            Store(list.Take());
            old.Release(Trees);
            return;
        }
        int packSize = list.PackSize;
        if (packSize != 0)
        {
            _slot = _access.CreateValue(in _key, KeyType.List, KeyEncoding.Listpack, packSize);
            list.CopyTo(_slot.Payload);
            return;
        }
        _slot = _access.CreateValue(in _key, KeyType.List, KeyEncoding.Quicklist, sizeof(nint));
        Store(list.Take());
    }

    /// <summary>Ends a change that removed something: an empty list goes, a small one becomes a
    /// listpack.</summary>
    /// <returns>Whether the key was removed; to be declared as <see cref="KeyEvent.Deleted"/>.</returns>
    public bool Complete()
    {
        if (Count == 0)
        {
            _slot.Remove();
            _slot = default;
            return true;
        }
        if (!IsSmall) Shrink();
        return false;
    }

    private readonly ListpackEditor Editor() => new(_slot.Payload, _slot.PayloadSize);

    private readonly void Store(ListPages pages) => EntryValue.SetWord(_slot.Payload, 0, pages.Address);

    private void Create(scoped ReadOnlySpan<byte> text)
    {
        var element = new ListpackElement(text);
        long size = Listpack.EmptySize + element.Size;
        bool isSmall = _hasRoom || (!_beginsAsTree && IsWithin(Listpack.EmptySize + (long)text.Length, 1));
        if (isSmall && size <= KeyEntry.InlineValueLengthMax)
        {
            _slot = _access.CreateValue(in _key, KeyType.List, KeyEncoding.Listpack, (int)size);
            Listpack.Initialize(_slot.Payload);
            Editor().Append(in element);
            return;
        }
        ListPages pages = ListPages.Create(Trees);
        pages.Push(Trees, in _limits, ListEnd.Tail, in element);
        _slot = _access.CreateValue(in _key, KeyType.List, KeyEncoding.Quicklist, sizeof(nint));
        Store(pages);
    }

    // Gives a listpack room for one element more, if it may have that.
    private readonly bool TryGrow(long growth, int textLength)
    {
        if (!HasRoom(growth, textLength)) return false;
        _slot.Resize((int)(Reader.Size + growth));
        return true;
    }

    private readonly bool HasRoom(long growth, int textLength) =>
        Reader.Size + growth <= KeyEntry.InlineValueLengthMax
        && (_hasRoom || IsWithin(Reader.Size + (long)textLength, Reader.Count + 1L));

    private readonly bool IsWithin(long size, long count) =>
        size <= _limits.BytesMax && count <= _limits.CountMax;

    private readonly void Outgrow()
    {
        ListPages pages = ListPages.Create(Trees);
        pages.AppendListpack(Trees, in _limits, _slot.Payload);
        _slot.Resize(sizeof(nint), KeyEncoding.Quicklist);
        Store(pages);
    }

    private readonly void Shrink()
    {
        ListPages pages = Pages;
        if (pages.Count > _limits.CountMax / 2) return;
        int size = pages.ListpackSize(Math.Min(_limits.ShrunkBytesMax, KeyEntry.InlineValueLengthMax));
        if (size == 0) return;
        byte* payload = _slot.Resize(size, KeyEncoding.Listpack);
        pages.CopyToListpack(new Span<byte>(payload, size));
        pages.Release(Trees);
    }

    private readonly void DeleteSmall(int position, int count)
    {
        Editor().Delete(position, count);
        _slot.Resize(Reader.Size);
    }
}
