// The writing side of a stream's entries: appending, deleting, trimming. StreamPage has the format of a page.
//
// Pages: only the last one grows. It gets a larger block when it is full, and when the next one is begun, a
// block of just its size. An entry begins a new page exactly where Redis would begin one, by the configured
// limits of bytes and entries: how many entries go with XTRIM and ~ depends on it.
//
// If memory ends, an operation leaves the tree as it was: whatever needs memory comes before the first
// change.
using Cinnabar.Resp;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: pages are edited only when owned, and within the room that was made for the edit; pages in the tree
// are sound (StreamPage).
/// <summary>Changes of a stream's entries.</summary>
internal static unsafe class StreamEntries
{
    private const int FirstRoomMax = 8 << 10;

    /// <summary>Adds an entry behind all others.</summary>
    /// <param name="source">Where the tree's memory comes from.</param>
    /// <param name="tree">The stream's entries.</param>
    /// <param name="id">Above all IDs there are, or were.</param>
    /// <param name="fields">Fields and values by turns.</param>
    /// <param name="limits">When a new page begins.</param>
    internal static void Append(
        TreeSource source, ref PageTree tree, StreamId id, ArgumentList fields, StreamNodeLimits limits)
    {
        if (tree.Count == 0)
        {
            TreePage* first = NewPage(source, tree.Home, id, fields, 0);
            tree.Append(source, first, TreePage.Data(first));
            return;
        }
        tree.SeekEdge(isLast: true, out TreePath path);
        if (!HasPlace(path.Page, fields, limits))
        {
            AppendPage(source, ref tree, ref path, id, fields);
            return;
        }
        bool isSame = HasFieldsOf(path.Page, fields);
        long size = SizeOf(path.Page, id, fields, isSame);
        long used = path.Page->Used + size + Growth(path.Page->Count, 1);
        TreePage* page = OwnWithRoom(source, ref tree, ref path, used, used + Math.Min(used, FirstRoomMax));
        var pack = new ListpackEditor(StreamPage.Pack(page), page->Capacity - StreamPage.HeadSize);
        pack.Replace(Listpack.HeaderSize, new ListpackElement(page->Count + 1L));
        int count = fields.Count / 2;
        ListpackGap gap = pack.Open(pack.Reader.End, size, ElementCount(count, isSame) + 1);
        Write(ref gap, StreamPage.BaseId(page), id, fields, isSame);
        gap.Complete();
        page->Used = StreamPage.HeadSize + pack.Reader.Size;
        page->Count++;
        PageTree.Counted(in path, 1);
    }

    /// <summary>Deletes an entry; returns whether there was one.</summary>
    internal static bool Delete(TreeSource source, ref PageTree tree, StreamId id)
    {
        if (tree.Count == 0) return false;
        tree.Seek(new StreamKey(id), out TreePath path);
        if (!StreamPage.TryFind(path.Page, id, out StreamEntry entry)) return false;
        if (path.Page->Count == 1)
        {
            tree.RemovePage(source, in path);
            return true;
        }
        long offset = entry.Start - StreamPage.Pack(path.Page);
        TreePage* page = OwnToDelete(source, ref tree, ref path, 1);
        StreamPage.Pack(page)[offset] |= StreamPage.DeletedFlag;
        NoteDeleted(in path, 1);
        return true;
    }

    /// <summary>Deletes entries from the beginning on; returns how many.</summary>
    internal static long Trim(TreeSource source, ref PageTree tree, in StreamTrim trim)
    {
        if (tree.Count == 0) return 0;
        long count = CountOfWholePages(in tree, in trim, out bool isDone);
        tree.RemovePages(source, 0, count);
        if (isDone || trim.IsApproximate || tree.Count == 0) return count;
        return count + TrimFirstPage(source, ref tree, in trim);
    }

    // The entries of the pages that go as a whole; isDone: nothing of the next one goes.
    private static long CountOfWholePages(in PageTree tree, in StreamTrim trim, out bool isDone)
    {
        long count = 0;
        isDone = true;
        tree.SeekEdge(isLast: false, out TreePath path);
        do
        {
            long left = tree.Count - count;
            if (!trim.IsById && left <= trim.LengthMax) return count;
            if (trim.CountMax != 0 && count + path.Page->Count > trim.CountMax) return count;
            bool isWhole = trim.IsById
                ? StreamPage.LastId(path.Page) < trim.IdMin
                : left - path.Page->Count >= trim.LengthMax;
            if (!isWhole)
            {
                isDone = false;
                return count;
            }
            count += path.Page->Count;
        }
        while (path.MoveNext());
        return count;
    }

    private static long TrimFirstPage(TreeSource source, ref PageTree tree, in StreamTrim trim)
    {
        tree.SeekEdge(isLast: false, out TreePath path);
        TreePage* page = OwnToDelete(source, ref tree, ref path, path.Page->Count);
        byte* end = StreamPage.End(page);
        long left = tree.Count;
        int count = 0;
        StreamEntry entry;
        for (byte* at = StreamPage.First(page); at < end; at = StreamPage.Behind(in entry))
        {
            StreamPage.Read(page, at, out entry);
            if (trim.IsById ? entry.Id >= trim.IdMin : left <= trim.LengthMax) break;
            if (entry.IsDeleted) continue;
            *entry.Start |= StreamPage.DeletedFlag;
            left--;
            count++;
        }
        if (count == page->Count)
            tree.RemovePage(source, in path);
        else
            NoteDeleted(in path, count);
        return count;
    }

    private static void NoteDeleted(in TreePath path, int count)
    {
        TreePage* page = path.Page;
        var pack = new ListpackEditor(StreamPage.Pack(page), page->Capacity - StreamPage.HeadSize);
        long deleted = StreamPage.DeletedCount(page) + count;
        page->Count -= count;
        pack.Replace(Listpack.HeaderSize, new ListpackElement((long)page->Count));
        pack.Replace(pack.Reader.Next(Listpack.HeaderSize), new ListpackElement(deleted));
        page->Used = StreamPage.HeadSize + pack.Reader.Size;
        PageTree.Counted(in path, -count);
    }

    // How many bytes more a count needs that gets higher.
    private static int Growth(long count, long more) =>
        ListpackFormat.IntegerSize(count + more) - ListpackFormat.IntegerSize(count);

    private static TreePage* OwnToDelete(TreeSource source, ref PageTree tree, ref TreePath path, int count)
    {
        long used = path.Page->Used + Growth(StreamPage.DeletedCount(path.Page), count);
        return OwnWithRoom(source, ref tree, ref path, used, used);
    }

    // The page of a path, owned, with room for a number of bytes; a new block gets the wanted room.
    private static TreePage* OwnWithRoom(
        TreeSource source, ref PageTree tree, ref TreePath path, long used, long wanted)
    {
        TreePage* page = path.Page;
        if (used <= page->Capacity) return tree.Own(source, ref path);
        TreePage* larger = source.NewPage(page->Home, checked((int)wanted));
        Copy(page, larger);
        tree.Replace(source, ref path, larger);
        return larger;
    }

    private static void Copy(TreePage* page, TreePage* to)
    {
        Buffer.MemoryCopy(TreePage.Data(page), TreePage.Data(to), to->Capacity, page->Used);
        to->Used = page->Used;
        to->Count = page->Count;
    }

    private static bool HasPlace(TreePage* page, ArgumentList fields, StreamNodeLimits limits)
    {
        long bytes = Listpack.SizeOf(StreamPage.Pack(page)) + TextBytes(fields);
        if (bytes >= limits.BytesLimit) return false;
        return limits.EntriesMax == 0 || page->Count + StreamPage.DeletedCount(page) < limits.EntriesMax;
    }

    internal static long TextBytes(ArgumentList fields)
    {
        long bytes = 0;
        for (int index = 0; index < fields.Count; index++) bytes += fields[index].Length;
        return bytes;
    }

    private static bool HasFieldsOf(TreePage* page, ArgumentList fields)
    {
        byte* field = StreamPage.Fields(page, out int count);
        if (count != fields.Count / 2) return false;
        for (int index = 0; index < fields.Count; index += 2)
        {
            if (!StreamPage.IsText(field, fields[index].Span)) return false;
            field = ListpackFormat.Skip(field);
        }
        return true;
    }

    // Puts the entry into a page of its own, and the one before into a block of its size.
    private static void AppendPage(
        TreeSource source, ref PageTree tree, ref TreePath path, StreamId id, ArgumentList fields)
    {
        TreePage* last = path.Page;
        TreePage* made = NewPage(source, tree.Home, id, fields, Math.Min(last->Used, FirstRoomMax));
        TreePage* before = last;
        if (TreeSource.CapacityFor(last->Used) < last->Capacity)
        {
            try
            {
                before = source.NewPage(last->Home, last->Used);
            }
            catch (OutOfMemoryException)
            {
                source.ReleasePage(made);
                throw;
            }
            Copy(last, before);
        }
        tree.ReplaceByTwo(source, ref path, before, made, TreePage.Data(made));
    }

    private static TreePage* NewPage(
        TreeSource source, int home, StreamId id, ArgumentList fields, int room)
    {
        int count = fields.Count / 2;
        long size = StreamPage.HeadSize + Listpack.EmptySize + 3 * new ListpackElement(1L).Size
            + new ListpackElement((long)count).Size;
        for (int index = 0; index < fields.Count; index += 2)
            size += new ListpackElement(fields[index].Span).Size;
        long entrySize = SizeOf(id, id, fields, isSame: true);
        TreePage* page = source.NewPage(home, (int)Math.Max(checked((int)(size + entrySize)), room));
        var words = (ulong*)TreePage.Data(page);
        words[0] = id.Ms;
        words[1] = id.Sequence;
        Listpack.Initialize(StreamPage.Pack(page));
        var pack = new ListpackEditor(StreamPage.Pack(page), page->Capacity - StreamPage.HeadSize);
        pack.Append(new ListpackElement(1L), new ListpackElement(0L));
        pack.Append(new ListpackElement((long)count));
        for (int index = 0; index < fields.Count; index += 2)
            pack.Append(new ListpackElement(fields[index].Span));
        pack.Append(new ListpackElement(0L));
        ListpackGap gap = pack.Open(pack.Reader.End, entrySize, StreamPage.ShortHeadCount + count + 1);
        Write(ref gap, id, id, fields, isSame: true);
        gap.Complete();
        page->Used = StreamPage.HeadSize + pack.Reader.Size;
        page->Count = 1;
        return page;
    }

    private static long SizeOf(TreePage* page, StreamId id, ArgumentList fields, bool isSame) =>
        SizeOf(StreamPage.BaseId(page), id, fields, isSame);

    private static long SizeOf(StreamId baseId, StreamId id, ArgumentList fields, bool isSame)
    {
        int count = fields.Count / 2;
        long size = new ListpackElement(0L).Size + new ListpackElement((long)(id.Ms - baseId.Ms)).Size
            + new ListpackElement((long)(id.Sequence - baseId.Sequence)).Size
            + new ListpackElement((long)ElementCount(count, isSame)).Size;
        if (!isSame) size += new ListpackElement((long)count).Size;
        for (int index = isSame ? 1 : 0; index < fields.Count; index += isSame ? 2 : 1)
            size += new ListpackElement(fields[index].Span).Size;
        return size;
    }

    private static void Write(
        ref ListpackGap gap, StreamId baseId, StreamId id, ArgumentList fields, bool isSame)
    {
        int count = fields.Count / 2;
        gap.Write(new ListpackElement(isSame ? (long)StreamPage.PageFieldsFlag : 0));
        gap.Write(new ListpackElement((long)(id.Ms - baseId.Ms)));
        gap.Write(new ListpackElement((long)(id.Sequence - baseId.Sequence)));
        if (!isSame) gap.Write(new ListpackElement((long)count));
        for (int index = isSame ? 1 : 0; index < fields.Count; index += isSame ? 2 : 1)
            gap.Write(new ListpackElement(fields[index].Span));
        gap.Write(new ListpackElement((long)ElementCount(count, isSame)));
    }

    // The elements of an entry before the one that counts them.
    private static int ElementCount(int fieldCount, bool isSame) =>
        StreamPage.ShortHeadCount + (isSame ? fieldCount : 1 + 2 * fieldCount);
}
