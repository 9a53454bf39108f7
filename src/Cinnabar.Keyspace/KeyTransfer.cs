using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace;

/// <summary>Moves and copies values from key to key.</summary>
// SAFETY: the execution holds the stripes of both keys.
internal static unsafe class KeyTransfer
{
    /// <summary>As <see cref="KeyspaceAccess.Transfer"/>.</summary>
    public static void Run(KeyspaceAccess access, in Key source, in Key target, int targetDatabase,
        bool isCopy)
    {
        Stripe from = access.Keyspace.StripeOf(source.Hash);
        DatabaseTable fromTable = from.Table(access.Database)!;
        access.RemoveEvenExpired(targetDatabase, in target);
        if (!fromTable.Entries.TryFind(source.Hash, source.Span, out var slot))
            throw new InvalidOperationException("Transfer of a key that does not exist.");
        byte* entry = slot.Entry;
        long deadlineMs = KeyEntry.HasDeadline(entry) ? KeyEntry.Deadline(entry) : -1;
        if (!isCopy)
            access.BeforeChange(from, entry);

        Stripe to = access.Keyspace.StripeOf(target.Hash);
        DatabaseTable toTable = to.TableOrNew(targetDatabase);
        int payloadSize = KeyEntry.PayloadSize(entry);
        byte* made = to.Arena.Allocate(KeyEntry.SizeOf(target.Length, payloadSize, deadlineMs >= 0));
        byte* place = KeyEntry.Initialize(made, KeyEntry.Type(entry), KeyEntry.Encoding(entry), target.Span,
            deadlineMs);
        Unsafe.CopyBlockUnaligned(place, KeyEntry.Value(entry), (uint)payloadSize);
        KeyEntry.SetInlineLength(made, KeyEntry.InlineLength(entry));
        KeyEntry.SetAccessClock(made, isCopy ? AccessNote.Initial(access) : KeyEntry.AccessClock(entry));
        if (isCopy)
            EntryValue.Retain(entry);
        toTable.Entries.Insert(target.Hash, made);
        EntryDeadline.Note(access.Keyspace, to, toTable, target.Hash, deadlineMs);
        FieldNote.Enter(access, to, toTable, made, target.Hash);
        if (isCopy)
            return;
        if (!fromTable.Entries.TryFind(source.Hash, source.Span, out slot))
            throw new InvalidOperationException("The source of a transfer went away.");
        // The value has moved, so only the block itself is freed.
        EntryDeadline.Forget(from, fromTable, entry);
        FieldNote.Forget(from, fromTable, entry);
        fromTable.Entries.RemoveAt(slot);
        from.Arena.Free(entry, KeyEntry.Size(entry));
    }
}
