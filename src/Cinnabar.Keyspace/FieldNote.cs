// The earliest deadline among a hash's fields, as the stripe's index of deadlines knows it: a word in the
// payload of a hash whose fields have deadlines.
//
//   bits 0-47    the deadline that one live record of the index stands for; all ones: there is no record
//   bits 56-59   the mark of the last compaction that met this record (Reaper)
//
// The note is never later than the earliest deadline. It may be earlier, where that field was removed or got
// another deadline: the record comes up, nothing is due, and the next deadline is noted. So a hash costs the
// index one live record, and a change of a deadline mostly nothing.
using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace;

// SAFETY: the entry is a live one, or one being freed, of a stripe whose lock the caller holds.
/// <summary>Keeps the index of deadlines in step with the fields of hashes.</summary>
internal static unsafe class FieldNote
{
    /// <summary>As the noted deadline: there is none.</summary>
    internal const long None = (1L << MarkShift) - 1 >> 8;

    private const int MarkShift = 56;

    /// <summary>The note of an entry; null where its value has none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* PlaceOf(byte* entry) => KeyEntry.Encoding(entry) switch
    {
        KeyEncoding.ListpackEx => KeyEntry.Value(entry),
        KeyEncoding.HashTable when HashTree.HasDeadlines(entry) =>
            KeyEntry.Value(entry) + (HashTree.NoteWord * sizeof(long)),
        _ => null,
    };

    /// <summary>Whether a field's deadline has passed at an instant; a negative one never does.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsDue(long deadlineMs, long nowMs) => (ulong)deadlineMs <= (ulong)nowMs;

    internal static long DeadlineMs(byte* note) => Unsafe.ReadUnaligned<long>(note) & None;

    /// <summary>The mark of the last compaction that met the record.</summary>
    internal static int CompactionMark(byte* note) => (int)(Unsafe.ReadUnaligned<long>(note) >> MarkShift);

    internal static void SetCompactionMark(byte* note, int mark) =>
        Unsafe.WriteUnaligned(note, DeadlineMs(note) | ((long)mark << MarkShift));

    /// <summary>Writes a deadline that has not been met by a compaction.</summary>
    internal static void Set(byte* note, long deadlineMs) => Unsafe.WriteUnaligned(note, deadlineMs);

    /// <summary>Brings a note up to date after a change of the hash.</summary>
    /// <param name="access">The execution's view.</param>
    /// <param name="slot">The hash's.</param>
    /// <param name="firstMs">The earliest deadline of its fields; &#8722;1: none.</param>
    internal static void Update(KeyspaceAccess access, ValueSlot slot, long firstMs)
    {
        byte* note = PlaceOf(slot.Entry);
        long notedMs = DeadlineMs(note);
        if (firstMs < 0)
        {
            Forget(slot.Stripe, slot.Table, slot.Entry);
            return;
        }

        if (firstMs >= notedMs)
            return;
        if (notedMs != None)
            slot.Stripe.Deadlines.NoteStale();
        else
            slot.Table.VolatileFieldsCount++;
        Set(note, firstMs);
        EntryDeadline.NoteInIndex(access.Keyspace, slot.Stripe, slot.Table, slot.Hash, firstMs);
    }

    /// <summary>The record of a note was taken out of the index: puts in one of what is the earliest
    /// now.</summary>
    internal static void Renew(KeyspaceAccess access, ValueSlot slot, long firstMs)
    {
        slot.Table.VolatileFieldsCount--;
        Set(PlaceOf(slot.Entry), None);
        Update(access, slot, firstMs);
    }

    /// <summary>Forgets the record of an entry that is about to go.</summary>
    internal static void Forget(Stripe stripe, DatabaseTable table, byte* entry)
    {
        byte* note = PlaceOf(entry);
        if (note == null || DeadlineMs(note) == None)
            return;
        Set(note, None);
        table.VolatileFieldsCount--;
        stripe.Deadlines.NoteStale();
    }

    /// <summary>Enters the note of an entry that has just come into a table, with its value.</summary>
    internal static void Enter(KeyspaceAccess access, Stripe stripe, DatabaseTable table, byte* entry,
        ulong hash)
    {
        byte* note = PlaceOf(entry);
        if (note == null || DeadlineMs(note) == None)
            return;
        Set(note, DeadlineMs(note));
        table.VolatileFieldsCount++;
        EntryDeadline.NoteInIndex(access.Keyspace, stripe, table, hash, DeadlineMs(note));
    }
}
