using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace;

// SAFETY: the entry is a live one of a stripe whose lock the caller holds, with the payload of its encoding.
/// <summary>A hash all of whose fields are past their deadline: no command sees it.</summary>
internal static unsafe class LapsedHash
{
    /// <summary>Whether a hash is one; never where nothing removes fields (DEBUG SET-ACTIVE-EXPIRE
    /// 0).</summary>
    internal static bool Is(KeyspaceAccess access, byte* entry)
    {
        byte* note = FieldNote.PlaceOf(entry);
        if (note == null || FieldNote.DeadlineMs(note) > access.ExpiryNowMs
            || !access.Keyspace.IsActiveExpiryEnabled)
            return false;
        if (KeyEntry.Encoding(entry) == KeyEncoding.HashTable)
        {
            long count = HashTree.Pages(entry).Count;
            return count != 0 && HashTree.Deadlines(entry).Count == count
                && HashTree.CountDue(entry, access.ExpiryNowMs) == count;
        }

        // The latest deadline comes last, and behind it the fields that have none.
        var reader = new ListpackReader(KeyEntry.Value(entry) + sizeof(long));
        if (reader.IsEmpty)
            return false;
        long lastMs = reader[reader.Last].Integer;
        return lastMs != 0 && FieldNote.IsDue(lastMs, access.ExpiryNowMs);
    }

    /// <summary>Declares the end of such a hash, which is about to be removed; not as part of a
    /// command.</summary>
    internal static void DeclareEnd(KeyspaceAccess access, Stripe stripe, int database, byte* entry)
    {
        access.Statistics.ExpiredFields += ValueSize.Of(new EntryView(entry));
        access.Declare(stripe, database, KeyEntry.KeySpan(entry), KeyEvent.HashExpired);
        access.Declare(stripe, database, KeyEntry.KeySpan(entry), KeyEvent.Deleted);
    }
}
