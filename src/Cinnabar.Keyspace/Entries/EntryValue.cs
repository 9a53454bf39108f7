using Cinnabar.Structures.Blocks;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Lists;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Streams;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Entries;

// SAFETY: all below: `entry` is a live block of a stripe whose lock the caller holds, or one that no table
// points to any more.
/// <summary>What an entry's value holds outside of the entry, by encoding: a reference to a tree or
/// two.</summary>
internal static unsafe class EntryValue
{
    /// <summary>Whether the value holds anything outside of its entry.</summary>
    public static bool IsOutside(byte* entry) => KeyEntry.Encoding(entry)
        is KeyEncoding.Blocks or >= KeyEncoding.Quicklist and <= KeyEncoding.Stream;

    /// <summary>Gives the references up, before the entry is freed or gets another value.</summary>
    public static void Release(byte* entry, BlockSource blocks, TreeSource trees)
    {
        byte* value = KeyEntry.Value(entry);
        switch (KeyEntry.Encoding(entry))
        {
            case KeyEncoding.Blocks:
                new EntryView(entry).BlockString.Release(blocks);
                break;
            case KeyEncoding.Quicklist:
                ListPages.FromAddress(Word(value, 0)).Release(trees);
                break;
            case KeyEncoding.HashTable:
                HashTree.Pages(entry).Release(trees);
                if (HashTree.HasDeadlines(entry))
                    HashTree.Deadlines(entry).Release(trees);
                break;
            case KeyEncoding.SkipList:
                SortedSet(value).Release(trees);
                break;
            case KeyEncoding.Stream:
                StreamTree.FromAddress(Word(value, 0)).Release(trees);
                break;
        }
    }

    /// <summary>Takes references for another entry with the same value.</summary>
    public static void Retain(byte* entry)
    {
        byte* value = KeyEntry.Value(entry);
        switch (KeyEntry.Encoding(entry))
        {
            case KeyEncoding.Blocks:
                new EntryView(entry).BlockString.Retain();
                break;
            case KeyEncoding.Quicklist:
                ListPages.FromAddress(Word(value, 0)).Retain();
                break;
            case KeyEncoding.HashTable:
                HashTree.Pages(entry).Retain();
                if (HashTree.HasDeadlines(entry))
                    HashTree.Deadlines(entry).Retain();
                break;
            case KeyEncoding.SkipList:
                SortedSet(value).Retain();
                break;
            case KeyEncoding.Stream:
                StreamTree.FromAddress(Word(value, 0)).Retain();
                break;
        }
    }

    /// <summary>Makes an entry with the value, the deadline and the access clock of another, and with
    /// references of its own to what lies outside of them.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="copy">Where the other is made, with room for its name in place of the entry's.</param>
    /// <param name="name">Its name.</param>
    public static void Copy(byte* entry, byte* copy, ReadOnlySpan<byte> name)
    {
        long deadlineMs = KeyEntry.HasDeadline(entry) ? KeyEntry.Deadline(entry) : -1;
        byte* place = KeyEntry.Initialize(
            copy, KeyEntry.Type(entry), KeyEntry.Encoding(entry), name, deadlineMs);
        Unsafe.CopyBlockUnaligned(place, KeyEntry.Value(entry), (uint)KeyEntry.PayloadSize(entry));
        KeyEntry.SetInlineLength(copy, KeyEntry.InlineLength(entry));
        KeyEntry.SetAccessClock(copy, KeyEntry.AccessClock(entry));
        Retain(entry);
    }

    /// <summary>Bytes that the value takes outside of its entry; what is shared counts in full.</summary>
    public static long MemoryBytes(byte* entry)
    {
        byte* value = KeyEntry.Value(entry);
        return KeyEntry.Encoding(entry) switch
        {
            KeyEncoding.Blocks => new EntryView(entry).BlockString.MemoryBytes,
            KeyEncoding.Quicklist => ListPages.FromAddress(Word(value, 0)).MemoryBytes,
            KeyEncoding.HashTable => HashTree.Pages(entry).MemoryBytes
                + (HashTree.HasDeadlines(entry) ? HashTree.Deadlines(entry).MemoryBytes : 0),
            KeyEncoding.SkipList => SortedSet(value).MemoryBytes,
            KeyEncoding.Stream => StreamTree.FromAddress(Word(value, 0)).MemoryBytes,
            _ => 0,
        };
    }

    /// <summary>Moves some of a value's trees out of memory that is to be emptied. It stays the same
    /// value.</summary>
    /// <returns>Whether all of it was looked at.</returns>
    public static bool Move(byte* entry, TreeSource trees, ref TreeMoves moves)
    {
        byte* value = KeyEntry.Value(entry);
        switch (KeyEntry.Encoding(entry))
        {
            case KeyEncoding.Quicklist:
                ListPages list = ListPages.FromAddress(Word(value, 0));
                bool isListDone = list.Move(trees, 0, ref moves);
                SetWord(value, 0, list.Address);
                return isListDone;
            case KeyEncoding.HashTable:
                HashPages pages = HashTree.Pages(entry);
                bool isHashDone = pages.Move(trees, 0, ref moves);
                HashTree.SetPages(entry, pages);
                if (!isHashDone || !HashTree.HasDeadlines(entry))
                    return isHashDone;
                FieldDeadlines deadlines = HashTree.Deadlines(entry);
                isHashDone = deadlines.Move(trees, 1, ref moves);
                HashTree.SetDeadlines(entry, deadlines);
                return isHashDone;
            case KeyEncoding.SkipList:
                SortedSetTree sorted = SortedSet(value);
                bool isSortedDone = sorted.Move(trees, ref moves);
                SetWord(value, 0, sorted.OrderAddress);
                SetWord(value, 1, sorted.IndexAddress);
                return isSortedDone;
            case KeyEncoding.Stream:
                return StreamTree.FromAddress(Word(value, 0)).Move(trees, ref moves);
            default:
                return true;
        }
    }

    /// <summary>The value in a payload whose encoding is <see cref="KeyEncoding.SkipList"/>.</summary>
    public static SortedSetTree SortedSet(byte* payload) =>
        SortedSetTree.FromAddresses(Word(payload, 0), Word(payload, 1));

    /// <summary>The members by their hashes, where an entry's value is a tree that has them so.</summary>
    public static bool TryPages(byte* entry, out HashPages pages)
    {
        pages = KeyEntry.Encoding(entry) switch
        {
            KeyEncoding.SkipList => SortedSet(KeyEntry.Value(entry)).Index,
            KeyEncoding.HashTable => HashTree.Pages(entry),
            _ => default,
        };
        return !pages.IsNull;
    }

    public static nint Word(byte* payload, int index) =>
        Unsafe.ReadUnaligned<nint>(payload + (index * sizeof(nint)));

    /// <summary>Writes a word of a payload.</summary>
    public static void SetWord(byte* payload, int index, nint word) =>
        Unsafe.WriteUnaligned(payload + (index * sizeof(nint)), word);
}
