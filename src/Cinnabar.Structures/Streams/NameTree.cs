// Names with values, in the order of owner and name: a stream's consumer groups (owner 0), the consumers of a
// group (the group is the owner), and likewise the producers of idempotent entries and what they produced.
// Owners are numbers that are never used again, so one tree holds them all, a snapshot is one reference, and
// what belongs to an owner is a range.
//
// Pages are RecordPages. A value that keeps its length is written in place: those of groups and consumers
// always do.
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: pages are edited only when owned; separators written here have NameKey.Size bytes.
/// <summary>Names with values. A handle as large as a pointer; null is an empty one.</summary>
internal unsafe struct NameTree
{
    private const int StackCountMax = 512;

    private PageTree _tree;

    /// <summary>Names of all owners.</summary>
    internal readonly long Count => _tree.Root == null ? 0 : _tree.Count;

    /// <summary>Bytes of all blocks, shared ones included.</summary>
    internal readonly long MemoryBytes => _tree.Root == null ? 0 : _tree.MemoryBytes;

    /// <summary>The tree of pages, for cursors.</summary>
    internal readonly PageTree Pages => _tree;

    /// <summary>Another reference to what is there now.</summary>
    internal readonly void Retain()
    {
        if (_tree.Root != null) _tree.Retain();
    }

    /// <summary>Gives this reference up.</summary>
    internal void Release(TreeSource source)
    {
        if (_tree.Root != null) _tree.Release(source);
    }

    /// <summary>Finds a name; the value is valid until the tree changes.</summary>
    internal readonly bool TryFind(ulong owner, scoped ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        value = default;
        if (Count == 0) return false;
        var key = new NameKey(owner, name);
        TreePage* page = _tree.FindPage(key);
        int index = key.CountBefore(page);
        if (index == page->Count || key.Compare(page, index) != 0) return false;
        value = NameRecord.Value(page, index);
        return true;
    }

    /// <summary>How many names lie before this one.</summary>
    internal readonly long CountBefore(ulong owner, ReadOnlySpan<byte> name)
    {
        if (Count == 0) return 0;
        var key = new NameKey(owner, name);
        _tree.Seek(key, out TreePath path);
        return PageTree.RankOf(in path) + key.CountBefore(path.Page);
    }

    /// <summary>The value, and the name, of a rank among all. Good until the tree changes.</summary>
    internal readonly ReadOnlySpan<byte> ValueAt(long rank, out ReadOnlySpan<byte> name)
    {
        int index = _tree.SeekRank(rank, out TreePath path);
        name = NameRecord.Name(path.Page, index);
        return NameRecord.Value(path.Page, index);
    }

    /// <summary>The value of a name that is there, to be written to in place.</summary>
    internal Span<byte> Edit(TreeSource source, ulong owner, ReadOnlySpan<byte> name)
    {
        var key = new NameKey(owner, name);
        _tree.Seek(key, out TreePath path);
        TreePage* page = _tree.Own(source, ref path);
        int index = key.CountBefore(page);
        if (index == page->Count || key.Compare(page, index) != 0)
            throw new InvalidOperationException("there is no such name");
        return NameRecord.Value(page, index);
    }

    /// <summary>Adds a name that is not there.</summary>
    internal void Insert(
        TreeSource source, ulong owner, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (_tree.Root == null) _tree = PageTree.Create(source, NameKey.Size);
        int bytes = NameRecord.SizeFor(name, value);
        var key = new NameKey(owner, name);
        byte* separator = stackalloc byte[NameKey.Size];
        key.WriteTo(separator);
        if (_tree.Count == 0)
        {
            _tree.Append(source, NewPage(source, _tree.Home, owner, name, value), separator);
            return;
        }
        _tree.Seek(key, out TreePath path);
        int index = key.CountBefore(path.Page);
        Debug.Assert(index == path.Page->Count || key.Compare(path.Page, index) != 0, "it is there");
        if (RecordPage<NameRecord>.HasRoom(path.Page, bytes, 0))
        {
            Put(_tree.Own(source, ref path), index, owner, name, value);
            PageTree.Counted(in path, 1);
            return;
        }
        if (path.Page->Used + RecordPage<NameRecord>.RoomFor(1, bytes) <= RecordPage<NameRecord>.UsedMax)
        {
            TreePage* larger = RecordPage<NameRecord>.Copy(source, path.Page, 1, bytes);
            Put(larger, index, owner, name, value);
            _tree.Replace(source, ref path, larger);
            return;
        }
        if (index == path.Page->Count)
        {
            TreePage* alone = NewPage(source, _tree.Home, owner, name, value);
            _tree.ReplaceByTwo(source, ref path, path.Page, alone, separator);
            return;
        }
        TreePage* whole = RecordPage<NameRecord>.Copy(source, path.Page, 1, bytes);
        Put(whole, index, owner, name, value);
        Split(source, ref path, whole);
    }

    /// <summary>Removes a name; returns whether it was there.</summary>
    internal bool Remove(TreeSource source, ulong owner, ReadOnlySpan<byte> name)
    {
        if (Count == 0) return false;
        var key = new NameKey(owner, name);
        _tree.Seek(key, out TreePath path);
        int index = key.CountBefore(path.Page);
        if (index == path.Page->Count || key.Compare(path.Page, index) != 0) return false;
        PageShrink<NameRecord>.Remove(source, ref _tree, ref path, index);
        return true;
    }

    /// <summary>Removes all names of an owner.</summary>
    internal void RemoveOwner(TreeSource source, ulong owner)
    {
        long from = CountBefore(owner, default);
        long to = CountBefore(owner + 1, default);
        PageShrink<NameRecord>.RemoveRange(source, ref _tree, from, to);
    }

    /// <summary>Whatever breaks an invariant, in words, or null. For tests.</summary>
    internal readonly string? FindFault() => _tree.Root == null
        ? null
        : TreeVerifier.FindFault(in _tree, static (page, separator, nextSeparator) =>
        {
            for (int index = 1; index < page->Count; index++)
            {
                if (KeyOf(page, index).Compare(page, index - 1) <= 0) return "names are out of order";
            }
            if (separator != null && KeyOf(page, 0).CompareBeginning(separator) < 0)
                return "a name before its page's separator";
            if (nextSeparator == null) return null;
            NameKey last = KeyOf(page, page->Count - 1);
            return last.CompareBeginning(nextSeparator) <= 0 ? null : "a name behind the next separator";
        });

    private static NameKey KeyOf(TreePage* page, int index) =>
        new(NameRecord.Owners(page)[index], NameRecord.Name(page, index));

    private static void Put(
        TreePage* page, int index, ulong owner, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        byte* record = RecordPage<NameRecord>.Insert(page, index, NameRecord.SizeFor(name, value));
        NameRecord.Write(record, name, value);
        NameRecord.Owners(page)[index] = owner;
    }

    private static TreePage* NewPage(
        TreeSource source, int home, ulong owner, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        int room = RecordPage<NameRecord>.RoomFor(1, NameRecord.SizeFor(name, value));
        TreePage* page = source.NewPage(home, room);
        Put(page, 0, owner, name, value);
        return page;
    }

    [SkipLocalsInit]
    private void Split(TreeSource source, ref TreePath path, TreePage* whole)
    {
        byte* separator = stackalloc byte[NameKey.Size];
        Span<int> order = whole->Count <= StackCountMax
            ? stackalloc int[StackCountMax]
            : new int[whole->Count];
        order = RecordPage<NameRecord>.AllBut(order, whole->Count, -1);
        int cut = RecordPage<NameRecord>.Middle(whole, order);
        KeyOf(whole, cut).WriteTo(separator);
        PagePair pair = PageSplit<NameRecord>.Cut(source, whole, order, cut);
        _tree.ReplaceByTwo(source, ref path, pair.Left, pair.Right, separator);
    }
}
