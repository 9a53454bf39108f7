using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace;

/// <summary>Moves and copies values from key to key.</summary>
// SAFETY: the execution holds the stripes of both keys.
internal static unsafe class KeyTransfer
{
    /// <summary>As <see cref="KeyspaceAccess.Transfer"/>.</summary>
    public static KeyType? Run(KeyspaceAccess access, in Key source, in Key target, int targetDatabase,
        bool isCopy)
    {
        Stripe from = access.Keyspace.StripeOf(source.Hash);
        DatabaseTable fromTable = from.Table(access.Database)!;
        KeyType? old = access.RemoveEvenExpired(targetDatabase, in target);
        if (!fromTable.Entries.TryFind(source.Hash, source.Span, out var slot))
            throw new InvalidOperationException("Transfer of a key that does not exist.");
        byte* entry = slot.Entry;
        long deadlineMs = KeyEntry.HasDeadline(entry) ? KeyEntry.Deadline(entry) : -1;
        if (!isCopy)
            from.BeforeChange(fromTable, entry);

        if (isCopy)
            EntryValue.Retain(entry);
        byte* made = Place(access, targetDatabase, in target, entry, deadlineMs);
        if (isCopy)
            KeyEntry.SetAccessClock(made, AccessNote.Initial(access));
        if (isCopy)
            return old;
        if (!fromTable.Entries.TryFind(source.Hash, source.Span, out slot))
            throw new InvalidOperationException("The source of a transfer went away.");
        // The value has moved, so only the block itself is freed.
        EntryDeadline.Forget(from, fromTable, entry);
        FieldNote.Forget(from, fromTable, entry);
        fromTable.Entries.RemoveAt(slot);
        from.Arena.Free(entry, KeyEntry.Size(entry));
        return old;
    }

    /// <summary>Makes an entry for a key, which has none, with the value of another entry; what that refers
    /// to is the new one's then.</summary>
    /// <returns>The new entry.</returns>
    public static byte* Place(
        KeyspaceAccess access, int database, in Key key, byte* source, long deadlineMs)
    {
        Stripe stripe = access.Keyspace.StripeOf(key.Hash);
        DatabaseTable table = stripe.TableOrNew(database);
        Debug.Assert(!table.Entries.TryFind(key.Hash, key.Span, out _), "the key has an entry");
        int payloadSize = KeyEntry.PayloadSize(source);
        byte* made = stripe.NewEntry(
            KeyEntry.Type(source), KeyEntry.Encoding(source), key.Span, deadlineMs, payloadSize);
        Unsafe.CopyBlockUnaligned(KeyEntry.Value(made), KeyEntry.Value(source), (uint)payloadSize);
        KeyEntry.SetInlineLength(made, KeyEntry.InlineLength(source));
        KeyEntry.SetAccessClock(made, KeyEntry.AccessClock(source));
        if (access.Keyspace.ReportedEvents != 0)
            EventNotes.NoteNew(access, database, in key);
        table.Entries.Insert(key.Hash, made);
        EntryDeadline.Note(access, stripe, table, key.Hash, deadlineMs);
        FieldNote.Enter(access, stripe, table, made, key.Hash);
        return made;
    }
}
