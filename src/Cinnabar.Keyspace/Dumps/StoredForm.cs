using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Hashes;
using Cinnabar.Keyspace.Sets;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Intsets;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;

namespace Cinnabar.Keyspace.Dumps;

/// <summary>
/// Values as they are stored, for what writes them elsewhere (RDB): small ones as their bytes, big ones as
/// walks. What is past its deadline and not yet removed is there. Valid as long as the view.
/// </summary>
// SAFETY: as EntryView's: the entry is live and locked, or a copy with references of its own; its encoding
// says what the payload is.
public static unsafe class StoredForm
{
    // Before every deadline of a field, so that none is past.
    private const long BeginningOfTimeMs = 0;

    /// <summary>The listpack of a collection that is one.</summary>
    public static ReadOnlySpan<byte> Listpack(EntryView entry)
    {
        Debug.Assert(entry.Encoding is KeyEncoding.Listpack or KeyEncoding.ListpackEx, "no listpack");
        byte* payload = KeyEntry.Value(entry.Entry);
        int offset = entry.Encoding == KeyEncoding.ListpackEx ? PackedHash.NoteSize : 0;
        return new ListpackReader(payload + offset).Bytes;
    }

    /// <summary>The intset of a set that is one.</summary>
    public static ReadOnlySpan<byte> Intset(EntryView entry)
    {
        Debug.Assert(entry.Encoding == KeyEncoding.Intset, "no intset");
        return new IntsetReader(KeyEntry.Value(entry.Entry)).Bytes;
    }

    /// <summary>A list that is no listpack.</summary>
    public static ListPages List(EntryView entry)
    {
        Debug.Assert(entry.Encoding == KeyEncoding.Quicklist, "no big list");
        return entry.List.Pages;
    }

    /// <summary>The members of a set.</summary>
    public static SetEnumerator Members(EntryView entry)
    {
        Debug.Assert(entry.Type == KeyType.Set, "no set");
        return new SetEnumerator(KeyEntry.Value(entry.Entry), entry.Encoding);
    }

    /// <summary>The fields of a hash.</summary>
    public static FieldEnumerator Fields(EntryView entry)
    {
        Debug.Assert(entry.Type == KeyType.Hash, "no hash");
        return new FieldEnumerator(entry.Entry, BeginningOfTimeMs);
    }

    /// <summary>The earliest deadline of a hash's fields, Unix milliseconds; &#8722;1: there is
    /// none.</summary>
    public static long FirstFieldDeadlineMs(EntryView entry) => entry.Encoding switch
    {
        KeyEncoding.ListpackEx => new PackedHash(entry.Entry).FirstDeadlineMs,
        KeyEncoding.HashTable when entry.Type == KeyType.Hash => HashTree.FirstDeadlineMs(entry.Entry),
        _ => HashField.NoDeadline,
    };

    /// <summary>The members of a sorted set with their scores, from the highest down.</summary>
    public static SortedSetWalk FromTail(EntryView entry)
    {
        Debug.Assert(entry.Type == KeyType.SortedSet, "no sorted set");
        byte* payload = KeyEntry.Value(entry.Entry);
        var all = new RankRange(0, ValueSize.Of(entry));
        return entry.Encoding == KeyEncoding.Listpack
            ? new SortedSetWalk(payload, all, isReverse: true)
            : new SortedSetWalk(EntryValue.SortedSet(payload), all, isReverse: true);
    }
}
