using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace;

/// <summary>Declares the events that do not come with a declared change: of misses, new keys and replaced
/// values. Only while <see cref="Keyspace.ReportedEvents"/> asks for them.</summary>
public static class EventNotes
{
    extension(KeyspaceAccess access)
    {
        /// <summary>Declares that a command has read a key that does not exist.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        public void NoteMiss(scoped in Key key)
        {
            if ((access.Keyspace.ReportedEvents & ReportedEvents.Misses) != 0)
                Declare(access, access.Database, in key, KeyEvent.KeyMiss);
        }

        /// <summary>Counts a lookup, and declares its miss.</summary>
        public void NoteLookup(scoped in Key key, bool isFound)
        {
            access.Statistics.CountLookup(isFound);
            if (!isFound)
                access.NoteMiss(in key);
        }

        /// <summary>Forgets the misses of a command that will look its keys up again.</summary>
        public void ForgetMisses()
        {
            if (access.Pending.Count != 0)
                access.Pending.ForgetMisses();
        }

        /// <summary>Reports the changes so far to those who track keys; their stripes are locked.</summary>
        public void Invalidate()
        {
            if (access.Pending.Count != 0)
                access.Pending.Invalidate(access, access.Keyspace.Observer);
        }

        /// <summary>Commits the misses of a command that runs without its keys' stripes.</summary>
        public void CommitMisses()
        {
            if (access.Pending.Count != 0)
                access.Pending.Deliver(access, access.Keyspace.Observer);
        }

        /// <summary>Declares, behind the command's own event, that a key has another value than
        /// before.</summary>
        /// <param name="database">The key's database.</param>
        /// <param name="key">The key.</param>
        /// <param name="old">The type of the value before; null: there was none.</param>
        public void NoteReplaced(int database, scoped in Key key, KeyType? old)
        {
            if (old is { } type && (access.Keyspace.ReportedEvents & ReportedEvents.Replacements) != 0)
                NoteReplaced(access, database, in key, type, access.PeekIn(database, in key).Type);
        }

        /// <summary>Declares that SET replaces a value and keeps its deadline.</summary>
        public void NoteSet(scoped in Key key, KeyType old) =>
            NoteReplaced(access, access.Database, in key, old, KeyType.String);
    }

    /// <summary>Declares that a key gets a value: it is new, or the value replaces another.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void NoteStored(KeyspaceAccess access, scoped in Key key, KeyType? old, KeyType type)
    {
        if (old is { } oldType)
            NoteReplaced(access, access.Database, in key, oldType, type);
        else
            NoteNew(access, access.Database, in key);
    }

    /// <summary>Declares that a key is new.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void NoteNew(KeyspaceAccess access, int database, scoped in Key key)
    {
        if ((access.Keyspace.ReportedEvents & ReportedEvents.NewKeys) != 0)
            Declare(access, database, in key, KeyEvent.New);
    }

    /// <summary>Declares that a key's value is replaced as a whole.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void NoteReplaced(
        KeyspaceAccess access, int database, scoped in Key key, KeyType old, KeyType type)
    {
        if ((access.Keyspace.ReportedEvents & ReportedEvents.Replacements) == 0)
            return;
        Declare(access, database, in key, KeyEvent.Overwritten);
        if (old != type)
            Declare(access, database, in key, KeyEvent.TypeChanged);
    }

    private static void Declare(KeyspaceAccess access, int database, scoped in Key key, KeyEvent keyEvent) =>
        access.Declare(access.Keyspace.StripeOf(key.Hash), database, key.Span, keyEvent);
}
