// Removes keys past their deadline, on time and in slices: what is due comes from the stripe's index of
// deadlines, never from sampling. The index knows hashes only; each record leads to the entries of that hash,
// and those past their deadline are removed, through the same path as every change. Records whose key is gone
// or has another deadline are dropped.
//
// A compaction of the index keeps one record a key. That a key has the record's deadline is not enough to
// keep it: a counter that is given the same deadline again and again leaves one record each time, and all of
// them look live. So the first record marks the entry with the mark of this compaction, and others of it are
// dropped. A new deadline clears the mark. A compaction may miss an entry whose record moves to a lower level
// of the index's wheel meanwhile, but at most once for each level; there are twice as many marks as levels.
//
// A hash whose fields have deadlines has one more record, of its note (FieldNote), with a mark of its own.

using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Hashes;
using Cinnabar.Structures.Deadlines;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace.Expiry;

/// <summary>The housekeeping of a locked stripe, in slices.</summary>
public static unsafe class Reaper
{
    // What a key holds outside of its entry is freed at once up to a quarter of a megabyte.
    private const int RecordsPerSlice = 8;
    private const int RecordsPerCompaction = 256;
    private const int FieldsPerSlice = 64;

    /// <summary>Removes some of the keys that are past their deadline at the access's instant.</summary>
    /// <returns>Whether there may be more.</returns>
    public static bool ReapSlice(Stripe stripe, KeyspaceAccess access)
    {
        Span<DeadlineRecord> due = stackalloc DeadlineRecord[RecordsPerSlice];
        int count = stripe.Deadlines.TakeDue(access.NowMs, due);
        int fieldBudget = FieldsPerSlice;
        KeyspaceStatistics statistics = access.Statistics;
        (long keyCount, long fieldCount) = (statistics.ExpiredKeys, statistics.ExpiredFields);
        for (int index = 0; index < count; index++)
            Reap(stripe, access, in due[index], ref fieldBudget);
        statistics.ReapedKeys += statistics.ExpiredKeys - keyCount;
        statistics.ReapedFields += statistics.ExpiredFields - fieldCount;
        stripe.DeadlineNextMs = stripe.Deadlines.NextDeadlineMs;
        return stripe.DeadlineNextMs <= access.NowMs;
    }

    /// <summary>Removes some of the keys whose deadline a client of this replica has set, when it has passed
    /// (<see cref="OwnDeadlines"/>).</summary>
    /// <returns>Whether there may be more.</returns>
    public static bool ReapOwnSlice(Stripe stripe, KeyspaceAccess access)
    {
        Debug.Assert(access.Keyspace.IsReplica, "a master removes keys by the index");
        if (stripe.OwnDeadlines is not { } own)
            return false;
        int count = 0;
        for (; count < RecordsPerSlice && own.TryTakeDue(access.NowMs, out DeadlineRecord record); count++)
        {
            int database = stripe.DatabaseOf(record.Database);
            if (database >= 0 && stripe.Table(database) is { } table)
                ReapOwn(stripe, access, (table, database), in record);
        }

        return count == RecordsPerSlice;
    }

    /// <summary>Looks through some records of deadlines where too many are stale.</summary>
    /// <returns>Whether there is more to do.</returns>
    public static bool CompactSlice(Stripe stripe)
    {
        if (!stripe.Deadlines.IsCompactionDue)
            return false;
        var validator = new Validator(stripe);
        if (!stripe.Deadlines.CompactSlice(RecordsPerCompaction, ref validator))
            return true;
        stripe.AdvanceCompactionMark();
        return false;
    }

    private static void Reap(
        Stripe stripe, KeyspaceAccess access, in DeadlineRecord record, ref int fieldBudget)
    {
        int database = stripe.DatabaseOf(record.Database);
        if (database < 0 || stripe.Table(database) is not { } table)
        {
            stripe.Deadlines.NoteStaleTaken();
            return;
        }

        int index = 0;
        for (byte* entry = table.Entries.FindByHash(record.Hash, ref index); entry != null;
             entry = table.Entries.FindByHash(record.Hash, ref index))
        {
            bool isKeyDue = KeyEntry.HasDeadline(entry) && KeyEntry.Deadline(entry) == record.DeadlineMs
                && record.DeadlineMs <= access.NowMs;
            byte* note = FieldNote.PlaceOf(entry);
            if (!isKeyDue && (note == null || FieldNote.DeadlineMs(note) != record.DeadlineMs))
                continue;
            if (!table.Entries.TryFind(record.Hash, KeyEntry.KeySpan(entry), out SlotReference slot))
                continue;
            if (isKeyDue)
            {
                // Expire forgets the deadline and so counts the record as stale; but this record has been
                // removed already.
                access.Expire(stripe, table, slot, database);
                stripe.Deadlines.NoteStaleTaken();
                return;
            }

            ReapFields(access, new ValueSlot(access, stripe, table, slot), database, ref fieldBudget);
            return;
        }

        stripe.Deadlines.NoteStaleTaken();
    }

    private static void ReapOwn(
        Stripe stripe, KeyspaceAccess access, (DatabaseTable Table, int Database) place,
        in DeadlineRecord record)
    {
        int index = 0;
        for (byte* entry = place.Table.Entries.FindByHash(record.Hash, ref index); entry != null;
             entry = place.Table.Entries.FindByHash(record.Hash, ref index))
        {
            if (!KeyEntry.HasDeadline(entry) || KeyEntry.Deadline(entry) != record.DeadlineMs
                || !place.Table.Entries.TryFind(record.Hash, KeyEntry.KeySpan(entry), out SlotReference slot))
                continue;
            access.Expire(stripe, place.Table, slot, place.Database);
            return;
        }
    }

    // What is left comes up again at once, as a record of the earliest deadline then.
    private static void ReapFields(
        KeyspaceAccess access, ValueSlot slot, int database, ref int fieldBudget)
    {
        if (fieldBudget > 0 && HashExpiry.RemoveDue(access, slot, database, ref fieldBudget))
            slot.Stripe.Deadlines.NoteStaleTaken();
        else
            FieldNote.Renew(access, slot, HashExpiry.FirstDeadlineMs(slot.Entry));
    }

    private readonly struct Validator(Stripe stripe) : IDeadlineValidator
    {
        public bool IsLive(in DeadlineRecord record)
        {
            int database = stripe.DatabaseOf(record.Database);
            if (database < 0 || stripe.Table(database) is not { } table)
                return false;
            int index = 0;
            for (byte* entry = table.Entries.FindByHash(record.Hash, ref index); entry != null;
                 entry = table.Entries.FindByHash(record.Hash, ref index))
            {
                if (IsOfKey(entry, in record) || IsOfFields(entry, in record))
                    return true;
            }

            return false;
        }

        private bool IsOfKey(byte* entry, in DeadlineRecord record)
        {
            if (!KeyEntry.HasDeadline(entry) || KeyEntry.Deadline(entry) != record.DeadlineMs
                || KeyEntry.CompactionMark(entry) == stripe.CompactionMark)
                return false;
            KeyEntry.SetCompactionMark(entry, stripe.CompactionMark);
            return true;
        }

        private bool IsOfFields(byte* entry, in DeadlineRecord record)
        {
            byte* note = FieldNote.PlaceOf(entry);
            if (note == null || FieldNote.DeadlineMs(note) != record.DeadlineMs
                || FieldNote.CompactionMark(note) == stripe.CompactionMark)
                return false;
            FieldNote.SetCompactionMark(note, stripe.CompactionMark);
            return true;
        }
    }
}
