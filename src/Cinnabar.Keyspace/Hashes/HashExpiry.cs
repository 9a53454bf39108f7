using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Hashes;

// SAFETY: the stripe of the slot is locked.
/// <summary>Removes fields past their deadline, and hashes that have no fields left then.</summary>
internal static unsafe class HashExpiry
{
    /// <summary>Removes some fields past their deadline and declares that; not as part of a
    /// command.</summary>
    /// <param name="access">The execution's view.</param>
    /// <param name="slot">A hash whose fields have deadlines.</param>
    /// <param name="database">The one that the slot is in.</param>
    /// <param name="budget">About how many fields at most; what was done is subtracted.</param>
    /// <returns>Whether the hash is gone.</returns>
    internal static bool RemoveDue(KeyspaceAccess access, ValueSlot slot, int database, ref int budget)
    {
        byte* entry = slot.Entry;
        bool isPacked = slot.Encoding != KeyEncoding.HashTable;
        int count = isPacked
            ? new PackedHash(entry).CountDue(access.ExpiryNowMs, out _)
            : (int)Math.Min(HashTree.CountDue(entry, access.ExpiryNowMs), budget);
        if (count == 0)
            return false;
        // The due fields of a small hash are contiguous.
        budget -= isPacked ? 1 : count;
        slot.BeginChange();
        access.Statistics.ExpiredFields += count;
        access.Declare(slot.Stripe, database, KeyEntry.KeySpan(entry), KeyEvent.HashExpired);
        if (access.Effects.IsRecording)
            access.Effects.Begin(database, "HDEL"u8).With(KeyEntry.KeySpan(entry));
        bool isEmpty = isPacked ? DropFirst(access, slot, count) : RemoveFirst(access, slot, count);
        if (access.Effects.IsRecording)
            access.Effects.End();
        if (!isEmpty)
            return false;
        access.Declare(slot.Stripe, database, KeyEntry.KeySpan(entry), KeyEvent.Deleted);
        slot.Remove();
        return true;
    }

    /// <summary>Removes a field that is past its deadline, and its hash with the last one; not as part of a
    /// command.</summary>
    /// <param name="access">The execution's view.</param>
    /// <param name="slot">The hash.</param>
    /// <param name="field">The field.</param>
    /// <param name="isFirst">Whether it is the first that the command removes: there is one event for
    /// all.</param>
    /// <returns>Whether it was removed.</returns>
    internal static bool RemoveIfDue(
        KeyspaceAccess access, ValueSlot slot, ReadOnlySpan<byte> field, bool isFirst)
    {
        var editor = new HashEditor(access, slot);
        if (editor.View.TryGetDeadline(field, out long deadlineMs)
            || !FieldNote.IsDue(deadlineMs, access.ExpiryNowMs))
            return false;
        access.Statistics.ExpiredFields++;
        // The slot moves with its hash's end.
        byte[] name = KeyEntry.KeySpan(slot.Entry).ToArray();
        if (isFirst)
            access.Declare(slot.Stripe, access.Database, name, KeyEvent.HashExpired);
        if (access.Effects.IsRecording)
            access.Effects.Begin(access.Database, "HDEL"u8).With(name).End(field);
        editor.Remove(field);
        if (editor.Complete())
            access.Declare(slot.Stripe, access.Database, name, KeyEvent.Deleted);
        return true;
    }

    /// <summary>The earliest deadline of a hash's fields; &#8722;1: none has one.</summary>
    internal static long FirstDeadlineMs(byte* entry) =>
        KeyEntry.Encoding(entry) == KeyEncoding.HashTable
            ? HashTree.FirstDeadlineMs(entry)
            : new PackedHash(entry).FirstDeadlineMs;

    private static bool DropFirst(KeyspaceAccess access, ValueSlot slot, int count)
    {
        var packed = new PackedHash(slot.Entry);
        if (access.Effects.IsRecording)
            RecordFirst(access.Effects, in packed, count);
        if (count == packed.Count)
            return true;
        var editor = new ListpackEditor(packed.Data, packed.Reader.Size);
        editor.Delete(Listpack.HeaderSize, count * packed.Stride);
        slot.Resize(packed.Offset + packed.Reader.Size);
        return false;
    }

    private static void RecordFirst(Effects effects, in PackedHash packed, int count)
    {
        Span<byte> scratch = stackalloc byte[FieldText.ScratchSize];
        int position = packed.Reader.First;
        for (; count > 0; count--)
        {
            effects.With(packed.FieldAt(position).Name.AsText(scratch));
            position = packed.Reader.Behind(position, packed.Stride);
        }
    }

    private static bool RemoveFirst(KeyspaceAccess access, ValueSlot slot, int count)
    {
        TreeSource trees = access.Keyspace.Trees;
        HashPages pages = HashTree.Pages(slot.Entry);
        FieldDeadlines deadlines = HashTree.Deadlines(slot.Entry);
        for (; count > 0; count--)
        {
            if (access.Effects.IsRecording)
                access.Effects.With(deadlines.FirstField);
            pages.Remove(trees, deadlines.FirstField);
            deadlines.RemoveFirst(trees);
        }

        HashTree.SetPages(slot.Entry, pages);
        HashTree.SetDeadlines(slot.Entry, deadlines);
        return pages.Count == 0;
    }
}
