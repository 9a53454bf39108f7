using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures;

namespace Cinnabar.Keyspace;

/// <summary>Keys that are not arguments of their command.</summary>
public static unsafe class NamedKeys
{
    /// <summary>As <see cref="KeyspaceAccess.Find"/>, for a key whose name a command has put together; its
    /// stripe is locked.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="name">The name.</param>
    /// <param name="hash">Its hash.</param>
    public static EntryView FindNamed(
        this KeyspaceAccess keys, scoped ReadOnlySpan<byte> name, ulong hash)
    {
        // SAFETY: an entry has a copy of its name, so the view outlives this one.
        fixed (byte* data = name)
            return keys.Find(new Key(data, name.Length, hash));
    }

    /// <summary>Begins to load the entries of keys that will be sought next; their stripes are
    /// locked.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="hashes">The keys' hashes, up to <see cref="Foresight.CountMax"/>.</param>
    [SkipLocalsInit]
    public static void LoadAhead(this KeyspaceAccess keys, ReadOnlySpan<ulong> hashes)
    {
        const int entryLineCount = 2;
        // SAFETY: places and entries stay where they are as long as the stripes are locked.
        byte** places = stackalloc byte*[Foresight.CountMax];
        for (int at = 0; at < hashes.Length; at++)
            places[at] = keys.Keyspace.Prefetch(hashes[at], keys.Database, out _);
        for (int at = 0; at < hashes.Length; at++)
        {
            byte* slot = Keyspace.GuessSlot(places[at], hashes[at]);
            if (slot == null)
                continue;
            byte* entry = Keyspace.EntryIn(slot);
            CacheLine.Prefetch(entry);
            Keyspace.PrefetchRest(entry, entryLineCount);
        }
    }
}
