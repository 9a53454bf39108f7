using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Loading;

/// <summary>Builds a list: a listpack while it is within the limits, else pages.</summary>
// SAFETY: the payload is what Begin and the last change have made it: a listpack, or the address of pages.
public readonly unsafe ref struct ListLoad
{
    private readonly LoadedValue _value;

    /// <summary>Begins an empty list.</summary>
    public ListLoad(LoadedValue value)
    {
        _value = value;
        Listpack.Initialize(Entry.Begin(KeyType.List, KeyEncoding.Listpack, Listpack.EmptySize));
    }

    /// <summary>Elements.</summary>
    public long Count => IsSmall ? Reader.Count : Pages.Count;

    private DetachedEntry Entry => _value.Entry;

    private TreeSource Trees => _value.Keyspace.Trees;

    private bool IsSmall => Entry.Encoding == KeyEncoding.Listpack;

    private ListpackReader Reader => new(Entry.Payload);

    private ListPages Pages => ListPages.FromAddress(EntryValue.Word(Entry.Payload, 0));

    /// <summary>Adds an element.</summary>
    public void Add(in ListpackElement element)
    {
        if (IsSmall && Fits(element.Size, 1))
        {
            int size = Entry.Size + (int)element.Size;
            new ListpackEditor(Entry.Resize(size, KeyEncoding.Listpack), size).Append(in element);
            return;
        }

        BecomePages();
        ListPageLimits limits = _value.Limits.ListPages;
        ListPages pages = Pages;
        pages.Push(Trees, in limits, ListEnd.Tail, in element);
        EntryValue.SetWord(Entry.Payload, 0, pages.Address);
    }

    /// <summary>Adds the entries of a sound listpack.</summary>
    public void AddListpack(byte* listpack)
    {
        var added = new ListpackReader(listpack);
        int bytes = added.Size - Listpack.EmptySize;
        if (IsSmall && Fits(bytes, added.Count))
        {
            int size = Entry.Size + bytes;
            var editor = new ListpackEditor(Entry.Resize(size, KeyEncoding.Listpack), size);
            editor.InsertEntries(
                editor.Reader.End, added.Entries(Listpack.HeaderSize, added.End), added.Count);
            return;
        }

        BecomePages();
        ListPageLimits limits = _value.Limits.ListPages;
        ListPages pages = Pages;
        pages.AppendListpack(Trees, in limits, listpack);
        EntryValue.SetWord(Entry.Payload, 0, pages.Address);
    }

    private bool Fits(long bytes, int count)
    {
        ListPageLimits limits = _value.Limits.ListPages;
        return Entry.Size + bytes <= Math.Min(limits.BytesMax, KeyEntry.InlineValueLengthMax)
            && Reader.Count + (long)count <= limits.CountMax;
    }

    private void BecomePages()
    {
        if (!IsSmall)
            return;
        ListPages pages = ListPages.Create(Trees);
        ListPageLimits limits = _value.Limits.ListPages;
        pages.AppendListpack(Trees, in limits, Entry.Payload);
        EntryValue.SetWord(Entry.Resize(sizeof(long), KeyEncoding.Quicklist), 0, pages.Address);
    }
}
