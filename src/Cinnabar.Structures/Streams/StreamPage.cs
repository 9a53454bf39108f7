// A page of a stream: the ID of the entry that it was made for, and a listpack as Redis's streams have them.
//
//   0      8            16
//   | ms   | sequence   | listpack: | page's head | entry | entry | ... |
//
//   head:   live entries | deleted entries | field count n | field 1 | ... | field n | 0
//   entry:  flags | ms - page's ms | sequence - page's sequence | values 1 .. n | elements before this
//   or:     flags | ...ms | ...sequence | m | field 1 | value 1 | ... | field m | value m | elements before
//
// Every word is an element of the listpack. Entries usually have the fields of the first one in their page:
// then they say so in their flags (2) and store values only. IDs are small differences. The last element
// counts the entry's elements before it, for walks backwards; the head's last element is a 0, which says that
// there is nothing before. A deleted entry gets the flag 1 and stays, until its page has no live entry:
// removing it from the middle would move what is behind, and Redis does the same.
//
// Why Redis's own format and not a denser one: which entries share a page is visible (XTRIM with ~ removes
// whole pages), the sizes decide that, so they must be Redis's anyway; and dumps and RDB files become copies.
// Source: redis-server 7.0's dumps of streams, and the listpack format (Listpack's file).
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: a page in a stream's tree was written by StreamEntries or has passed StreamPageValidator, so its
// listpack has the elements that its head and entries count.
/// <summary>Reads the pages of a stream.</summary>
internal static unsafe class StreamPage
{
    /// <summary>Bytes before the listpack.</summary>
    internal const int HeadSize = 16;

    /// <summary>The flag of deleted entries.</summary>
    internal const int DeletedFlag = 1;

    /// <summary>The flag of entries with the page's fields.</summary>
    internal const int PageFieldsFlag = 2;

    /// <summary>The elements of an entry before its values where it has the page's fields.</summary>
    internal const int ShortHeadCount = 3;

    /// <summary>The ID that differences are relative to.</summary>
    internal static StreamId BaseId(TreePage* page)
    {
        var words = (ulong*)TreePage.Data(page);
        return new StreamId(words[0], words[1]);
    }

    /// <summary>The listpack.</summary>
    internal static byte* Pack(TreePage* page) => TreePage.Data(page) + HeadSize;

    /// <summary>The first element of the head: the number of live entries.</summary>
    internal static byte* Head(TreePage* page) => Pack(page) + Listpack.HeaderSize;

    /// <summary>Behind the last entry.</summary>
    internal static byte* End(TreePage* page) => Pack(page) + Listpack.SizeOf(Pack(page)) - 1;

    /// <summary>How many deleted entries there are.</summary>
    internal static long DeletedCount(TreePage* page) =>
        ListpackFormat.ReadInteger(ListpackFormat.Skip(Head(page)));

    /// <summary>The fields of the page's first entry.</summary>
    internal static byte* Fields(TreePage* page, out int count)
    {
        byte* at = ListpackFormat.Skip(ListpackFormat.Skip(Head(page)));
        count = (int)ListpackFormat.ReadInteger(at);
        return ListpackFormat.Skip(at);
    }

    /// <summary>The first entry, which may be deleted.</summary>
    internal static byte* First(TreePage* page)
    {
        byte* at = Fields(page, out int count);
        for (; count >= 0; count--) at = ListpackFormat.Skip(at);
        return at;
    }

    /// <summary>Reads the beginning of an entry.</summary>
    internal static void Read(TreePage* page, byte* at, out StreamEntry entry)
    {
        var words = (ulong*)TreePage.Data(page);
        entry.Start = at;
        int flags = *at;
        entry.IsDeleted = (flags & DeletedFlag) != 0;
        entry.HasPageFields = (flags & PageFieldsFlag) != 0;
        at = ListpackFormat.Skip(at);
        ulong ms = words[0] + (ulong)ListpackFormat.ReadInteger(at);
        at = ListpackFormat.Skip(at);
        entry.Id = new StreamId(ms, words[1] + (ulong)ListpackFormat.ReadInteger(at));
        at = ListpackFormat.Skip(at);
        if (entry.HasPageFields)
        {
            Fields(page, out entry.FieldCount);
        }
        else
        {
            entry.FieldCount = (int)ListpackFormat.ReadInteger(at);
            at = ListpackFormat.Skip(at);
        }
        entry.Texts = at;
    }

    /// <summary>Where the next entry begins, or the end.</summary>
    internal static byte* Behind(in StreamEntry entry)
    {
        byte* at = entry.Texts;
        int count = entry.HasPageFields ? entry.FieldCount : 2 * entry.FieldCount;
        for (; count >= 0; count--) at = ListpackFormat.Skip(at);
        return at;
    }

    /// <summary>Where the entry before a place begins; null before the first one.</summary>
    internal static byte* Before(byte* place)
    {
        byte* at = ListpackFormat.SkipBack(place);
        long count = ListpackFormat.ReadInteger(at);
        if (count == 0) return null;
        for (; count > 0; count--) at = ListpackFormat.SkipBack(at);
        return at;
    }

    /// <summary>The last entry's ID, whether it is deleted or not.</summary>
    internal static StreamId LastId(TreePage* page)
    {
        Read(page, Before(End(page)), out StreamEntry entry);
        return entry.Id;
    }

    /// <summary>Finds an entry that is not deleted.</summary>
    internal static bool TryFind(TreePage* page, StreamId id, out StreamEntry entry)
    {
        byte* end = End(page);
        for (byte* at = First(page); at < end; at = Behind(in entry))
        {
            Read(page, at, out entry);
            if (entry.Id >= id) return entry.Id == id && !entry.IsDeleted;
        }
        entry = default;
        return false;
    }

    /// <summary>Whether an element is this text, or the integer that it is.</summary>
    internal static bool IsText(byte* element, ReadOnlySpan<byte> text) => ValueOf(element).Equals(text);

    /// <summary>What an element holds.</summary>
    internal static ListpackValue ValueOf(byte* element) => ListpackFormat.IsInteger(*element)
        ? new ListpackValue(ListpackFormat.ReadInteger(element))
        : new ListpackValue(ListpackFormat.ReadText(element));
}
