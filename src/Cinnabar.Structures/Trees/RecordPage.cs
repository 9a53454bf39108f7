// The contents of a page of a set, hash or sorted set: a column of keys of one size, a column of offsets, and
// from the other end a heap of records of any size.
//
//   | key 0 | key 1 | ... | offset 0 | offset 1 | ... |   free   | record | record | record |
//                                                                                           end
//
// An offset counts backwards from the end, so that a page may get a larger block and keep its offsets. The
// columns give records their order, so the heap needs none: an insertion moves columns only, a few cache
// lines. A removal closes its gap in the heap, with the heap's last record where that has the same size,
// which is usual, else by moving all behind it; there is no unused space to collect. Keys lie together
// because a search reads them first: one-byte tags all at once (HashPages), scores by halving
// (SortedSetTree).
//
// Offsets have 2 bytes, and 4 in pages of more than 64 KiB: those of one big record, or (never seen) of many
// records that may not be parted.
using System.Runtime.Intrinsics;

namespace Cinnabar.Structures.Trees;

// SAFETY: columns and heap lie within Capacity, since Insert is called only where HasRoom said so; indexes
// are below Count.
/// <summary>Operations on one page of records.</summary>
internal static unsafe class RecordPage<TFormat> where TFormat : struct, IRecordFormat
{
    /// <summary>Contents above this size are split: those of a block of 2 KiB.</summary>
    internal const int UsedMax = 2048 - 24;

    /// <summary>Pages with less than this are joined with a neighbour.</summary>
    internal const int UsedSmall = UsedMax / 4;

    /// <summary>Pages are joined to at most this.</summary>
    internal const int UsedJoined = UsedMax * 3 / 4;

    private const int ShortCapacityMax = ushort.MaxValue;

    /// <summary>The column of keys.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* Keys(TreePage* page) => TreePage.Data(page);

    /// <summary>Begins to load the lines behind a page's first, where its columns are.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void PrefetchColumns(TreePage* page, int lines)
    {
        for (int line = 1; line <= lines; line++)
        {
            CacheLine.Prefetch((byte*)page + line * CacheLine.Size);
        }
    }

    /// <summary>Where the next record's last byte would be.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* NextPlace(TreePage* page) =>
        TreePage.Data(page) + page->Capacity - HeapBytes(page) - 1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* Record(TreePage* page, int index) =>
        TreePage.Data(page) + page->Capacity - OffsetOf(page, index);

    /// <summary>Bytes that a page with a number of records takes beside its header.</summary>
    internal static int RoomFor(int count, long recordBytes)
    {
        long room = recordBytes + count * (long)(TFormat.KeySize + sizeof(ushort));
        if (TreeSource.CapacityFor(checked((int)room)) > ShortCapacityMax) room += count * 2L;
        return checked((int)room);
    }

    /// <summary>Whether a record of a number of bytes has room, when another's are removed first.</summary>
    internal static bool HasRoom(TreePage* page, int recordBytes, int removedBytes) =>
        (long)page->Used + TFormat.KeySize + OffsetSize(page) + recordBytes - removedBytes <= page->Capacity;

    /// <summary>Bytes of all records together.</summary>
    internal static int HeapBytes(TreePage* page) =>
        page->Used - page->Count * (TFormat.KeySize + OffsetSize(page));

    /// <summary>Makes room for a record before the one with this index; returns where it is to be written.
    /// Its key is to be written as well.</summary>
    internal static byte* Insert(TreePage* page, int index, int recordBytes)
    {
        Debug.Assert(HasRoom(page, recordBytes, 0) && (uint)index <= (uint)page->Count);
        int keySize = TFormat.KeySize, offsetSize = OffsetSize(page), count = page->Count;
        int offset = HeapBytes(page) + recordBytes;
        byte* keys = Keys(page);
        byte* from = keys + keySize * count;
        byte* to = from + keySize;
        Move(from + index * offsetSize, to + (index + 1) * offsetSize, (count - index) * offsetSize);
        Move(from, to, index * offsetSize);
        Move(keys + index * keySize, keys + (index + 1) * keySize, (count - index) * keySize);
        if (offsetSize == sizeof(ushort))
        {
            ((ushort*)to)[index] = (ushort)offset;
        }
        else
        {
            ((int*)to)[index] = offset;
        }
        page->Count++;
        page->Used += keySize + offsetSize + recordBytes;
        return TreePage.Data(page) + page->Capacity - offset;
    }

    /// <summary>Removes a record.</summary>
    internal static void Remove(TreePage* page, int index)
    {
        int keySize = TFormat.KeySize, offsetSize = OffsetSize(page), count = page->Count;
        int heap = HeapBytes(page);
        int offset = OffsetOf(page, index);
        byte* end = TreePage.Data(page) + page->Capacity;
        int recordBytes = TFormat.SizeOf(end - offset);
        byte* keys = Keys(page);
        byte* from = keys + keySize * count;
        byte* to = from - keySize;
        if (offset != heap && offsetSize == sizeof(ushort) && TFormat.SizeOf(end - heap) == recordBytes)
        {
            Move(end - heap, end - offset, recordBytes);
            var offsets = new Span<ushort>(from, count);
            offsets[offsets.IndexOf((ushort)heap)] = (ushort)offset;
        }
        else
        {
            Move(end - heap, end - heap + recordBytes, heap - offset);
            Lower(from, count, offsetSize, offset, recordBytes);
        }
        Move(keys + (index + 1) * keySize, keys + index * keySize, (count - 1 - index) * keySize);
        Move(from, to, index * offsetSize);
        Move(from + (index + 1) * offsetSize, to + index * offsetSize, (count - 1 - index) * offsetSize);
        page->Count--;
        page->Used -= keySize + offsetSize + recordBytes;
    }

    /// <summary>A page with some of another's records, in the order given, and room for more.</summary>
    /// <param name="source">Where its memory comes from.</param>
    /// <param name="page">The other.</param>
    /// <param name="indexes">Of the records in it.</param>
    /// <param name="more">How many records there shall be room for beside these.</param>
    /// <param name="moreBytes">Bytes of those.</param>
    internal static TreePage* Select(
        TreeSource source, TreePage* page, ReadOnlySpan<int> indexes, int more, int moreBytes)
    {
        long bytes = moreBytes;
        foreach (int index in indexes) bytes += TFormat.SizeOf(Record(page, index));
        TreePage* made = source.NewPage(page->Home, RoomFor(indexes.Length + more, bytes));
        AddRecords(made, page, indexes);
        return made;
    }

    /// <summary>A page with all records of another and room for more.</summary>
    internal static TreePage* Copy(TreeSource source, TreePage* page, int more, int moreBytes)
    {
        int heap = HeapBytes(page);
        TreePage* made = source.NewPage(page->Home, RoomFor(page->Count + more, heap + (long)moreBytes));
        if (OffsetSize(made) != OffsetSize(page))
        {
            AddRecords(made, page, AllBut(new int[page->Count], page->Count, -1));
            return made;
        }
        Move(Keys(page), Keys(made), page->Used - heap);
        byte* end = Keys(page) + page->Capacity;
        byte* madeEnd = Keys(made) + made->Capacity;
        Move(end - heap, madeEnd - heap, heap);
        made->Count = page->Count;
        made->Used = page->Used;
        return made;
    }

    /// <summary>Puts some of another page's records behind all others, for which there is room.</summary>
    internal static void AddRecords(TreePage* page, TreePage* other, ReadOnlySpan<int> indexes)
    {
        // One after the other would move the offsets once a record: the columns are written in their final
        // places instead.
        int keySize = TFormat.KeySize, offsetSize = OffsetSize(page), count = page->Count;
        int offset = HeapBytes(page);
        byte* keys = Keys(page);
        byte* end = keys + page->Capacity;
        byte* offsets = keys + keySize * (count + indexes.Length);
        Move(keys + keySize * count, offsets, count * offsetSize);
        foreach (int index in indexes)
        {
            byte* record = Record(other, index);
            int bytes = TFormat.SizeOf(record);
            offset += bytes;
            Buffer.MemoryCopy(record, end - offset, bytes, bytes);
            Move(Keys(other) + index * keySize, keys + count * keySize, keySize);
            if (offsetSize == sizeof(ushort))
            {
                ((ushort*)offsets)[count++] = (ushort)offset;
            }
            else
            {
                ((int*)offsets)[count++] = offset;
            }
        }
        page->Count = count;
        page->Used = offset + count * (keySize + offsetSize);
        Debug.Assert(page->Used <= page->Capacity);
    }

    /// <summary>The indexes of a page's records but one; <paramref name="without"/> may be -1.</summary>
    internal static Span<int> AllBut(Span<int> indexes, int count, int without)
    {
        int next = 0;
        for (int index = 0; index < count; index++)
        {
            if (index != without) indexes[next++] = index;
        }
        return indexes[..next];
    }

    /// <summary>Where to part records, 1 to their number less 1, so that both sides are about equal in
    /// bytes.</summary>
    internal static int Middle(TreePage* page, ReadOnlySpan<int> indexes)
    {
        int half = HeapBytes(page) / 2;
        int bytes = 0;
        int count = 0;
        while (count < indexes.Length - 1 && (bytes < half || count == 0))
        {
            bytes += TFormat.SizeOf(Record(page, indexes[count++]));
        }
        return count;
    }

    private static int OffsetSize(TreePage* page) =>
        page->Capacity <= ShortCapacityMax ? sizeof(ushort) : sizeof(int);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int OffsetOf(TreePage* page, int index)
    {
        byte* offsets = Keys(page) + TFormat.KeySize * (nint)page->Count;
        return page->Capacity <= ShortCapacityMax ? ((ushort*)offsets)[index] : ((int*)offsets)[index];
    }

    // Lowers all offsets that lie beyond one by as many bytes as the heap was closed up.
    private static void Lower(byte* offsets, int count, int offsetSize, int beyond, int bytes)
    {
        if (offsetSize != sizeof(ushort))
        {
            for (int index = 0; index < count; index++)
            {
                if (((int*)offsets)[index] > beyond) ((int*)offsets)[index] -= bytes;
            }
            return;
        }
        int done = 0;
        Vector128<ushort> limit = Vector128.Create((ushort)beyond);
        Vector128<ushort> less = Vector128.Create((ushort)bytes);
        for (; done + Vector128<ushort>.Count <= count; done += Vector128<ushort>.Count)
        {
            ushort* at = (ushort*)offsets + done;
            Vector128<ushort> old = Vector128.Load(at);
            (old - (Vector128.GreaterThan(old, limit) & less)).Store(at);
        }
        for (; done < count; done++)
        {
            if (((ushort*)offsets)[done] > beyond) ((ushort*)offsets)[done] -= (ushort)bytes;
        }
    }

    private static void Move(byte* from, byte* to, long bytes) => Buffer.MemoryCopy(from, to, bytes, bytes);
}
