using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;

namespace Cinnabar.Keyspace.Entries;

/// <summary>A look at a list, valid until the next change to the stripe.</summary>
public readonly unsafe ref struct ListView
{
    // SAFETY: as of the EntryView that it comes from; the entry holds a list.
    private readonly byte* _entry;

    internal ListView(byte* entry) => _entry = entry;

    /// <summary>Elements.</summary>
    public long Count => IsSmall ? new ListpackReader(Payload).Count : Pages.Count;

    /// <summary>How a list that is no listpack lies in its pages.</summary>
    public ListShape Shape() => Pages.Shape();

    private bool IsSmall => KeyEntry.Encoding(_entry) == KeyEncoding.Listpack;

    private byte* Payload => KeyEntry.Value(_entry);

    internal ListPages Pages => ListPages.FromAddress(EntryValue.Word(Payload, 0));

    /// <summary>Stands at the element of a rank, 0 to <see cref="Count"/> - 1.</summary>
    public ListCursor CursorAt(long rank) =>
        IsSmall ? new ListCursor(Payload, (int)rank) : Pages.CursorAt(rank);

    /// <summary>The element at an end; no list is empty.</summary>
    public ListpackValue At(ListEnd end)
    {
        if (!IsSmall)
            return Pages.At(end);
        var reader = new ListpackReader(Payload);
        return reader[end == ListEnd.Head ? reader.First : reader.Last];
    }
}
