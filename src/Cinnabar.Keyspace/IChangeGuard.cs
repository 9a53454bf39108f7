using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace;

/// <summary>Is called before the first byte of an entry changes: keeps pre-images and undo records.</summary>
public interface IChangeGuard
{
    /// <summary>An entry of a locked stripe is about to change, move or go.</summary>
    void BeforeChange(Stripe stripe, EntryView entry);
}
