using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace;

/// <summary>Hears of every entry before its first byte changes: what keeps pre-images and undo
/// records.</summary>
public interface IChangeGuard
{
    /// <summary>An entry of a locked stripe is about to change, move or go.</summary>
    void BeforeChange(Stripe stripe, EntryView entry);
}
