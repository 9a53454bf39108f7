// One page of a big list: a listpack with room before and behind it, or one element that is too big for that.
//
//   packed:  | page header | room | size, count | entry | entry | ... | FF | room |   Kind: the first room's
//            |             |------|<------------ Used -------------------->|          bytes
//   plain:   | page header | bytes of the element | room |                            Kind: -1
//   and compressed ones, which SqueezedPage describes                             Kind: -2
//
// A listpack's header is at its beginning, and so Redis moves all of a node's bytes with every LPUSH and
// LPOP. Here the listpack moves its beginning instead: a push or pop at either end writes the six bytes of
// the header and its entry, nothing else. Within, whichever side is shorter moves. When the room on the side
// where it is wanted is used up but the other one has enough, the listpack moves once so that the side gets
// half of what is left: a queue (in at one end, out at the other) moves a byte about once for each byte that
// comes in.
//
// Limits: a plain element of 2 GiB less the header. Whether something is plain decides the page's maker, by
// ListPageLimits; readers look at Kind.
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Lists;

// SAFETY: pages are edited only when owned, within Capacity; positions are those of entries, or the end's.
/// <summary>Reads and edits the page of a <see cref="ListPages"/>.</summary>
internal static unsafe class ListPage
{
    private const int PlainKind = -1;

    /// <summary>Whether the page is one big element.</summary>
    internal static bool IsPlain(TreePage* page) => page->Kind == PlainKind;

    /// <summary>Whether the page is a listpack that lies open.</summary>
    internal static bool IsPacked(TreePage* page) => page->Kind >= 0;

    /// <summary>The listpack of a page that has one.</summary>
    internal static byte* Pack(TreePage* page)
    {
        Debug.Assert(page->Kind >= 0, "a page without a listpack");
        return TreePage.Data(page) + page->Kind;
    }

    /// <summary>The element of a plain page.</summary>
    internal static ReadOnlySpan<byte> PlainText(TreePage* page) => new(TreePage.Data(page), page->Used);

    /// <summary>Bytes free on both sides.</summary>
    internal static int RoomIn(TreePage* page) => page->Capacity - page->Used;

    /// <summary>Whether an element may be added without breaking the limits.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool Admits(TreePage* page, in ListPageLimits limits, long size) =>
        page->Kind >= 0 && page->Used + size <= limits.PageBytesMax && page->Count < limits.CountMax;

    /// <summary>Whether an element cannot share a page.</summary>
    internal static bool IsBig(in ListPageLimits limits, in ListpackElement element) =>
        Listpack.EmptySize + element.Size > limits.PageBytesMax;

    /// <summary>A page of one big element.</summary>
    internal static TreePage* NewPlain(TreeSource source, int home, ReadOnlySpan<byte> text)
    {
        TreePage* page = source.NewPage(home, text.Length);
        text.CopyTo(new Span<byte>(TreePage.Data(page), text.Length));
        page->Kind = PlainKind;
        page->Used = text.Length;
        page->Count = 1;
        return page;
    }

    /// <summary>A page with the listpack of no entries, and with room at one end.</summary>
    internal static TreePage* NewPacked(TreeSource source, int home, int room, ListEnd roomAt)
    {
        TreePage* page = source.NewPage(home, room);
        page->Kind = roomAt == ListEnd.Head ? page->Capacity - Listpack.EmptySize : 0;
        page->Used = Listpack.EmptySize;
        Listpack.Initialize(Pack(page));
        return page;
    }

    /// <summary>A page with entries of a listpack.</summary>
    internal static TreePage* NewPart(TreeSource source, int home, ReadOnlySpan<byte> entries, int count)
    {
        TreePage* part = NewPacked(source, home, entries.Length + Listpack.EmptySize, ListEnd.Tail);
        Append(part, entries, count);
        return part;
    }

    /// <summary>A page with the entries of two.</summary>
    internal static TreePage* Join(TreeSource source, TreePage* left, TreePage* right)
    {
        TreePage* joined = Copy(source, left, left->Used + right->Used, ListEnd.Tail);
        var reader = new ListpackReader(Pack(right));
        Append(joined, reader.Entries(Listpack.HeaderSize, reader.End), right->Count);
        return joined;
    }

    /// <summary>A copy of a packed page in a block of another size, with its room at one end.</summary>
    internal static TreePage* Copy(TreeSource source, TreePage* page, int room, ListEnd roomAt)
    {
        Debug.Assert(room >= page->Used, "a page was to be cut");
        TreePage* copy = source.NewPage(page->Home, room);
        copy->Kind = roomAt == ListEnd.Head ? copy->Capacity - page->Used : 0;
        copy->Used = page->Used;
        copy->Count = page->Count;
        Buffer.MemoryCopy(Pack(page), Pack(copy), page->Used, page->Used);
        return copy;
    }

    /// <summary>The position of an element, from the nearer end.</summary>
    internal static int PositionOf(TreePage* page, int index) => new ListpackReader(Pack(page)).Seek(index);

    /// <summary>The position before which an element at an end goes.</summary>
    internal static int PositionAt(TreePage* page, ListEnd end) =>
        end == ListEnd.Head ? Listpack.HeaderSize : page->Used - 1;

    /// <summary>Adds an element at an end, if the limits and the room on that side allow it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryAdd(
        TreePage* page, in ListPageLimits limits, ListEnd end, in ListpackElement element)
    {
        bool isHead = end == ListEnd.Head;
        int used = page->Used;
        int room = isHead ? page->Kind : page->Capacity - page->Kind - used;
        if (element.Size > room || !Admits(page, in limits, element.Size)) return false;
        int size = (int)element.Size;
        if (isHead) page->Kind -= size;
        byte* pack = Pack(page);
        element.Write(pack + (isHead ? Listpack.HeaderSize : used - 1));
        pack[used + size - 1] = Listpack.Terminator;
        Describe(page, used + size, page->Count + 1);
        return true;
    }

    internal static byte* EntryAt(TreePage* page, ListEnd end)
    {
        byte* pack = Pack(page);
        return end == ListEnd.Head
            ? pack + Listpack.HeaderSize : ListpackFormat.SkipBack(pack + page->Used - 1);
    }

    /// <summary>Takes out the element at an end; there is another one.</summary>
    internal static void DeleteEnd(TreePage* page, ListEnd end) => RemoveEnd(page, end, EntryAt(page, end));

    /// <summary>Takes out the element at an end, whose entry was found; there is another one.</summary>
    internal static void RemoveEnd(TreePage* page, ListEnd end, byte* entry)
    {
        int used;
        if (end == ListEnd.Head)
        {
            int size = (int)(ListpackFormat.Skip(entry) - entry);
            page->Kind += size;
            used = page->Used - size;
        }
        else
        {
            *entry = Listpack.Terminator;
            used = (int)(entry - Pack(page)) + 1;
        }
        Describe(page, used, page->Count - 1);
    }

    /// <summary>Puts an element before a position; both sides together have room for it.</summary>
    internal static void Insert(TreePage* page, int position, in ListpackElement element)
    {
        int size = (int)element.Size;
        int used = page->Used;
        bool movesFront = position <= used / 2 && position < used - 1;
        int room = movesFront ? page->Kind : page->Capacity - page->Kind - used;
        if (room < size) GiveRoom(page, size, movesFront);
        byte* pack = Pack(page);
        if (movesFront)
        {
            // The header is written anew in any case.
            if (position > Listpack.HeaderSize) Move(pack, pack - size, position);
            pack -= size;
            page->Kind -= size;
        }
        else
        {
            Move(pack + position, pack + position + size, used - position);
        }
        element.Write(pack + position);
        Describe(page, used + size, page->Count + 1);
    }

    /// <summary>Puts entries of another page behind the last one; there is room for them.</summary>
    internal static void Append(TreePage* page, ReadOnlySpan<byte> entries, int count)
    {
        int used = page->Used;
        int room = page->Capacity - page->Kind - used;
        if (room < entries.Length) GiveRoom(page, entries.Length, isFront: false);
        byte* pack = Pack(page);
        entries.CopyTo(new Span<byte>(pack + used - 1, entries.Length));
        pack[used - 1 + entries.Length] = Listpack.Terminator;
        Describe(page, used + entries.Length, page->Count + count);
    }

    /// <summary>Removes entries: a number of bytes from a position on.</summary>
    internal static void Delete(TreePage* page, int position, int size, int count)
    {
        byte* pack = Pack(page);
        int tail = page->Used - position - size;
        if (position < tail)
        {
            if (position > Listpack.HeaderSize) Move(pack, pack + size, position);
            page->Kind += size;
        }
        else
        {
            Move(pack + position + size, pack + position, tail);
        }
        Describe(page, page->Used - size, page->Count - count);
    }

    /// <summary>Takes out elements from an index on.</summary>
    internal static void DeleteAt(TreePage* page, int index, int count)
    {
        var reader = new ListpackReader(Pack(page));
        int position = reader.Seek(index);
        int end = index + count == page->Count ? reader.End : reader.Behind(position, count);
        Delete(page, position, end - position, count);
    }

    /// <summary>How many elements are the text.</summary>
    internal static int CountEqual(TreePage* page, scoped ReadOnlySpan<byte> text)
    {
        if (IsPlain(page)) return PlainText(page).SequenceEqual(text) ? 1 : 0;
        if (SqueezedPage.Is(page)) return SqueezedPage.CountEqual(page, text);
        return ListSieve.CountEqual(Pack(page), text);
    }

    /// <summary>Takes out some of the elements that are the text, after leaving some of them.</summary>
    internal static void DropEqual(TreePage* page, scoped in ListText text, int skipped, int dropped)
    {
        byte* pack = Pack(page);
        page->Count -= ListSieve.DropEqual(pack, in text, skipped, dropped);
        page->Used = Listpack.SizeOf(pack);
    }

    /// <summary>Whatever breaks an invariant, in words, or null. For tests.</summary>
    internal static string? FindFault(TreePage* page)
    {
        if (IsPlain(page)) return page->Count == 1 ? null : "a plain page of several elements";
        if (SqueezedPage.Is(page)) return SqueezedPage.FindFault(page);
        if (page->Kind < 0 || page->Kind + page->Used > page->Capacity) return "a listpack beside its page";
        return FindFault(new ReadOnlySpan<byte>(Pack(page), page->Used), page->Count);
    }

    /// <summary>Whatever is wrong with the listpack of a page, in words, or null. For tests.</summary>
    internal static string? FindFault(ReadOnlySpan<byte> listpack, int countWanted)
    {
        if (!ListpackValidator.IsSound(listpack)) return "an unsound listpack";
        fixed (byte* data = listpack)
        {
            int count = new ListpackReader(data).Count;
            return count == countWanted ? null : $"{count} entries counted as {countWanted}";
        }
    }

    private static void GiveRoom(TreePage* page, int size, bool isFront)
    {
        int rest = (RoomIn(page) - size) / 2;
        Debug.Assert(rest >= 0, "a page without room");
        int kind = isFront ? size + rest : rest;
        Move(Pack(page), TreePage.Data(page) + kind, page->Used);
        page->Kind = kind;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Describe(TreePage* page, int used, int count)
    {
        byte* pack = Pack(page);
        page->Used = used;
        page->Count = count;
        *(int*)pack = used;
        *(ushort*)(pack + 4) = (ushort)count;
    }

    private static void Move(byte* from, byte* to, int size)
    {
        if (size == 1)
            *to = *from;
        else
            Buffer.MemoryCopy(from, to, size, size);
    }
}
