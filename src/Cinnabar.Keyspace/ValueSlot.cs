using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace;

/// <summary>
/// The place of a collection's entry, found once, for the code that changes it: reads its payload, resizes
/// it, removes it. Made by <see cref="KeyspaceAccess.FindSlot"/> and
/// <see cref="KeyspaceAccess.CreateValue"/>; valid until another key of the stripe is added or removed.
/// </summary>
// SAFETY: the execution holds the stripe's lock; the slot stays while no other key of the table is added or
// removed.
public readonly unsafe ref struct ValueSlot
{
    private readonly KeyspaceAccess _access;
    private readonly Stripe _stripe;
    private readonly DatabaseTable _table;
    private readonly SlotReference _slot;

    internal ValueSlot(KeyspaceAccess access, Stripe stripe, DatabaseTable table, SlotReference slot)
    {
        _access = access;
        _stripe = stripe;
        _table = table;
        _slot = slot;
    }

    /// <summary>Whether there is no such key.</summary>
    public bool IsMissing => _access is null;

    /// <summary>What commands read.</summary>
    public EntryView View => new(_slot.Entry);

    /// <summary>The data type.</summary>
    public KeyType Type => KeyEntry.Type(Entry);

    /// <summary>How the value is stored.</summary>
    public KeyEncoding Encoding => KeyEntry.Encoding(Entry);

    internal byte* Entry
    {
        get
        {
            Debug.Assert(!IsMissing, "there is no such key");
            return _slot.Entry;
        }
    }

    internal Stripe Stripe => _stripe;

    internal DatabaseTable Table => _table;

    /// <summary>The hash of the key.</summary>
    internal ulong Hash => _slot.Hash;

    /// <summary>The key space.</summary>
    internal Keyspace Keyspace => _access.Keyspace;

    /// <summary>The value's bytes in the entry. Moves with <see cref="Resize"/>.</summary>
    internal byte* Payload => KeyEntry.Value(Entry);

    /// <summary>Bytes of the payload.</summary>
    internal int PayloadSize => KeyEntry.InlineLength(Entry);

    /// <summary>Announces a change; to be called before the first byte is written.</summary>
    internal void BeginChange() => _stripe.BeforeChange(_table, Entry);

    /// <summary>
    /// Gives the payload another size, up to <see cref="KeyEntry.InlineValueLengthMax"/>, and perhaps another
    /// encoding; as much of its contents as fits stays. The caller releases what it refers to.
    /// </summary>
    /// <returns>Where the payload is now.</returns>
    internal byte* Resize(int payloadSize, KeyEncoding encoding)
    {
        Debug.Assert(payloadSize is >= 0 and <= KeyEntry.InlineValueLengthMax, "too much for an entry");
        byte* entry = EntryShape.Change(_stripe, _table, in _slot, payloadSize, View.DeadlineMs);
        KeyEntry.SetEncoding(entry, encoding);
        KeyEntry.SetInlineLength(entry, payloadSize);
        return KeyEntry.Value(entry);
    }

    /// <summary>Gives the payload another size.</summary>
    internal byte* Resize(int payloadSize) => Resize(payloadSize, Encoding);

    /// <summary>Removes the key with its value, which must not be used any more; declares nothing.</summary>
    public void Remove() => _access.RemoveAt(_stripe, _table, in _slot);
}
