namespace Cinnabar.Keyspace.Locks;

/// <summary>A waiter's place in a stripe's queue: a link of it. A waiter has one, and waits for one stripe at
/// a time.</summary>
public sealed class LockPlace
{
    /// <summary>Makes the place of a waiter, in no queue.</summary>
    public LockPlace(ILockWaiter waiter) => Waiter = waiter;

    /// <summary>Whose place it is.</summary>
    internal ILockWaiter Waiter { get; }

    /// <summary>The lower, the earlier.</summary>
    internal long Order { get; set; }

    /// <summary>The queue that it is in.</summary>
    internal LockQueue? Queue { get; set; }

    /// <summary>Who comes before.</summary>
    internal LockPlace? Previous { get; set; }

    /// <summary>Who comes behind.</summary>
    internal LockPlace? Next { get; set; }
}
