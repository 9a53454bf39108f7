using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace;

/// <summary>Is called before the first byte of an entry changes: keeps pre-images and undo records.</summary>
public interface IChangeGuard
{
    /// <summary>An entry of a locked stripe is about to change, move or go.</summary>
    /// <param name="stripe">The stripe.</param>
    /// <param name="table">The table that the entry is in.</param>
    /// <param name="entry">The entry.</param>
    /// <param name="isLeaving">Whether its value goes: it is removed or replaced.</param>
    void BeforeChange(Stripe stripe, DatabaseTable table, EntryView entry, bool isLeaving);
}
