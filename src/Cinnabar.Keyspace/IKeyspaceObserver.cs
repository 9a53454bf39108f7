namespace Cinnabar.Keyspace;

/// <summary>The events of the key space that the engine needs.</summary>
public interface IKeyspaceObserver
{
    /// <summary>A stripe got a deadline earlier than all others it has: its housekeeper must wake up by
    /// then.</summary>
    /// <param name="stripe">The stripe, locked.</param>
    /// <param name="deadlineMs">Unix time in milliseconds.</param>
    void DeadlineAdvanced(Stripe stripe, long deadlineMs);

    /// <summary>An event of a key was committed, of a stripe that <see cref="Stripe.IsObserved"/> or
    /// <see cref="Stripe.HasWaiters"/> asked for; it is locked,
    /// except for a <see cref="KeyEvent.KeyMiss"/>.</summary>
    void Changed(KeyspaceAccess access, Stripe stripe, int database, ReadOnlySpan<byte> key,
        KeyEvent keyEvent);

    /// <summary>A key of a stripe that <see cref="StripeInterests.TrackedKeys"/> asked for was changed; it is
    /// locked. Before <see cref="Changed"/>, perhaps while a transaction or a script still runs: a key that
    /// is read after its change is not reported for it.</summary>
    void Invalidated(KeyspaceAccess access, Stripe stripe, ReadOnlySpan<byte> key, KeyEvent keyEvent);

    /// <summary>All events of a commit were reported; the stripes are locked.</summary>
    void Committed(KeyspaceAccess access);

    /// <summary>
    /// All keys of a database are about to go, or to change places with another's; all stripes are locked.
    /// </summary>
    /// <param name="access">The execution's view.</param>
    /// <param name="database">The database; −1: all.</param>
    /// <param name="other">The database that it changes places with; the same where it is emptied.</param>
    void DatabaseChanging(KeyspaceAccess access, int database, int other);
}
