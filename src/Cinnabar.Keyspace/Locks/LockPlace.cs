namespace Cinnabar.Keyspace.Locks;

/// <summary>A waiter's place in a stripe's queue: a link of it. A waiter has one, and waits for one stripe at
/// a time.</summary>
public sealed class LockPlace
{
    /// <summary>Makes the place of a waiter, in no queue.</summary>
    public LockPlace(ILockWaiter waiter) => Waiter = waiter;

    /// <summary>The waiter.</summary>
    internal ILockWaiter Waiter { get; }

    /// <summary>The lower, the earlier.</summary>
    internal long Order { get; set; }

    /// <summary>The queue that it is in.</summary>
    internal LockQueue? Queue { get; set; }

    /// <summary>The waiter before it.</summary>
    internal LockPlace? Previous { get; set; }

    /// <summary>The waiter behind it.</summary>
    internal LockPlace? Next { get; set; }
}
