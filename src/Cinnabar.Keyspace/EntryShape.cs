using Cinnabar.Keyspace.Entries;
using Cinnabar.Memory;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace;

// SAFETY: the slot's entry is a live one of a stripe whose lock the caller holds.
/// <summary>The shape of an entry: the room that it has for its payload and a deadline.</summary>
internal static unsafe class EntryShape
{
    /// <summary>Puts an entry, as it is, into another block.</summary>
    internal static byte* Move(Stripe stripe, DatabaseTable table, in SlotReference slot)
    {
        byte* old = slot.Entry;
        nuint size = KeyEntry.Size(old);
        byte* made = stripe.Arena.Allocate(size);
        Buffer.MemoryCopy(old, made, size, size);
        table.Entries.Replace(slot, made);
        stripe.Arena.Free(old, size);
        return made;
    }

    /// <summary>
    /// Gives an entry room for a payload and a deadline (negative: none), keeping key and as much of the
    /// payload as fits; in place where the size class stays. Counts and index are the caller's.
    /// </summary>
    internal static byte* Change(Stripe stripe, DatabaseTable table, in SlotReference slot, int payloadSize,
        long deadlineMs)
    {
        byte* old = slot.Entry;
        Debug.Assert(!stripe.IsUnsaved(old), "an entry changes that has not announced it");
        bool hasDeadline = deadlineMs >= 0;
        ReadOnlySpan<byte> key = KeyEntry.KeySpan(old);
        nuint oldSize = KeyEntry.Size(old);
        nuint size = KeyEntry.SizeOf(key.Length, payloadSize, hasDeadline);
        if (hasDeadline == KeyEntry.HasDeadline(old) && Arena.BlockSize(size) == Arena.BlockSize(oldSize))
            return old;
        byte* made = stripe.NewEntry(
            KeyEntry.Type(old), KeyEntry.Encoding(old), key, deadlineMs, payloadSize);
        int kept = Math.Min(payloadSize, KeyEntry.PayloadSize(old));
        Unsafe.CopyBlockUnaligned(KeyEntry.Value(made), KeyEntry.Value(old), (uint)kept);
        KeyEntry.SetInlineLength(made, KeyEntry.InlineLength(old));
        KeyEntry.SetAccessClock(made, KeyEntry.AccessClock(old));
        table.Entries.Replace(slot, made);
        stripe.Arena.Free(old, oldSize);
        return made;
    }
}
