// Many different members at once into an empty collection. They are sorted by hash, and each page is made as
// large as what it gets; put in one by one, they would have a page of 2 KiB grow some thirty times.
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Hashes;

// SAFETY: a page is made for the records that are written to it.
/// <summary>Fills the pages of a collection.</summary>
internal static unsafe class HashFill
{
    private const int StackCountMax = 512;

    /// <summary>Puts fields, all different, into an empty tree of pages by hash.</summary>
    /// <exception cref="OutOfMemoryException">The tree has some of the fields.</exception>
    [SkipLocalsInit]
    internal static void Fill<TFields>(TreeSource source, ref PageTree tree, scoped TFields fields)
        where TFields : struct, IFieldList, allows ref struct
    {
        Debug.Assert(tree.Count == 0, "a tree is filled once");
        int count = fields.Count;
        Span<ulong> hashes = count <= StackCountMax ? stackalloc ulong[StackCountMax] : new ulong[count];
        Span<int> numbers = count <= StackCountMax ? stackalloc int[StackCountMax] : new int[count];
        hashes = hashes[..count];
        numbers = numbers[..count];
        for (int number = 0; number < count; number++)
        {
            hashes[number] = SipHash.Hash(fields[number].Member, source.Seed);
            numbers[number] = number;
        }
        HashSort.Sort(hashes, numbers);
        int end;
        for (int start = 0; start < count; start = end)
        {
            end = EndOfPage(fields, hashes, numbers, start, out long recordBytes);
            int room = RecordPage<HashRecord>.RoomFor(end - start, recordBytes);
            TreePage* page = source.NewPage(tree.Home, room);
            for (int at = start; at < end; at++)
            {
                HashField field = fields[numbers[at]];
                HashPages.Write(page, hashes[at], in field, HashRecord.SizeFor(in field));
            }
            ulong separator = hashes[start];
            tree.Append(source, page, (byte*)&separator);
        }
    }

    // Where the page ends that begins with the field at start: it is filled as far as small pages are joined,
    // so that it does not part at the next member. Equal hashes stay together.
    private static int EndOfPage<TFields>(
        scoped TFields fields, Span<ulong> hashes, Span<int> numbers, int start, out long recordBytes)
        where TFields : struct, IFieldList, allows ref struct
    {
        recordBytes = 0;
        for (int at = start; at < hashes.Length; at++)
        {
            HashField field = fields[numbers[at]];
            long more = recordBytes + HashRecord.SizeFor(in field);
            int room = RecordPage<HashRecord>.RoomFor(at - start + 1, more);
            bool isFull = room > RecordPage<HashRecord>.UsedJoined;
            if (isFull && at > start && hashes[at] != hashes[at - 1]) return at;
            recordBytes = more;
        }
        return hashes.Length;
    }
}
