using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace.Entries;

// A prefetch goes from a key's hash to the slot of its entry, without the lock, and some commands later the
// lookup would go the same way again: directory, bucket, slot. A table counts the changes that could make
// such a slot another key's (TableCore.NoteChange). While that count is what it was before the prefetch, the
// slot is still valid, and only the key remains to be compared.

/// <summary>What a prefetch found for a key.</summary>
public unsafe struct ExpectedEntry
{
    private ulong _hash;
    private nint _version;
    private int _database;

    /// <summary>Where the entry is, if it holds.</summary>
    internal byte* Slot { get; private set; }

    /// <summary>Notes what was found.</summary>
    /// <param name="slot">What <see cref="Keyspace.GuessSlot"/> returned; null: nothing.</param>
    /// <param name="hash">The hash of the key.</param>
    /// <param name="version">What <see cref="Keyspace.Prefetch"/> gave.</param>
    /// <param name="database">The database.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Set(byte* slot, ulong hash, nint version, int database)
    {
        Slot = slot;
        _hash = hash;
        _version = version;
        _database = database;
    }

    /// <summary>Whether the slot is that of a key, whose stripe is locked.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cell">The cell of its table.</param>
    /// <param name="database">The table's database.</param>
    // SAFETY: with the same version the slot belonged to this table when it was found, and no entry has been
    // put into a slot or removed from one since: its entry is live.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool Holds(in Key key, nint* cell, int database) =>
        Slot != null && _hash == key.Hash && _database == database && _version == cell[1]
        && KeyEntry.Matches(SegmentTable<KeyEntry>.EntryIn(Slot), key.Span);
}
