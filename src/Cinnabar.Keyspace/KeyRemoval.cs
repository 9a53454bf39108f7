using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace;

// SAFETY: the execution holds the stripe of the entry, and the slot is its place in the table.
/// <summary>Removes entries.</summary>
internal static unsafe class KeyRemoval
{
    extension(KeyspaceAccess access)
    {
        /// <summary>Removes an entry past its deadline, or whose fields all are, and declares that.</summary>
        internal void Expire(Stripe stripe, DatabaseTable table, in SlotReference slot, int database)
        {
            if (access.IsPastOwnDeadline(slot.Entry))
            {
                access.Statistics.ExpiredKeys++;
                access.Declare(stripe, database, KeyEntry.KeySpan(slot.Entry), KeyEvent.Expired);
            }
            else
            {
                LapsedHash.DeclareEnd(access, stripe, database, slot.Entry);
            }

            if (access.Effects.IsRecording)
                access.Effects.Remove(database, KeyEntry.KeySpan(slot.Entry), isEvicted: false);
            access.RemoveAt(stripe, table, slot);
        }

        /// <summary>Removes the entry in a slot and frees it.</summary>
        internal void RemoveAt(Stripe stripe, DatabaseTable table, in SlotReference slot)
        {
            byte* entry = slot.Entry;
            stripe.BeforeRemoval(table, entry);
            EntryDeadline.Forget(stripe, table, entry);
            FieldNote.Forget(stripe, table, entry);
            table.Entries.RemoveAt(slot);
            stripe.Free(entry);
        }

        /// <summary>Removes a key, also one past its deadline.</summary>
        /// <returns>The type of the value that it had; null: it had none, or was past its deadline.</returns>
        internal KeyType? RemoveEvenExpired(int database, in Key key)
        {
            Stripe stripe = access.Keyspace.StripeOf(key.Hash);
            if (stripe.Table(database) is not { } table
                || !table.Entries.TryFind(key.Hash, key.Span, out var slot))
                return null;
            KeyType type = KeyEntry.Type(slot.Entry);
            if (access.IsPastDeadline(slot.Entry))
            {
                access.Expire(stripe, table, slot, database);
                return null;
            }

            access.RemoveAt(stripe, table, slot);
            return type;
        }
    }
}
