
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Keyspace.Entries;

// SAFETY: the entry is a live one of a stripe whose lock the caller holds, of a hash with this encoding.
/// <summary>The payload of a big hash: <see cref="HashStore"/> has the layouts.</summary>
internal static unsafe class HashTree
{
    /// <summary>Bytes of the payload of a hash whose fields have no deadlines.</summary>
    internal const int PlainSize = 1 * sizeof(long);

    /// <summary>Bytes of the payload of a hash whose fields have or had deadlines.</summary>
    internal const int DeadlinesSize = 3 * sizeof(long);

    private const int PagesWord = 0;
    private const int DeadlinesWord = 2;

    /// <summary>The place of the note of the first deadline.</summary>
    internal const int NoteWord = 1;

    /// <summary>Whether fields may have deadlines.</summary>
    internal static bool HasDeadlines(byte* entry) => KeyEntry.InlineLength(entry) == DeadlinesSize;

    /// <summary>The fields.</summary>
    internal static HashPages Pages(byte* entry) =>
        HashPages.FromAddress(EntryValue.Word(KeyEntry.Value(entry), PagesWord));

    /// <summary>Stores the fields after a change.</summary>
    internal static void SetPages(byte* entry, HashPages pages) =>
        EntryValue.SetWord(KeyEntry.Value(entry), PagesWord, pages.Address);

    /// <summary>The fields by deadline, where the hash <see cref="HasDeadlines"/>.</summary>
    internal static FieldDeadlines Deadlines(byte* entry) =>
        FieldDeadlines.FromAddress(EntryValue.Word(KeyEntry.Value(entry), DeadlinesWord));

    /// <summary>Stores the fields by deadline after a change.</summary>
    internal static void SetDeadlines(byte* entry, FieldDeadlines deadlines) =>
        EntryValue.SetWord(KeyEntry.Value(entry), DeadlinesWord, deadlines.Address);

    /// <summary>Fields whose deadline has passed at an instant.</summary>
    internal static long CountDue(byte* entry, long nowMs) =>
        HasDeadlines(entry) ? Deadlines(entry).CountDue(nowMs) : 0;

    /// <summary>The earliest deadline; &#8722;1: none.</summary>
    internal static long FirstDeadlineMs(byte* entry)
    {
        if (!HasDeadlines(entry))
            return HashField.NoDeadline;
        FieldDeadlines deadlines = Deadlines(entry);
        return deadlines.Count == 0 ? HashField.NoDeadline : deadlines.FirstMs;
    }
}
