using System.Runtime.CompilerServices;

namespace Cinnabar.Keyspace.Entries;

// A prefetch goes from a key's hash to the address of its entry, without the lock, and some commands later
// the lookup would go the same way again: directory, bucket, slot, of which the first cache has lost most by
// then. A table counts the changes that could make such an address wrong (TableCore.NoteChange). Where that
// count is still what it was before the prefetch, what it found is found, and only the key remains to be
// compared.

/// <summary>What a prefetch found for a key.</summary>
public unsafe struct ExpectedEntry
{
    private ulong _hash;
    private nint _version;
    private int _database;

    internal byte* Entry { get; private set; }

    /// <summary>Notes what was found.</summary>
    /// <param name="entry">What <see cref="Keyspace.GuessEntry"/> returned; null: nothing.</param>
    /// <param name="hash">The hash of the key.</param>
    /// <param name="version">What <see cref="Keyspace.Prefetch"/> gave.</param>
    /// <param name="database">The database.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Set(byte* entry, ulong hash, nint version, int database)
    {
        Entry = entry;
        _hash = hash;
        _version = version;
        _database = database;
    }

    /// <summary>Whether the entry is that of a key, whose stripe is locked.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cell">The cell of its table.</param>
    /// <param name="database">The table's database.</param>
    // SAFETY: with the same version the entry was in a slot of this very table when it was found, and nothing
    // has left a slot since: it is live.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool Holds(in Key key, nint* cell, int database) =>
        Entry != null && _hash == key.Hash && _database == database && _version == cell[1]
        && KeyEntry.Matches(Entry, key.Span);
}
