using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>Where a sorted set goes when it is built: to a key, or into an entry of none.</summary>
// SAFETY: as of the slot, or of the entry.
internal readonly unsafe ref struct SortedSetTarget
{
    private readonly KeyspaceAccess? _access;
    private readonly Key _key;
    private readonly DetachedEntry? _entry;

    internal SortedSetTarget(KeyspaceAccess access, in Key key)
    {
        _access = access;
        _key = key;
    }

    internal SortedSetTarget(DetachedEntry entry) => _entry = entry;

    /// <summary>Makes room for the payload, whose contents are undefined.</summary>
    internal byte* Open(KeyEncoding encoding, int size) => _entry is { } entry
        ? entry.Begin(KeyType.SortedSet, encoding, size)
        : _access!.CreateValue(in _key, KeyType.SortedSet, encoding, size).Payload;
}
