// Hashes: fields with values, small ones as one block with their key, big ones as a tree.
//
//   Listpack      | listpack: field, value, field, value, ... |             in the entry
//   ListpackEx    | note | listpack: field, value, deadline, ... |          in the entry
//   HashTable     | pages |                                                 HashPages: fields and values
//                 | pages | note | deadlines |                              and FieldDeadlines
//
// A hash begins as a listpack and becomes a tree when it has too many fields or one that is too long, or when
// one command brings too many (CollectionLimits), or when it would no longer fit into an entry (64 KiB). It
// becomes a ListpackEx, or gets an order of deadlines beside its pages, with the first deadline of a field.
// It never goes back.
//
// In a ListpackEx the fields with deadlines come first, the earliest before the others; the others have 0 as
// their deadline. (Redis has the same triplets in the same order, so that one can be dumped by a copy.) So
// the fields that are due are at the beginning of the listpack.
//
// Fields past their deadline are missing for every reader, as keys are, and so is a hash that has no others.
// A command that opens a hash to change it removes some of them first; the housekeeping removes them on time
// (HashExpiry), for which the stripe's index of deadlines knows the earliest of each hash (FieldNote).
//
// With DEBUG SET-ACTIVE-EXPIRE 0 the housekeeping leaves them. What is stored is then what counts, as in
// Redis: HLEN counts them, their hash exists, and each is removed when a command names it.
//
// Limits: fields and values of 512 MiB; deadlines below 2^46 ms, as in Redis.
using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.Hashes;

// SAFETY: entries and slots are those of stripes that the execution has locked.
/// <summary>Opens hashes to be read or changed. Changes are declared by the caller.</summary>
public static unsafe class HashStore
{
    /// <summary>As a field's deadline: none.</summary>
    public const long NoDeadline = HashField.NoDeadline;

    /// <summary>As a field's deadline: keep the one that it has.</summary>
    public const long KeepDeadline = -2;

    /// <summary>The latest deadline of a field, Unix time in milliseconds.</summary>
    public const long DeadlineMsMax = (1L << 46) - 1;

    /// <summary>Fields past their deadline that are removed at once where a hash is changed.</summary>
    private const int DueCountMax = 512;

    /// <summary>The hash of an entry that holds one or is missing, to be read.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static HashView View(KeyspaceAccess keys, EntryView entry) => new(entry.Entry, keys);

    /// <summary>The hash of a key, to be changed, without most of the fields that are past their
    /// deadline.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="slot">The key's, which holds a hash or is missing.</param>
    /// <returns>The editor; <see cref="HashEditor.IsMissing"/> where there is no hash, or none is
    /// left.</returns>
    public static HashEditor Open(KeyspaceAccess keys, ValueSlot slot)
    {
        if (slot.IsMissing)
            return default;
        byte* note = FieldNote.PlaceOf(slot.Entry);
        // The replay of a recorded command sees all fields.
        int budget = keys.Effects.IsRecording ? int.MaxValue : DueCountMax;
        if (note != null && FieldNote.DeadlineMs(note) <= keys.ExpiryNowMs
            && keys.Keyspace.IsActiveExpiryEnabled && !keys.Keyspace.KeepsExpired
            && HashExpiry.RemoveDue(keys, slot, keys.Database, ref budget))
            return default;
        return new HashEditor(keys, slot);
    }

    /// <summary>Removes a field of a hash that is past its deadline; for where nothing else removes
    /// it.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="key">The key.</param>
    /// <param name="field">The field.</param>
    /// <param name="isFirst">Whether the command has removed none of this hash yet: there is one event for
    /// all.</param>
    /// <returns>Whether it was removed.</returns>
    public static bool RemoveIfDue(
        KeyspaceAccess keys, scoped in Key key, ReadOnlySpan<byte> field, bool isFirst = true)
    {
        ValueSlot slot = keys.FindSlot(in key);
        return !slot.IsMissing && slot.Type == KeyType.Hash
            && HashExpiry.RemoveIfDue(keys, slot, field, isFirst);
    }

    /// <summary>The same for a key whose name a command has put together.</summary>
    public static unsafe void RemoveIfDue(
        KeyspaceAccess keys, scoped ReadOnlySpan<byte> name, ReadOnlySpan<byte> field)
    {
        // SAFETY: the key is used only while its bytes are pinned.
        fixed (byte* data = name)
            RemoveIfDue(keys, new Key(data, name.Length, keys.Keyspace.Hash(name)), field);
    }

    /// <summary>Removes all fields of a hash that are past their deadline; for where nothing else removes
    /// them.</summary>
    public static void RemoveAllDue(KeyspaceAccess keys, scoped in Key key)
    {
        ValueSlot slot = keys.FindSlot(in key);
        int budget = int.MaxValue;
        if (!slot.IsMissing && slot.Type == KeyType.Hash && FieldNote.PlaceOf(slot.Entry) != null)
            HashExpiry.RemoveDue(keys, slot, keys.Database, ref budget);
    }

    /// <summary>Makes an empty hash in place of whatever the key has.</summary>
    /// <param name="keys">The execution's view.</param>
    /// <param name="key">The key.</param>
    /// <param name="reservedBytes">An estimate of the bytes of its fields, where they come at once.</param>
    public static HashEditor Create(KeyspaceAccess keys, scoped in Key key, int reservedBytes)
    {
        int size = Math.Min(Listpack.EmptySize + reservedBytes, KeyEntry.InlineValueLengthMax);
        ValueSlot slot = keys.CreateValue(in key, KeyType.Hash, KeyEncoding.Listpack, size);
        Listpack.Initialize(slot.Payload);
        return new HashEditor(keys, slot);
    }
}
