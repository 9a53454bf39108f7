using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>
/// Sorted sets: how they are stored, small ones as a listpack (SortedSetPack), big ones as a
/// <see cref="SortedSetTree"/>. Declares nothing (see
/// <see cref="KeyspaceAccess.Changed(in Key, KeyEvent)"/>).
/// </summary>
public sealed unsafe class SortedSetStore
{
    /// <summary>Bytes of the payload of a tree: its two addresses.</summary>
    internal const int TreeHandleSize = 2 * sizeof(ulong);

    private readonly KeyspaceAccess _access;

    /// <summary>Makes the store over an execution's view.</summary>
    public SortedSetStore(KeyspaceAccess access) => _access = access;

    /// <summary>The set in an entry, which is missing or a sorted set.</summary>
    public SortedSetView View(EntryView entry) =>
        entry.IsMissing ? default : ViewOf(entry, _access.Keyspace.Trees);

    /// <summary>Changes the set in a key's slot, which is missing or a sorted set.</summary>
    public SortedSetEditor Edit(in Key key, in ValueSlot slot) => new(_access, in key, in slot);

    /// <summary>A new set, of no key yet, to be disposed of.</summary>
    public SortedSetBuilder Build() => new(_access);

    // SAFETY: entries of sorted sets have a listpack or the handle of a tree as their payload.
    internal static SortedSetView ViewOf(EntryView entry, TreeSource trees)
    {
        byte* payload = KeyEntry.Value(entry.Entry);
        return entry.Encoding == KeyEncoding.Listpack
            ? new SortedSetView(payload)
            : new SortedSetView(TreeAt(payload), trees);
    }

    internal static SortedSetTree TreeAt(byte* payload) =>
        SortedSetTree.FromAddresses(EntryValue.Word(payload, 0), EntryValue.Word(payload, 1));

    /// <summary>Whether a listpack may have so many members, of at most such a length.</summary>
    internal static bool FitsPack(KeyspaceAccess access, long count, long memberLengthMax)
    {
        CollectionLimits limits = access.Keyspace.Limits;
        return count <= limits.SortedSetListpackEntriesMax
            && memberLengthMax <= limits.SortedSetListpackValueMax;
    }
}
