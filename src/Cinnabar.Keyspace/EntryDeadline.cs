using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Deadlines;

namespace Cinnabar.Keyspace;

/// <summary>Keeps a table's counts and the index in step with the deadlines of entries.</summary>
// SAFETY: `entry` is a live block of a stripe whose lock the caller holds.
internal static unsafe class EntryDeadline
{
    /// <summary>Forgets the deadline of an entry that is about to lose it.</summary>
    internal static void Forget(Stripe stripe, DatabaseTable table, byte* entry)
    {
        if (!KeyEntry.HasDeadline(entry))
            return;
        table.RemoveDeadline(KeyEntry.Deadline(entry));
        stripe.Deadlines.NoteStale(1);
    }

    /// <summary>Enters a deadline into the counts and the index; −1 is none.</summary>
    internal static void Note(
        KeyspaceAccess access, Stripe stripe, DatabaseTable table, ulong hash, long deadlineMs)
    {
        Debug.Assert(deadlineMs >= -1, "no deadline is -1");
        if (deadlineMs < 0)
            return;
        table.AddDeadline(deadlineMs);
        NoteInIndex(access.Keyspace, stripe, table, hash, deadlineMs);
        // What loads is silent, and the master's stream is executed with sight of expired keys.
        if (access.Keyspace.IsReplica && !access.IsSilent && !access.SeesExpired)
            NoteOwn(stripe, new DeadlineRecord(deadlineMs, table.Identity, hash));
    }

    // Not inlined: other servers' keys do not pay for it.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void NoteOwn(Stripe stripe, in DeadlineRecord record) =>
        (stripe.OwnDeadlines ??= new OwnDeadlines()).Add(in record);

    /// <summary>Enters a deadline, of a key or of a hash's fields, into the index alone.</summary>
    internal static void NoteInIndex(
        Keyspace keyspace, Stripe stripe, DatabaseTable table, ulong hash, long deadlineMs)
    {
        stripe.Deadlines.Add(deadlineMs, table.Identity, hash);
        if (deadlineMs >= stripe.DeadlineNextMs)
            return;
        stripe.DeadlineNextMs = deadlineMs;
        keyspace.Observer?.DeadlineAdvanced(stripe, deadlineMs);
    }
}
