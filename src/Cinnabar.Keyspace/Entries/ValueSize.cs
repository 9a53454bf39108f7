using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Intsets;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Keyspace.Entries;

// SAFETY: views are of live entries of locked stripes; encodings say what payloads are.
/// <summary>The size of any value: bytes of a string, elements of a collection.</summary>
public static unsafe class ValueSize
{
    private const int EntriesPerPair = 2;
    private const int EntriesPerTriplet = 3;

    /// <summary>The size of a value; fields past their deadline and not yet removed count. &#8722;1: of a
    /// stream.</summary>
    public static long Of(EntryView entry)
    {
        if (entry.Type == KeyType.String)
            return entry.StringLength;
        byte* payload = KeyEntry.Value(entry.Entry);
        return entry.Encoding switch
        {
            KeyEncoding.Listpack => new ListpackReader(payload).Count / EntriesPerElement(entry.Type),
            KeyEncoding.ListpackEx => new ListpackReader(payload + sizeof(long)).Count / EntriesPerTriplet,
            KeyEncoding.Intset => new IntsetReader(payload).Count,
            KeyEncoding.Quicklist => ListPages.FromAddress(EntryValue.Word(payload, 0)).Count,
            KeyEncoding.HashTable => HashPages.FromAddress(EntryValue.Word(payload, 0)).Count,
            KeyEncoding.SkipList => SortedSetTree.FromAddresses(
                EntryValue.Word(payload, 0), EntryValue.Word(payload, 1)).Count,
            _ => -1,
        };
    }

    private static int EntriesPerElement(KeyType type) =>
        type is KeyType.Hash or KeyType.SortedSet ? EntriesPerPair : 1;
}
